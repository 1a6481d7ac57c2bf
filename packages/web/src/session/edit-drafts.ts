import { useSyncExternalStore } from 'react';
import { readStored, writeStored } from './stored.ts';

// What a message was changed into and not sent: kept per message, so that neither Esc nor scrolling away (which takes
// the field out of the page) nor a reload loses it.
const keyOf = (nodeId: string): string => `bough.edit.${nodeId}`;
/** Messages whose field is open: scrolled back into view, it is open again. */
const open = new Set<string>();
const listeners = new Set<() => void>();

export function writeEdit(nodeId: string, text: string | null): void {
  writeStored(keyOf(nodeId), text);
  for (const listener of listeners) listener();
}

export const readEdit = (nodeId: string): string | null => readStored(keyOf(nodeId));

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
