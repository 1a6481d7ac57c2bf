import { useSyncExternalStore } from 'react';
import { errorText } from '../view/error-text.ts';
import { wasDeclined } from './over-budget.ts';

// Why the reader's last action was refused. Without this, a button that the server refuses would look broken.
let refusal: string | null = null;
const listeners = new Set<() => void>();

function set(next: string | null): void {
  refusal = next;
  for (const listener of listeners) listener();
}

export const dismissRefusal = (): void => set(null);

/** Does what a reader wants, and reports a failure to them. Returns whether it was done. */
export async function attempt(work: () => Promise<void>): Promise<boolean> {
  set(null);
  try {
    await work();
    return true;
  } catch (error) {
    if (!wasDeclined(error)) set(errorText(error));
    return false;
  }
}

export function useRefusal(): string | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => refusal,
  );
}
