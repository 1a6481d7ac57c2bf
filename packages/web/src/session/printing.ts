import { useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';

let printing = false;
const listeners = new Set<() => void>();

function set(next: boolean): void {
  if (printing === next) return;
  printing = next;
  // At once: a browser prints what is in the page when its own event has been handled.
  flushSync(() => {
    for (const listener of listeners) listener();
  });
}

window.addEventListener('beforeprint', () => set(true));
window.addEventListener('afterprint', () => set(false));

window.addEventListener('keydown', (event) => {
  const isPrint = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key === 'p';
  if (!isPrint || document.querySelector('.conversation .turns') === null) return;
  event.preventDefault();
  void printConversation();
});

/** Whether the page is being printed: then everything that is loaded is in it, not only what is on the screen. */
export function useIsPrinting(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => printing,
  );
}

const PATIENCE_MS = 10_000;
const LOOK_EVERY_MS = 50;

/** Prints the conversation once everything in it is formatted, which the browser's own command does not wait for. */
export async function printConversation(): Promise<void> {
  // The menu or palette that this was chosen from is on its way out.
  await pause(LOOK_EVERY_MS);
  set(true);
  const until = performance.now() + PATIENCE_MS;
  do await pause(LOOK_EVERY_MS);
  while (document.querySelector('.conversation .prose .plain') !== null && performance.now() < until);
  try {
    window.print();
  } finally {
    set(false);
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
