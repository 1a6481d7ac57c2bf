import { createHash } from 'node:crypto';
import type { BlobHash, NodeId, ProjectId, RawResponse } from '@bough/core';
import { blobsOf, BoughError, stableDeepEqual } from '@bough/core';
import { withBlobs } from '../blobs/copy.ts';
import type { ReadBlob } from '../blobs/index.ts';
import { BlobError } from '../blobs/index.ts';
import { ConflictError, StoreError } from '../errors.ts';
import type { ForeignDocument } from '../foreign.ts';
import { heldBy } from '../foreign.ts';
import type { ProjectRecord, Store } from '../store.ts';
import type { ProjectDigest } from './digest.ts';
import { createDigest, differences } from './digest.ts';

export interface MoveOptions {
  /** Removes the project from the source once the copy is proved. Otherwise both stay. */
  readonly deleteSource?: boolean;
}

export interface MoveReport {
  readonly projectId: ProjectId;
  readonly counts: Readonly<Record<ProjectRecord['type'], number>>;
  readonly rawBytes: number;
  readonly sourceDeleted: boolean;
  /** What Bough has no place for and keeps beside the project, by kind. */
  readonly beside: Readonly<Record<string, number>>;
}

/** The copy differs from the original. It has been removed again; the source is untouched. */
export class MoveError extends BoughError {
  readonly differences: readonly string[];

  constructor(code: 'copy_differs' | 'source_changed' | 'not_kept', message: string, found: readonly string[]) {
    super(
      code,
      `${message} ${found.slice(0, 5).join('; ')}${found.length > 5 ? `; and ${found.length - 5} more` : ''}.`,
    );
    this.differences = found;
  }
}

/**
 * Copies a project from one store to another and proves it by reading it back: nodes, their order, raw to the byte,
 * turns, branches with their locks, calls, renderings and files. Logs do not move: a project with an open turn is not
 * moved.
 */
export async function moveProject(
  from: Store,
  to: Store,
  project: ProjectId,
  { deleteSource = false }: MoveOptions = {},
): Promise<MoveReport> {
  await requireQuiet(from, project);
  if (deleteSource) await requireNothingLeft(from, project);
  const sent = createDigest();
  const beside: Pick<ForeignDocument, 'holds'>[] = [];
  const records = watched(from.exportProject(project), (record) => {
    sent.add(record);
    if (record.type === 'foreign') beside.push({ holds: record.value.holds });
  });
  await to.importProject(withBlobs(records, (hash) => from.blobs.read(project, hash), to.blobs));
  const source = sent.finish();
  try {
    await requireEqual(to, project, source);
    if (deleteSource) await requireUnchanged(from, project, source);
  } catch (error) {
    await to.deleteProject(project);
    throw error;
  }
  if (deleteSource) await from.deleteProject(project);
  return {
    projectId: project,
    counts: countsOf(source),
    rawBytes: source.rawBytes,
    sourceDeleted: deleteSource,
    beside: heldBy(beside),
  };
}

export interface ShelfReport {
  /** The documents that the target has now. */
  readonly copied: readonly string[];
  /** Those that the target had already, with something else in them: they stay as they were. */
  readonly kept: readonly string[];
}

/** Copies what lies on the shelf and proves it. What the target has already is never overwritten. */
export async function moveShelf(from: Store, to: Store): Promise<ShelfReport> {
  const copied: string[] = [];
  const kept: string[] = [];
  for (const { name, value } of await from.listDocuments()) {
    const found = await to.getDocument(name);
    if (found === null) {
      await to.putDocument(name, value, 0);
      const copy = await to.getDocument(name);
      if (!stableDeepEqual(copy?.value, value))
        throw new MoveError('copy_differs', 'The copy does not equal the original:', [`the document ${name}`]);
      copied.push(name);
    } else if (!stableDeepEqual(found.value, value)) kept.push(name);
  }
  return { copied, kept };
}

async function requireQuiet(store: Store, project: ProjectId): Promise<void> {
  const [open] = await store.openTurns(project);
  if (!open) return;
  throw new ConflictError(
    'turn_running',
    'A turn of this project is running or waits for an approval. Wait for it or interrupt it, then move the project.',
    open.id,
  );
}

/** What no export holds would be gone with the source. */
async function requireNothingLeft(store: Store, project: ProjectId): Promise<void> {
  const left = (await store.notKept?.(project)) ?? [];
  if (left.length === 0) return;
  throw new MoveError(
    'not_kept',
    'The project was not moved: what lies beside it would be lost with the source. Move it without deleting the source, or save these first:',
    left,
  );
}

