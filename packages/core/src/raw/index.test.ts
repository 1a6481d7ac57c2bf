import { describe, expect, it } from 'vitest';
import type { ProtocolId, RawPayload } from './index.ts';
import { bodyOfRaw, eventsOfRaw, rawPayload } from './index.ts';

const exact = '{"n":1.0,"b":2,"a":1e2}';

describe('raw payloads', () => {
  it.each<[ProtocolId, RawPayload]>([
    ['anthropic-messages', [{ event: 'ping', data: exact }]],
    ['openai-chat', [exact]],
    ['openai-responses', { events: [{ event: 'ping', data: exact }], response: null }],
    ['gemini', { stream: [exact], response: null }],
  ])('RW-1: %s keeps its own shape and every data string exactly', (api, shape) => {
    const payload = rawPayload(api, [{ event: 'ping', data: exact }]);
    expect(payload).toEqual(shape);
    expect(eventsOfRaw({ payload }).map((event) => event.data)).toEqual([exact]);
    expect(bodyOfRaw({ payload })).toBeNull();
  });

  it.each<ProtocolId>(['anthropic-messages', 'openai-chat', 'openai-responses', 'gemini'])(
    'RW-2: the body of a %s reply that was not streamed is kept exactly',
    (api) => {
      const payload = rawPayload(api, [], exact);
      expect(bodyOfRaw({ payload })).toBe(exact);
      expect(eventsOfRaw({ payload })).toEqual([]);
    },
  );

  it('RW-3: parsed objects of older data are read as JSON', () => {
    const payload = [
      { event: 'message_stop', data: { type: 'message_stop' } },
      { id: 'chunk' },
    ] as unknown as RawPayload;
    expect(eventsOfRaw({ payload })).toEqual([
      { event: 'message_stop', data: '{"type":"message_stop"}' },
      { data: '{"id":"chunk"}' },
    ]);
    const older = { stream: [], response: { text: 'x' } } as unknown as RawPayload;
    expect(bodyOfRaw({ payload: older })).toBe('{"text":"x"}');
  });
});
