import type { HeartbeatLine, StreamLine } from '@bough/core';

/**
 * Splits a byte stream into NDJSON lines. Characters and lines may be split anywhere; a last line without a line end
 * does not count. The lines are a turn's, unless the caller reads another route's.
 */
export async function* readLines<Line = StreamLine | HeartbeatLine>(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<Line, void> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        // Written by our own server, which sends nothing else.
        if (line !== '') yield JSON.parse(line) as Line;
      }
    }
  } finally {
    // Also reached when the consumer stops early: releases the connection.
    await reader.cancel().catch(() => undefined);
  }
}
