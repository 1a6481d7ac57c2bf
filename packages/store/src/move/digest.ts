import { createHash } from 'node:crypto';
import type { NodeId } from '@bough/core';
import { annotationKey, stableStringify } from '@bough/core';
import type { ProjectRecord } from '../store.ts';

/**
 * A project's content as fingerprints: small enough to keep for any project, exact enough that equal digests mean equal
 * projects. The order of siblings and branches is part of it; how siblings of different parents are interleaved is not.
 */
export interface ProjectDigest {
  /** By kind and id: the fingerprint of the record. */
  readonly records: ReadonlyMap<string, string>;
  readonly children: ReadonlyMap<NodeId | null, readonly NodeId[]>;
  readonly branches: readonly string[];
  readonly rawBytes: number;
}

export interface DigestBuilder {
  readonly add: (record: ProjectRecord) => void;
  readonly finish: () => ProjectDigest;
}

export function createDigest(): DigestBuilder {
  const records = new Map<string, string>();
  const children = new Map<NodeId | null, NodeId[]>();
  const branches: string[] = [];
  let rawBytes = 0;
  return {
    add: (record) => {
      records.set(nameOf(record), fingerprint(record));
      if (record.type === 'branch') branches.push(record.value.id);
      if (record.type === 'call' && record.raw) rawBytes += Buffer.byteLength(JSON.stringify(record.raw.payload));
      if (record.type !== 'node') return;
      const siblings = children.get(record.value.parentId);
      if (siblings) siblings.push(record.value.id);
      else children.set(record.value.parentId, [record.value.id]);
    },
    finish: () => ({ records, children, branches, rawBytes }),
  };
}

/** What differs, in words; empty where nothing does. */
export function differences(before: ProjectDigest, after: ProjectDigest): readonly string[] {
  const found: string[] = [];
  for (const [name, hash] of before.records) {
    const other = after.records.get(name);
    if (other === undefined) found.push(`${name} is missing`);
    else if (other !== hash) found.push(`${name} is different`);
  }
  for (const name of after.records.keys()) if (!before.records.has(name)) found.push(`${name} is new`);
  if (!sameList(before.branches, after.branches)) found.push('the branches are in another order');
  for (const [parent, ids] of before.children) {
    const others = after.children.get(parent) ?? [];
    if (ids.length === others.length && !sameList(ids, others)) {
      found.push(`the children of ${parent === null ? 'the root' : `node ${parent}`} are in another order`);
    }
  }
  return found;
}

export function nameOf(record: ProjectRecord): string {
  if (record.type === 'rendering') return `rendering ${JSON.stringify([record.value.nodeId, record.value.key])}`;
  if (record.type === 'foreign') return `foreign document ${record.value.name}`;
  if (record.type === 'annotation') return `annotation ${annotationKey(record.value)}`;
  return `${record.type} ${record.value.id}`;
}

/** Blocks and raw count to the letter, including the order of their keys; the fields of an entity have no order. */
function fingerprint(record: ProjectRecord): string {
  const hash = createHash('sha256');
  if (record.type === 'node') {
    const { contentBlocks, ...fields } = record.value;
    hash.update(stableStringify(fields)).update(JSON.stringify(contentBlocks));
  } else if (record.type === 'call') {
    hash.update(stableStringify(record.value));
    if (record.raw) {
      const { payload, ...envelope } = record.raw;
      hash.update(stableStringify(envelope)).update(JSON.stringify(payload));
    }
  } else if (record.type === 'foreign') {
    const { value, ...fields } = record.value;
    hash.update(stableStringify(fields)).update(JSON.stringify(value));
  } else hash.update(stableStringify(record.value));
  return hash.digest('base64');
}

const sameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((value, index) => value === b[index]);
