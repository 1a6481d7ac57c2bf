import type { StreamLine } from '@bough/core';

const HEARTBEAT_MS = 10_000;
const HEARTBEAT = new TextEncoder().encode('{"type":"heartbeat"}\n');

type Line = StreamLine | { readonly type: string };

/**
 * A response body of NDJSON lines. It is pulled: the next lines are taken only when the client has room for them, so
 * that a client that does not read holds up nobody and fills no memory. Lines that arrive together leave together.
 * Heartbeats keep quiet connections alive. When the client leaves, only the watching ends.
 */
export function ndjsonBody(
  lines: AsyncGenerator<readonly Line[], void>,
  abort: AbortController,
  heartbeatMs = HEARTBEAT_MS,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let pending: Promise<void> | null = null;
  let quiet = true;
  let pulse: ReturnType<typeof setInterval> | undefined;
  let beat: (() => void) | null = null;

  const takeNext = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    try {
      const next = await lines.next();
      quiet = false;
      if (next.done !== true) return controller.enqueue(encoder.encode(textOf(next.value)));
      clearInterval(pulse);
      controller.close();
    } catch (error) {
      // Reported to the stream itself: the pull that started this may have been satisfied by a heartbeat long ago.
      clearInterval(pulse);
      controller.error(error);
    } finally {
      pending = null;
    }
  };

  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        // One timer for the whole stream: a timer and a race for every line would cost more than the line.
        pulse = setInterval(() => {
          if (quiet && beat !== null) {
            controller.enqueue(HEARTBEAT);
            beat();
          }
          quiet = true;
        }, heartbeatMs).unref();
        // The first lines are taken at once: a watcher from the beginning is told everything and need not read the log.
        pending = takeNext(controller);
      },
      pull: (controller) =>
        new Promise<void>((resolve) => {
          beat = resolve;
          pending ??= takeNext(controller);
          void pending.then(resolve);
        }).finally(() => (beat = null)),
      cancel: async () => {
        clearInterval(pulse);
        abort.abort();
        // The generator is woken by the abort and ends by itself.
        await pending;
        await lines.return();
      },
    },
    { highWaterMark: 0 },
  );
}

function textOf(lines: readonly Line[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
