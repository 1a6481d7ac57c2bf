// What other parts of the page tell the conversation that is on the screen.

type Listener = () => void;

function createBell() {
  const listeners = new Set<Listener>();
  return {
    ring: () => {
      for (const listener of listeners) listener();
    },
    on: (listener: Listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

/** The reader wants to ask about the marked words. */
export const askAboutWords = createBell();
/** Something grows beside the words that are being read: they stay where they are. */
export const stayHere = createBell();
