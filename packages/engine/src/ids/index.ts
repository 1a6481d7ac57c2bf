import { branchId, callId, nodeId, projectId, turnId } from '@bough/core';
import { randomUUID } from 'node:crypto';
import type { Ids } from '../environment.ts';

/**
 * How long ids begin with the same byte: about as long as a database keeps what it writes before it takes stock of it.
 */
const SLOT_MS = 2 ** 18;
const SLOTS = 256;

/**
 * A random UUID whose first byte says roughly when it was made: it moves on every four minutes and comes round in
 * nineteen hours. What is made together then lies together, in a small part of every index. Ids that are random from
 * their first letter on land on another page each, and in a large store every one of these pages has to be read and,
 * after each checkpoint, to be logged as a whole.
 *
 * One byte and no more: people call a node by its first eight letters, six of which stay random. Nothing may read the
 * time out of it.
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
};
