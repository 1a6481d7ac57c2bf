import type { StreamEvent } from '@bough/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../errors/index.ts';
import { protocolById } from '../../protocols/index.ts';
import type { ReplyListener } from './index.ts';
import { listenToReply } from './index.ts';

const ISSUER = { provider: 'p', deployment: 'd', model: 'm' };

function listen(contentType = 'text/event-stream'): ReplyListener {
  const protocol = protocolById('anthropic-messages');
  return listenToReply({ protocol, issuer: ISSUER, contentType, redact: createRedactor([]), now: () => 'now' });
}

const event = (data: Readonly<Record<string, unknown>>): string =>
  `event: ${String(data['type'])}\ndata: ${JSON.stringify(data)}\n\n`;
const STREAM = [
  event({ type: 'message_start', message: { id: 'msg', model: 'm', usage: { input_tokens: 1, output_tokens: 1 } } }),
  event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
  event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Grüße, 🌳 ' } }),
  event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'und mehr.' } }),
  event({ type: 'content_block_stop', index: 0 }),
  event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } }),
  event({ type: 'message_stop' }),
].join('');
const BODY = JSON.stringify({
  type: 'message',
  id: 'msg',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'Grüße, 🌳 und mehr.' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 9 },
});

const textOf = (events: readonly StreamEvent[]): string =>
  events.map((each) => (each.type === 'text' ? each.text : '')).join('');

/** Hears bytes that were torn at these places. */
function hear(
  listener: ReplyListener,
  bytes: Uint8Array,
  cuts: readonly number[],
): { text: string; events: StreamEvent[] } {
  const heard = { text: '', events: [] as StreamEvent[] };
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
  places.slice(1).forEach((to, at) => {
    const batch = listener.take(bytes.subarray(places[at], to));
    heard.text += batch?.text ?? '';
    heard.events.push(...(batch?.events ?? []));
  });
  return heard;
}

describe('a reply that somebody else asked for', () => {
  it('TRN-20: means the same however its bytes are torn, and is kept to the byte', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 30 }), (cuts) => {
        const listener = listen();
        const { text, events } = hear(listener, Buffer.from(STREAM), cuts);
        expect(listener.stopped()).toBe(true);
        const last = listener.end({ type: 'closed' });
        expect(text + last.map((each) => each.text).join('')).toBe(STREAM);
        const all = [...events, ...last.flatMap((each) => each.events)];
        expect(textOf(all)).toBe('Grüße, 🌳 und mehr.');
        expect(all.at(-1)).toEqual({ type: 'stop', reason: 'end_turn' });
        expect(listener.raw()).toMatchObject({ complete: true, capturedAt: 'now' });
      }),
    );
  });

  it('TRN-20: one that was not streamed is known when it is whole, white space before it included', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 10 }), fc.constantFrom('', '\n', ' \n '), (cuts, before) => {
        const listener = listen('application/json');
        hear(listener, Buffer.from(before + BODY), cuts);
        const [last] = listener.end({ type: 'closed' });
        expect(last?.text).toBe(before + BODY);
        expect(textOf(last?.events ?? [])).toBe('Grüße, 🌳 und mehr.');
        expect(listener.raw().payload).toEqual({ response: before + BODY });
      }),
    );
  });

  it('TRN-20: what breaks off is kept as far as it came, and said to be incomplete', () => {
    for (const outcome of ['aborted', 'failed'] as const) {
      const listener = listen();
      const half = STREAM.slice(0, STREAM.indexOf('und mehr'));
      const { events } = hear(listener, Buffer.from(half), [10, 200]);
      const error = { code: 'network', message: 'Gone.', retryable: true } as const;
      const last = listener.end(outcome === 'failed' ? { type: outcome, error } : { type: outcome });
      const all = [...events, ...last.flatMap((each) => each.events)];
      expect(textOf(all)).toBe('Grüße, 🌳 ');
      expect(all.at(-1)).toMatchObject({ type: 'stop', reason: outcome === 'failed' ? 'error' : 'interrupted' });
      expect(listener.raw().complete).toBe(false);
    }
  });

  it('TRN-20: nothing at all is a reply that did not come', () => {
    expect(
      listen()
        .end({ type: 'aborted' })
        .flatMap(({ events }) => events),
    ).toEqual([{ type: 'stop', reason: 'interrupted' }]);
  });
});
