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
