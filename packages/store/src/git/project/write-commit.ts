import { join } from 'node:path';
import { writeConfig } from '../meta/branch-config.ts';
import { CONFIG_FILE, META_REF, PROJECT_FILE } from '../meta/layout.ts';
import { writeNote } from '../meta/message.ts';
import { serializeCommit } from '../objects/commit-object.ts';
import type { Written } from '../objects/object-batch.ts';
import { editTree } from '../repository/edit-tree.ts';
import { prepareReplacement } from '../repository/plain-file.ts';
import type { Repository } from '../repository/repository.ts';
import type { PlannedCommit } from './planned-commit.ts';
import type { MetaPosition, ProjectState } from './state.ts';

/**
 * Carries out a draft. Objects first, forced to the disk; then the refs, in one step (`refs/move.ts`).
 *
 * Refs are moved one after the other, so a crash can come in between. A write that moves one ref is whole by itself.
 * Any other is a commit of `refs/bough/meta`, which moves first and names the rest: from then on the write has
 * happened, and opening the project again completes it.
 */
export async function commitDraft(
  repository: Repository,
  state: ProjectState,
  draft: PlannedCommit,
): Promise<{ readonly meta: MetaPosition; readonly written: Written }> {
  const { objects, moves, files } = draft;
  const recorded = files.size > 0 || moves.length > 1 || draft.forgetsHistory || draft.isNoted;
  const meta = recorded ? await addMetaCommit(repository, state, draft) : state.meta;
  const locks = files.get(CONFIG_FILE);
  const replacement = Buffer.isBuffer(locks)
    ? await prepareReplacement(join(repository.gitDir, CONFIG_FILE), locks, true)
    : null;
  try {
    const written = await objects.flush();
    const first = recorded ? [{ ref: META_REF, from: state.meta.commit, to: meta.commit }] : [];
    if (first.length + moves.length > 0) await repository.moveRefs([...first, ...moves]);
    await replacement?.finish();
    return { meta, written };
  } catch (error) {
    await replacement?.discard();
    throw error;
  }
}

async function addMetaCommit(repository: Repository, state: ProjectState, draft: PlannedCommit): Promise<MetaPosition> {
  const { objects, files, moves, sequence } = draft;
  const edits = new Map<string, string | null>();
  for (const [path, content] of files) {
    edits.set(path, Buffer.isBuffer(content) ? objects.add('blob', content) : (content?.blob ?? null));
  }
  // The first write to a repository from elsewhere: from now on the copies in `refs/bough/meta` count.
  if (state.meta.commit === null && !files.has(PROJECT_FILE)) {
    edits.set(PROJECT_FILE, state.fileBlob);
    if (state.config.branches.size > 0 && !files.has(CONFIG_FILE)) {
      edits.set(CONFIG_FILE, objects.add('blob', writeConfig(state.config)));
    }
  }
  const tree = await editTree(repository, objects, state.meta.tree, edits);
  const parents = state.meta.commit === null || draft.forgetsHistory ? [] : [state.meta.commit];
  const message = writeNote(draft.summary, { sequence, moves });
  const commit = objects.add('commit', serializeCommit({ tree, parents, message }, Math.floor(Date.now() / 1000)));
  return { commit, tree, sequence };
}
