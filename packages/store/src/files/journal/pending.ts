import type { FileChange } from './change.ts';

/**
 * Durable changes that are not in the files yet, in order and merged: a file that changes ten times is written once.
 */
export interface Pending {
  readonly add: (changes: readonly FileChange[]) => void;
  /** What the file will hold: a text, null for a file that will be removed, undefined where nothing is pending. */
  readonly read: (path: string) => string | null | undefined;
  readonly take: () => readonly FileChange[];
  readonly isEmpty: () => boolean;
}

export function createPending(): Pending {
  let changes = new Map<string, FileChange>();
  // Where the pending appends of a file end. Kept as a running total: recounting the text for every line would be
  // quadratic.
  let ends = new Map<string, number>();

  function add(change: FileChange): void {
    const before = changes.get(change.path);
    // Deleted and set again, so that the map is ordered by the newest changes.
    changes.delete(change.path);
    if (change.type === 'removeTree') {
      for (const path of changes.keys()) if (path.startsWith(`${change.path}/`)) changes.delete(path);
    }
    if (change.type === 'append') {
      const follows = before?.type === 'append' && ends.get(change.path) === change.offset;
      changes.set(change.path, follows ? { ...before, text: before.text + change.text } : change);
      ends.set(change.path, change.offset + Buffer.byteLength(change.text));
    } else changes.set(change.path, change);
  }

  return {
    add: (added) => {
      for (const change of added) add(change);
    },
    read: (path) => {
      const change = changes.get(path);
      if (change?.type === 'put') return change.text;
      return change?.type === 'delete' ? null : undefined;
    },
    take: () => {
      const taken = [...changes.values()];
      changes = new Map();
      ends = new Map();
      return taken;
    },
    isEmpty: () => changes.size === 0,
  };
}
