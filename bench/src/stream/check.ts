import type { Received } from './dialects.ts';

/** Every stream is complete and, if the words are known beforehand, says exactly those words. */
export function checkReceived(
  name: string,
  received: readonly Received[],
  streams: number,
  expected?: Pick<Received, 'thinking' | 'text'>,
): void {
  if (received.length !== streams) throw new Error(`${name}: ${received.length} of ${streams} streams arrived.`);
  for (const { whole, thinking, text } of received) {
    if (!whole) throw new Error(`${name}: a stream ended before its end.`);
    if (expected !== undefined && (thinking !== expected.thinking || text !== expected.text))
      throw new Error(`${name}: a client was told other words than the provider said.`);
  }
}