async function requireEqual(copy: Store, project: ProjectId, source: ProjectDigest): Promise<void> {
  const digest = createDigest();
  const exported = createExported();
  for await (const record of copy.exportProject(project)) {
    digest.add(record);
    exported.add(record);
  }
  const found = [...differences(source, digest.finish()), ...(await readOtherwise(copy, project, exported))];
  if (found.length > 0) {
    throw new MoveError('copy_differs', 'The copy does not equal the original and was removed:', found);
  }
}

async function requireUnchanged(store: Store, project: ProjectId, source: ProjectDigest): Promise<void> {
  await requireQuiet(store, project);
  const found = differences(source, await digestOf(store, project));
  if (found.length > 0) {
    throw new MoveError('source_changed', 'The project changed while it was moved. Move it again:', found);
  }
}

async function digestOf(store: Store, project: ProjectId): Promise<ProjectDigest> {
  const digest = createDigest();
  for await (const record of store.exportProject(project)) digest.add(record);
  return digest.finish();
}

/** What an export said of the tree and of raw, to compare with what reading the conversation gives. */
interface Exported {
  readonly parents: Map<NodeId, NodeId | null>;
  readonly raws: Map<NodeId, string>;
  readonly blobs: Set<BlobHash>;
  readonly add: (record: ProjectRecord) => void;
}

function createExported(): Exported {
  const parents = new Map<NodeId, NodeId | null>();
  const raws = new Map<NodeId, string>();
  const blobs = new Set<BlobHash>();
  return {
    parents,
    raws,
    blobs,
    add: (record) => {
      if (record.type === 'node') {
        parents.set(record.value.id, record.value.parentId);
        for (const hash of blobsOf(record.value.contentBlocks)) blobs.add(hash);
      }
      // Where several calls made one node, the last one's raw is the node's.
      if (record.type === 'call' && record.value.nodeId && record.raw)
        raws.set(record.value.nodeId, hashOf(record.raw));
    },
  };
}

/** An export proves only what an export reads. Conversations are read in other ways: they must give the same result. */
async function readOtherwise(store: Store, project: ProjectId, exported: Exported): Promise<readonly string[]> {
  const found: string[] = [];
  const { nodes, branches } = await store.graph(project);
  if (nodes.length !== exported.parents.size) found.push('the graph has another number of nodes');
  for (const { id, parentId } of nodes) {
    if (exported.parents.get(id) !== parentId) found.push(`node ${id} has another place in the graph`);
  }
  for (const [id, wanted] of exported.raws) {
    const raw = await store.getRaw(project, id);
    if (raw === null || hashOf(raw) !== wanted) found.push(`the raw response of node ${id} is read differently`);
  }
  for (const hash of exported.blobs) {
    if (!(await isWhole(await store.blobs.read(project, hash)))) found.push(`the file ${hash} is not whole`);
  }
  for (const { name, id, tipId } of branches) {
    if ((await store.getBranch(project, name)).id !== id) found.push(`branch ${name} is not found by its name`);
    if (tipId !== null && (await store.path(project, tipId)).at(-1)?.id !== tipId) {
      found.push(`the path of branch ${name} does not end at its tip`);
    }
  }
  return found;
}

/** Reading a whole file compares it with its hash. */
async function isWhole(read: ReadBlob | undefined): Promise<boolean> {
  if (read === undefined) return false;
  try {
    let length = 0;
    for await (const piece of read.bytes) length += piece.length;
    return length === read.size;
  } catch (error) {
    if (error instanceof BlobError || error instanceof StoreError) return false;
    throw error;
  }
}

const hashOf = (raw: RawResponse): string => createHash('sha256').update(JSON.stringify(raw.payload)).digest('base64');

async function* watched(
  records: AsyncIterable<ProjectRecord>,
  watch: (record: ProjectRecord) => void,
): AsyncIterable<ProjectRecord> {
  for await (const record of records) {
    watch(record);
    yield record;
  }
}

function countsOf({ records }: ProjectDigest): MoveReport['counts'] {
  const counts = { project: 0, foreign: 0, branch: 0, turn: 0, node: 0, call: 0, rendering: 0, annotation: 0 };
  for (const name of records.keys()) counts[name.slice(0, name.indexOf(' ')) as ProjectRecord['type']] += 1;
  return counts;
}
