import { useSyncExternalStore } from 'react';
import { readStored, storedKeys, writeStored } from './stored.ts';
import { thisTab } from './tab.ts';

// What a message was changed into and not sent: kept per message, so that neither Esc nor scrolling away (which takes
// the field out of the page) nor a reload loses it. Each tab keeps its own: two that change the same message would
// overwrite each other.
const keyOf = (nodeId: string): string => `bough.edit.${nodeId}`;
const ownKeyOf = (nodeId: string): string => `${keyOf(nodeId)}.${thisTab}`;
/** Messages whose field is open: scrolled back into view, it is open again. */
const open = new Set<string>();
const listeners = new Set<() => void>();

/**
 * Keeps what a message was changed into, or nothing. `from` is what this tab showed before: where a tab that was closed
 * left the same words, they are taken over from it, and what another tab wrote instead stays.
 */
export function writeEdit(nodeId: string, text: string | null, from: string | null): void {
  for (const key of storedKeys(keyOf(nodeId)))
    if (key === ownKeyOf(nodeId) || readStored(key) === from) writeStored(key, null);
  if (text !== null) writeStored(ownKeyOf(nodeId), text);
  for (const listener of listeners) listener();
}

/** What this tab keeps, or else what another one left behind. */
export function readEdit(nodeId: string): string | null {
  return readStored(ownKeyOf(nodeId)) ?? storedKeys(keyOf(nodeId)).map(readStored)[0] ?? null;
}

/** The unsent change of a message, or null. */
export function useEdit(nodeId: string): string | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => readEdit(nodeId),
  );
}

export const isEditOpen = (nodeId: string): boolean => open.has(nodeId);

export function setEditOpen(nodeId: string, isOpen: boolean): void {
  if (isOpen) open.add(nodeId);
  else open.delete(nodeId);
}
