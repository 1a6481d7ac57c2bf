import type { StreamLine } from '@bough/core';

const HEARTBEAT_MS = 10_000;
const HEARTBEAT = new TextEncoder().encode('{"type":"heartbeat"}\n');

/**
 * A response body of NDJSON lines. It is pulled: the next line is only taken when the client has room for it, so that a client that does not read holds up
 * nobody and fills no memory. Heartbeats keep quiet connections alive. When the client leaves, only the watching ends.
 */
export function ndjsonBody(
  lines: AsyncGenerator<StreamLine | { readonly type: string }, void>,
  abort: AbortController,
  heartbeatMs = HEARTBEAT_MS,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let pending: Promise<IteratorResult<StreamLine | { readonly type: string }, void>> | null = null;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        pending ??= lines.next();
        const next = await soonOr(pending, heartbeatMs);
        if (next === 'later') {
          controller.enqueue(HEARTBEAT);
          return;
        }
        pending = null;
        if (next.done === true) controller.close();
        else controller.enqueue(encoder.encode(`${JSON.stringify(next.value)}\n`));
      },
      async cancel() {
        abort.abort();
        // The generator is woken by the abort and ends by itself.
        await pending?.catch(() => undefined);
        await lines.return();
      },
    },
    { highWaterMark: 0 },
  );
}

async function soonOr<Value>(work: Promise<Value>, milliseconds: number): Promise<Value | 'later'> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const later = new Promise<'later'>((resolve) => {
    timer = setTimeout(() => resolve('later'), milliseconds);
  });
  try {
    return await Promise.race([work, later]);
  } finally {
    clearTimeout(timer);
  }
}
