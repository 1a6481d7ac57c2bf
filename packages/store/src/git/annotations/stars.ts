import type { Annotation, NodeId } from '@bough/core';
import { nodeId } from '@bough/core';
import { serializeCommit } from '../objects/commit-object.ts';
import type { OpenProject } from '../project/open-project.ts';
import type { PlannedCommit } from '../project/planned-commit.ts';
import type { ProjectState } from '../project/state.ts';
import { editTree } from '../repository/edit-tree.ts';
import { readStars, STARS_FILE, STARS_REF, starsText } from './stars-file.ts';

/**
 * Has ResearchTree's file name the nodes that are starred now, with a commit of its own as ResearchTree makes one. What
 * the file says of nodes that Bough does not have stays. Where there is no such file, nothing is done.
 */
export async function draftStars(
  { repository }: OpenProject,
  draft: PlannedCommit,
  state: ProjectState,
  annotations: ReadonlyMap<NodeId, readonly Annotation[]>,
): Promise<readonly (() => void)[]> {
  const head = state.heads.get(STARS_REF);
  const stars = await readStars(repository, head?.tree);
  if (head === undefined || stars === null) return [];
  const isStarred = (id: NodeId): boolean => annotations.get(id)?.some(({ kind }) => kind === 'star') === true;
  const kept = stars.ids.filter((id) => state.index.find(nodeId(id)) === undefined || isStarred(nodeId(id)));
  const added = [...annotations.keys()].filter((id) => isStarred(id) && !stars.ids.includes(id)).sort();
  const ids = [...kept, ...added];
  if (added.length === 0 && kept.length === stars.ids.length) return [];
  const blob = draft.objects.add('blob', starsText({ ...stars, ids }));
  const tree = await editTree(repository, draft.objects, head.tree, new Map([[STARS_FILE, blob]]));
  const message = `[stars] Update starred nodes (${ids.length})`;
  const content = serializeCommit({ tree, parents: [head.commit], message }, Math.floor(Date.now() / 1000));
  const commit = draft.objects.add('commit', content);
  draft.moves.push({ ref: STARS_REF, from: head.commit, to: commit });
  return [() => void state.heads.set(STARS_REF, { ...head, commit, tree })];
}

/** After an import: a repository that was restored may say otherwise than what came with the records. */
export async function returnStars(project: OpenProject): Promise<void> {
  await project.write('Return the stars', async (draft, state) => ({
    result: undefined,
    apply: await draftStars(project, draft, state, state.annotations),
  }));
}
