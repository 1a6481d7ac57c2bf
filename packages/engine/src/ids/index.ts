import { branchId, callId, nodeId, projectId, turnId } from '@bough/core';
import { randomUUID } from 'node:crypto';
import type { Ids } from '../environment.ts';

/** How long ids begin with the same byte: roughly the time between two checkpoints of a database. */
const SLOT_MS = 2 ** 18;
const SLOTS = 256;

/**
 * A random UUID whose first byte says roughly when it was made: it advances every four minutes and wraps around after
 * nineteen hours. Ids made together are then close together, in a small part of every index. Fully random ids each land
 * on a different page, and in a large store every one of these pages has to be read and, after each checkpoint, logged
 * as a whole.
 *
 * One byte and no more: people refer to a node by its first eight letters, six of which stay random. Nothing may read
 * the time from it.
 */
export function neighbourlyId(now: number): string {
  const slot = Math.floor(now / SLOT_MS) % SLOTS;
  return slot.toString(16).padStart(2, '0') + randomUUID().slice(2);
}

/** Ids that nobody can guess. */
export const randomIds: Ids = {
  project: () => projectId(randomUUID()),
  branch: () => branchId(neighbourlyId(Date.now())),
  turn: () => turnId(neighbourlyId(Date.now())),
  node: () => nodeId(neighbourlyId(Date.now())),
  call: () => callId(neighbourlyId(Date.now())),
  trash: () => randomUUID(),
  item: () => randomUUID(),
};
