type Listener = (text: string) => void;
const listeners = new Set<Listener>();
const sentListeners = new Set<() => void>();

/** A message was sent from this page: the view of the conversation scrolls to its end. */
export function tellSent(): void {
  for (const listener of sentListeners) listener();
}

export function onSent(listener: () => void): () => void {
  sentListeners.add(listener);
  return () => {
    sentListeners.delete(listener);
  };
}

/** Puts text into the visible composer. */
export function insertIntoComposer(text: string): void {
  for (const listener of listeners) listener(text);
}

export function onInsert(listener: Listener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

// Which branch's composer gets the keyboard focus as soon as it is in the page. Whoever makes something by a button
// that then disappears would otherwise continue from the top of the page.
let wanted: string | null = null;

export const composerKey = (projectId: string, branch: string): string => `${projectId} ${branch}`;

export function focusComposerOf(projectId: string, branch: string): void {
  wanted = composerKey(projectId, branch);
  takeComposerFocus();
}

/** Gives the wanted composer the focus, if it is there and no dialog holds the focus. Returns whether it did. */
export function takeComposerFocus(): boolean {
  const composer = document.getElementById('composer');
  if (wanted === null || composer?.dataset['branch'] !== wanted) return false;
  if (document.querySelector('[role="dialog"][data-state="open"]') !== null) return false;
  wanted = null;
  composer.focus();
  return true;
}
