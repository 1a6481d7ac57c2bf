import type { IncomingMessage } from 'node:http';

/** How long a body may stand still. */
const IDLE_MS = 30_000;

/**
 * A body as it arrives. Node gives a whole request one minute, and a large one over a slow line takes longer: while it
 * keeps moving, it is not cut off.
 */
export async function* arriving(
  incoming: IncomingMessage,
  uploading: WeakSet<object>,
  idleMs = IDLE_MS,
): AsyncGenerator<Uint8Array, void, void> {
  const { socket } = incoming;
  let isWaiting = true;
  let lastAt = performance.now();
  const watch = setInterval(() => {
    if (isWaiting && performance.now() - lastAt > idleMs) incoming.destroy(new Error('The request stood still.'));
  }, idleMs / 4);
  watch.unref();
  uploading.add(socket);
  try {
    for await (const piece of incoming as AsyncIterable<Buffer>) {
      isWaiting = false;
      yield piece;
      isWaiting = true;
      lastAt = performance.now();
    }
  } finally {
    clearInterval(watch);
    uploading.delete(socket);
  }
}
