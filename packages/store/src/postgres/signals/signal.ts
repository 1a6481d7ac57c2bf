import { isPlainObject, projectId, turnId } from '@bough/core';
import type { StoreSignal } from '../../store.ts';

/** A payload is limited to 8,000 bytes; a signal names things and never carries them. */
export function writeSignal(signal: StoreSignal): string {
  return JSON.stringify(signal);
}

/** Null for anything that is not a signal: the channel belongs to the database, and another program may use it. */
export function readSignal(payload: string): StoreSignal | null {
  let value: unknown;
  try {
    value = JSON.parse(payload);
  } catch {
    return null;
  }
  if (!isPlainObject(value)) return null;
  const { type, projectId: project, turnId: turn, seq } = value;
  if (typeof project !== 'string') return null;
  if (type === 'changed')
    return { type, projectId: projectId(project), ...(typeof turn === 'string' ? { turnId: turnId(turn) } : {}) };
  if (typeof turn !== 'string') return null;
  const ids = { projectId: projectId(project), turnId: turnId(turn) };
  if (type === 'watching' || type === 'interrupt') return { type, ...ids };
  if (type !== 'progress' || typeof seq !== 'number') return null;
  return { type, ...ids, seq };
}
