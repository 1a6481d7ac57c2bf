import { createHash } from 'node:crypto';
import type { NodeId, ProjectId, RawResponse } from '@bough/core';
import { BoughError } from '@bough/core';
import { ConflictError } from '../errors.ts';
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
}

/** The copy differs from the original. It has been removed again; the source is untouched. */
export class MoveError extends BoughError {
  readonly differences: readonly string[];

  constructor(code: 'copy_differs' | 'source_changed', message: string, found: readonly string[]) {
    super(
      code,
      `${message} ${found.slice(0, 5).join('; ')}${found.length > 5 ? `; and ${found.length - 5} more` : ''}.`,
    );
    this.differences = found;
  }
}

/**
 * Copies a project from one store to another and proves it by reading it back: nodes, their order, raw to the byte,
 * turns, branches with their locks, calls and renderings. Logs do not move: a project with an open turn is not moved.
 */
export async function moveProject(
  from: Store,
  to: Store,
  project: ProjectId,
  { deleteSource = false }: MoveOptions = {},
): Promise<MoveReport> {
  await requireQuiet(from, project);
  const sent = createDigest();
  await to.importProject(watched(from.exportProject(project), sent.add));
  const source = sent.finish();
  try {
    await requireEqual(to, project, source);
    if (deleteSource) await requireUnchanged(from, project, source);
  } catch (error) {
    await to.deleteProject(project);
    throw error;
  }
  if (deleteSource) await from.deleteProject(project);
  return { projectId: project, counts: countsOf(source), rawBytes: source.rawBytes, sourceDeleted: deleteSource };
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
  readonly add: (record: ProjectRecord) => void;
}

function createExported(): Exported {
  const parents = new Map<NodeId, NodeId | null>();
  const raws = new Map<NodeId, string>();
  return {
    parents,
    raws,
    add: (record) => {
      if (record.type === 'node') parents.set(record.value.id, record.value.parentId);
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
  for (const { name, id, tipId } of branches) {
    if ((await store.getBranch(project, name)).id !== id) found.push(`branch ${name} is not found by its name`);
    if (tipId !== null && (await store.path(project, tipId)).at(-1)?.id !== tipId) {
      found.push(`the path of branch ${name} does not end at its tip`);
    }
  }
  return found;
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
  const counts = { project: 0, branch: 0, turn: 0, node: 0, call: 0, rendering: 0 };
  for (const name of records.keys()) counts[name.slice(0, name.indexOf(' ')) as ProjectRecord['type']] += 1;
  return counts;
}
