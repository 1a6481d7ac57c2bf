import type { ModelNoticeView } from '@bough/api/client';
import { useSyncExternalStore } from 'react';

// What is not known about the model of a branch that was made on this page: said once, on the branch, until the reader
// has taken note of it. It is not stored: who comes back later finds a branch that works.
const notices = new Map<string, readonly ModelNoticeView[]>();
const listeners = new Set<() => void>();
const NONE: readonly ModelNoticeView[] = [];

const keyOf = (projectId: string, branch: string): string => `${projectId} ${branch}`;

function changed(): void {
  for (const listener of listeners) listener();
}

export function tellNotices(projectId: string, branch: string, told: readonly ModelNoticeView[]): void {
  if (told.length === 0) return;
  notices.set(keyOf(projectId, branch), told);
  changed();
}

export function dismissNotices(projectId: string, branch: string): void {
  notices.delete(keyOf(projectId, branch));
  changed();
}

export function useNotices(projectId: string, branch: string): readonly ModelNoticeView[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => notices.get(keyOf(projectId, branch)) ?? NONE,
  );
}
