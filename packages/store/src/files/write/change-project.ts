import type { BlobHash, ProjectId } from '@bough/core';
import { bookmarkChange, ownAnnotations } from '../annotations/beside.ts';
import { withBookmarks } from '../annotations/loom-bookmarks.ts';
import { requireBlobs } from '../blobs/require.ts';
import { rootOfProject } from '../format/roots.ts';
import type { Base } from '../state/base.ts';
import { projectOf } from '../state/base.ts';
import { rawFile, renderingsFile } from '../state/places.ts';
import type { ProjectState } from '../state/project-state.ts';
import { childIdsOf, idsOf, placeNode, removeNode, setTurn } from '../state/project-state.ts';
import { changesOf } from './changes.ts';
import type { ProjectChange } from './project-change.ts';
import { createDraft, isEmpty } from './project-change.ts';

/** Drafts a change of a project, makes it durable, then makes it visible. */
export function changeProject<T>(
  base: Base,
  id: ProjectId,
  change: (draft: ProjectChange) => T | Promise<T>,
): Promise<T> {
  return base.exclusively(async () => {
    const draft = createDraft(projectOf(base, id));
    const result = await change(draft);
    if (!draft.restores) await requireBlobs(base, draft.state, blobsOfDraft(draft));
    const changes = isEmpty(draft) ? [] : await changesOf(base, draft);
    const bookmarks = bookmarkChange(base, draft);
    await withBookmarks(base, bookmarks, async () => {
      if (changes.length === 0) return;
      await base.files.commit(changes);
      show(base, draft);
    });
    return result;
  });
}

/** What was in the trash referred to its blobs all the time. */
const blobsOfDraft = ({ added }: ProjectChange): readonly BlobHash[] =>
  [...added.values()].flatMap(({ entry }) => entry.blobs);

function show(base: Base, draft: ProjectChange): void {
  const { state } = draft;
  for (const id of draft.removed) {
    removeNode(state, id);
    state.rawFiles.delete(id);
    state.renderingFiles.delete(id);
    state.annotations.delete(id);
  }
  for (const [id, beside] of ownAnnotations(base, draft)) {
    if (beside.length > 0) state.annotations.set(id, beside);
    else state.annotations.delete(id);
  }
  for (const entry of draft.moved.values()) placeNode(state, entry);
  for (const { entry } of draft.added.values()) placeNode(state, entry);
  for (const [id, file] of draft.branches) {
    if (file) state.branches.set(id, file);
    else state.branches.delete(id);
  }
  for (const [id, file] of draft.turns) {
    if (file) setTurn(state, file, (call) => rawFile(state.directory, call));
    else {
      const request = state.turns.get(id)?.clientRequestId ?? null;
      if (request !== null) state.clientRequests.delete(request);
      state.turns.delete(id);
      state.logs.delete(id);
    }
  }
  for (const id of draft.renderings.keys()) state.renderingFiles.set(id, renderingsFile(state.directory, id));
  for (const id of draft.droppedLogs) state.logs.delete(id);
  if (draft.restores) putInOrder(state);
  for (const tell of draft.afterwards) tell();
  state.nextOrder = draft.nextOrder;
  state.adopted = false;
  refreshRoot(base, draft);
}

/** Both maps are read in the order of storage, and what was restored came last. */
function putInOrder({ nodes, branches }: ProjectState): void {
  const byOrder = (a: readonly [string, { order: number }], b: readonly [string, { order: number }]): number =>
    a[1].order - b[1].order;
  const nodesInOrder = [...nodes].sort(byOrder);
  nodes.clear();
  for (const [id, entry] of nodesInOrder) nodes.set(id, entry);
  const branchesInOrder = [...branches].sort(byOrder);
  branches.clear();
  for (const [id, file] of branchesInOrder) branches.set(id, file);
}

function refreshRoot(base: Base, { state }: ProjectChange): void {
  base.roots = base.roots.map((root) =>
    root.id === state.project.id
      ? rootOfProject(state.project, childIdsOf(state, null).map(idsOf(state).toLoom), root)
      : root,
  );
}
