import type { TrashEntryView } from '@bough/api/client';
import { queryOptions } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { client } from './client.ts';
import { queryClient } from './queries.ts';

export const trashQuery = queryOptions({ queryKey: ['trash'], queryFn: () => client.listTrash() });

/** What was deleted on this page a moment ago, and can be undone where the reader looks. */
export interface Undoable {
  readonly trashId: string;
  /** What was deleted together with it: several projects at once. */
  readonly more?: readonly string[];
  readonly kind: TrashEntryView['kind'];
  /** The name of the branch or project. */
  readonly name?: string;
  readonly messages?: number;
  /** Several branches at once, each with an answer to the same message. */
  readonly answers?: number;
  /** A question about words of a reply: whoever deleted its note stays where they are. */
  readonly isQuestion?: true;
}

/** Long enough to notice a mistake. After that there is the trash. */
const SHOWN_MS = 20_000;

let offered: Undoable | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function set(next: Undoable | null): void {
  clearTimeout(timer);
  offered = next;
  if (next !== null) timer = setTimeout(() => set(null), SHOWN_MS);
  for (const listener of listeners) listener();
}

/** A newer deletion takes the place of the one before: that one is in the trash. */
export function offerUndo(undoable: Undoable): void {
  set(undoable);
  void queryClient.invalidateQueries({ queryKey: trashQuery.queryKey });
}

export const dismissUndo = (): void => set(null);

export function useUndoable(): Undoable | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => offered,
  );
}

/** Takes the whole of it back; returns the entry that it began with. */
export async function undo({ trashId, more = [] }: Undoable): Promise<TrashEntryView> {
  for (const each of more) await client.restoreTrash(each);
  return restore(trashId);
}

/** Restores an entry; whatever is on the screen may have changed with it. */
export async function restore(trashId: string): Promise<TrashEntryView> {
  const { entry } = await client.restoreTrash(trashId);
  if (offered?.trashId === trashId) set(null);
  await queryClient.invalidateQueries();
  return entry;
}

/** Deletes for good: one entry, or all of them. */
export async function purge(trashId?: string): Promise<void> {
  if (trashId === undefined) await client.emptyTrash();
  else await client.purgeTrash(trashId);
  if (trashId === undefined || offered?.trashId === trashId) set(null);
  await queryClient.invalidateQueries({ queryKey: trashQuery.queryKey });
}
