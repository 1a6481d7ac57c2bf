import { isPlainObject } from '@bough/core';
import { readStored, storedKeys, writeStored } from './stored.ts';
import { thisTab } from './tab.ts';

/** What was written into the canvas of a branch and not saved, on top of the version that it began with. */
export interface CanvasDraft {
  readonly text: string;
  readonly on: string | null;
}

// Neither leaving the page nor a reload loses it. Each tab keeps its own: two that write at the same time would
// overwrite each other.
const keyOf = (branchId: string): string => `bough.canvas.${branchId}`;
const ownKeyOf = (branchId: string): string => `${keyOf(branchId)}.${thisTab}`;

/** What this tab keeps, or else what another one left behind. */
export function readCanvasDraft(branchId: string): CanvasDraft | null {
  const stored = readStored(ownKeyOf(branchId)) ?? storedKeys(keyOf(branchId)).map(readStored)[0] ?? null;
  return stored === null ? null : parsed(stored);
}

/**
 * Keeps it, or nothing. `from` is what this tab showed before: where a tab that was closed left the same, it is taken
 * over from it, and what another tab wrote instead stays.
 */
export function writeCanvasDraft(branchId: string, draft: CanvasDraft | null, from: CanvasDraft | null): void {
  const before = from === null ? null : JSON.stringify(from);
  for (const key of storedKeys(keyOf(branchId)))
    if (key === ownKeyOf(branchId) || readStored(key) === before) writeStored(key, null);
  if (draft !== null) writeStored(ownKeyOf(branchId), JSON.stringify(draft));
}

/** What somebody changed by hand is nothing. */
function parsed(stored: string): CanvasDraft | null {
  try {
    const value: unknown = JSON.parse(stored);
    if (!isPlainObject(value)) return null;
    const { text, on } = value;
    return typeof text === 'string' && (on === null || typeof on === 'string') ? { text, on } : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
