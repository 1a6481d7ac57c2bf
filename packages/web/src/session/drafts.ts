import { useSyncExternalStore } from 'react';

/** What was written but not sent, per branch. Survives a reload. */
const key = (project: string, branch: string): string => `bough.draft.${project}.${branch}`;

export function readDraft(project: string, branch: string): string {
  try {
    return localStorage.getItem(key(project, branch)) ?? '';
  } catch (error) {
    if (error instanceof DOMException) return '';
    throw error;
  }
}

export function writeDraft(project: string, branch: string, text: string): void {
  try {
    if (text === '') localStorage.removeItem(key(project, branch));
    else localStorage.setItem(key(project, branch), text);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
  for (const listener of listeners) listener();
}

const listeners = new Set<() => void>();

/** The draft as it is being written, for panels next to the composer. */
export function useDraft(project: string, branch: string): string {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => readDraft(project, branch),
  );
}
