import type { ProjectId, TreeNode } from '@bough/core';
import { inAnnotationOrder } from '@bough/core';
import type { LogEntry, ProjectRecord, Store } from '../store.ts';

/** Everything that a store says about a project, in a form in which two stores, or two moments, can be compared. */
export interface ProjectSnapshot {
  readonly records: readonly ProjectRecord[];
  readonly logs: readonly { readonly turnId: string; readonly entries: readonly LogEntry[] }[];
}

export async function snapshotProject(store: Store, project: ProjectId): Promise<ProjectSnapshot> {
  const records: ProjectRecord[] = [];
  for await (const record of store.exportProject(project)) records.push(record);
  const sorted = sortRecords(records);
  const logs: { turnId: string; entries: readonly LogEntry[] }[] = [];
  for (const record of sorted) {
    if (record.type !== 'turn') continue;
    const entries = await store.readLog(project, record.value.id, 0, 1_000_000);
    if (entries.length > 0) logs.push({ turnId: record.value.id, entries });
  }
  return { records: sorted, logs };
}

type RecordOf<Kind extends ProjectRecord['type']> = Extract<ProjectRecord, { type: Kind }>;

/**
 * The same records, in an order that fixes what the contract says about order and nothing more: branches as they come,
 * nodes depth first with siblings as they come, calls of a turn as they come; turns and renderings have no order of
 * their own.
 */
export function sortRecords(records: readonly ProjectRecord[]): readonly ProjectRecord[] {
  const kind = <Kind extends ProjectRecord['type']>(type: Kind): RecordOf<Kind>[] =>
    records.filter((record): record is RecordOf<Kind> => record.type === type);
  return [
    ...kind('project'),
    ...kind('foreign').sort((a, b) => compareText(a.value.name, b.value.name)),
    ...kind('branch'),
    ...kind('turn').sort((a, b) => compareText(a.value.id, b.value.id)),
    ...depthFirst(kind('node')),
    ...kind('call').sort((a, b) => compareText(a.value.turnId, b.value.turnId)),
    ...kind('rendering').sort(
      (a, b) => compareText(a.value.nodeId, b.value.nodeId) || compareText(a.value.key, b.value.key),
    ),
    ...kind('annotation').sort((a, b) => inAnnotationOrder(a.value, b.value)),
  ];
}

function depthFirst(nodes: readonly RecordOf<'node'>[]): RecordOf<'node'>[] {
  const children = new Map<TreeNode['parentId'], RecordOf<'node'>[]>();
  for (const record of nodes) {
    const siblings = children.get(record.value.parentId);
    if (siblings) siblings.push(record);
    else children.set(record.value.parentId, [record]);
  }
  const ordered: RecordOf<'node'>[] = [];
  const waiting = (children.get(null) ?? []).toReversed();
  for (let record = waiting.pop(); record; record = waiting.pop()) {
    ordered.push(record);
    waiting.push(...(children.get(record.value.id) ?? []).toReversed());
  }
  return ordered;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export async function* recordsOf(records: readonly ProjectRecord[]): AsyncIterable<ProjectRecord> {
  for (const record of records) yield await Promise.resolve(record);
}
