/**
 * A response body that is made while it is sent: no faster than the client takes it, and not at all once it is gone.
 * `onEnd` is called once, whichever way it ended, even if nothing was ever read.
 */
export function bytesBody(
  pieces: AsyncGenerator<Uint8Array, void>,
  onEnd: () => Promise<void>,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const next = await pieces.next();
          if (next.done !== true) return controller.enqueue(next.value);
          await onEnd();
          return controller.close();
        } catch (error) {
          await onEnd();
          throw error;
        }
      },
      cancel: async () => {
        await pieces.return();
        await onEnd();
      },
    },
    { highWaterMark: 0 },
  );
}
