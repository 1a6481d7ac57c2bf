type Listener = (text: string) => void;
const listeners = new Set<Listener>();

/** Puts text into the composer that is on the screen. */
export function insertIntoComposer(text: string): void {
  for (const listener of listeners) listener(text);
}

export function onInsert(listener: Listener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
