import type { BlobHash, NodeId, TreeNode } from '@bough/core';
import { blobsOf } from '@bough/core';
import { missingBlob } from '../../blobs/index.ts';
import { BLOBS, TRASH } from '../meta/layout.ts';
import { directoryOf, readEntry, subjectOf } from '../operations/turn-files.ts';
import type { OpenProject } from '../project/open-project.ts';
import type { PlannedCommit } from '../project/planned-commit.ts';
import type { ProjectState } from '../project/state.ts';
import { readRemoved, REMOVED } from '../trash/layout.ts';

// The blobs of a project are in the tree of `refs/bough/meta`, under their hashes. Which nodes refer to them is in the
// nodes; nothing lists or reads them before somebody asks for one.

const directoryFor = (hash: BlobHash): string => `${BLOBS}/${hash.slice(0, 2)}`;
const fileOf = (hash: BlobHash): string => `${directoryFor(hash)}/${hash}`;

export const refersTo = ({ index }: ProjectState, hash: BlobHash): boolean =>
  index.all().some(({ blobs }) => blobs.includes(hash));

/** The id of its object; null where there is none. */
export async function entryOfBlob(project: OpenProject, hash: BlobHash): Promise<string | null> {
  return (await directoryOf(project, directoryFor(hash))).get(hash)?.oid ?? null;
}

/** Puts the files of new nodes into the draft: those that are held become objects, the others must be there already. */
export async function draftBlobs(
  project: OpenProject,
  draft: PlannedCommit,
  state: ProjectState,
  nodes: readonly TreeNode[],
): Promise<void> {
  const { held, repository } = project;
  for (const hash of new Set(nodes.flatMap(({ contentBlocks }) => blobsOf(contentBlocks)))) {
    const oid = await entryOfBlob(project, hash);
    // One whose object was lost is written again, if somebody has put it again.
    const isThere = oid !== null && (await repository.sizeOfBlob(oid)) !== null;
    if (isThere && refersTo(state, hash)) continue;
    const found = await held.find(hash);
    if (found === null || !held.isHeld(found)) throw missingBlob(hash);
    if (isThere) continue;
    const blob = await repository.writeBlob(found.size, held.read(found).bytes);
    draft.files.set(fileOf(hash), { blob });
  }
}

export interface Leaving {
  readonly nodes?: ReadonlySet<NodeId>;
  /** The directory of an entry of the trash, as it is named there. */
  readonly entry?: string;
}

/** Removes those of the blobs that nothing refers to once something has left. */
export async function draftUnusedBlobs(
  project: OpenProject,
  draft: PlannedCommit,
  state: ProjectState,
  hashes: readonly BlobHash[],
  { nodes, entry }: Leaving,
): Promise<void> {
  const staying = new Set(state.index.all().flatMap(({ id, blobs }) => (nodes?.has(id) ? [] : blobs)));
  const unused = new Set(hashes.filter((hash) => !staying.has(hash)));
  if (unused.size === 0) return;
  for (const name of (await directoryOf(project, TRASH)).keys()) {
    if (name === entry) continue;
    for (const hash of await blobsOfEntry(project, name)) unused.delete(hash);
  }
  for (const hash of unused) draft.files.set(fileOf(hash), null);
}

/** What an entry of the project's trash refers to. */
export async function blobsOfEntry(project: OpenProject, name: string): Promise<readonly BlobHash[]> {
  const path = `${TRASH}/${name}`;
  const directory = await directoryOf(project, path);
  if (!directory.has(REMOVED)) return [];
  const { nodes } = readRemoved(await readEntry(project, directory, REMOVED), subjectOf(project, `${path}/${REMOVED}`));
  return nodes.flatMap(({ node }) => blobsOf(node.contentBlocks));
}
