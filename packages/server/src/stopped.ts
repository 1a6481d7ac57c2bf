import { BoughError } from '@bough/core';

/** The start was told to stop before it was complete. Everything has been released. */
export class StoppedError extends BoughError {
  constructor() {
    super('stopped', 'Stopped before it had started.');
  }
}

/** What is opened, unless the signal comes first; then a late arrival is closed as soon as it is there. */
export async function orStopped<Opened>(
  opening: Promise<Opened>,
  signal: AbortSignal,
  close: (opened: Opened) => Promise<void>,
): Promise<Opened> {
  let stop: () => void = () => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(new StoppedError());
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([opening, stopped]);
  } catch (error) {
    if (error instanceof StoppedError) {
      // What could not be opened needs no closing.
      void opening.then(close).catch(() => undefined);
    }
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
