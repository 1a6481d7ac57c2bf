import type { StreamEvent } from '@bough/core';
import { foldToBlocks, rawPayload } from '@bough/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldBody, toContentBlocks } from './index.ts';
import { ClaudeFold } from './fold.ts';
import { eventsIn, fixture, folded, rawOf, STREAMS, stream } from '../testing.ts';

const blocksOf = (name: (typeof STREAMS)[number]) => foldToBlocks(folded(eventsIn(stream(name))));
const stopOf = (events: readonly StreamEvent[]) => events.filter((event) => event.type === 'stop');
const THOUGHT = {
  type: 'thinking',
  thinking: 'The tide table says — naïve 🌊 — “high at six”.',
  signature: 'c2lnLW9uZQ==',
};

describe('anthropic-messages: what a reply holds', () => {
  it('ANT-F1: thinking with its signature, text and a call come out in the order of the provider', () => {
    expect(blocksOf('thinking-and-tool')).toEqual([
      THOUGHT,
      { type: 'text', text: 'I will look it up.' },
      {
        type: 'tool-use',
        id: 'toolu_a',
        name: 'tide_at',
        parameters: { 10: 1, 2: Number('12345678901234567890'), where: 'Köln 🌊' },
      },
    ]);
  });

  it('ANT-F1: a thought whose text is kept back is a thought with an empty text', () => {
    expect(blocksOf('omitted-thinking')).toEqual([
      { type: 'thinking', thinking: '', signature: 'b21pdHRlZA==' },
      { type: 'text', text: 'Six.' },
    ]);
  });

  it('ANT-F2: redacted thinking and citations are kept, citations behind the text that they belong to', () => {
    expect(blocksOf('redacted-and-citations')).toEqual([
      { type: 'redacted_thinking', data: 'cmVkYWN0ZWQ=' },
      { type: 'text', text: 'High water is at six.' },
      {
        type: 'citations',
        citations: [
          { type: 'char_location', cited_text: 'six', document_index: 0, start_char_index: 4, end_char_index: 7 },
        ],
      },
    ]);
  });

  it('ANT-F2: server tools, compaction, fallback and types of the future come whole and in place', () => {
    expect(blocksOf('server-tool').map((block) => block.type)).toEqual([
      'server_tool_use',
      'web_search_tool_result',
      'text',
    ]);
    expect(blocksOf('server-tool')[0]).toEqual({
      type: 'server_tool_use',
      id: 'srvtoolu_1',
      name: 'web_search',
      input: { query: 'tides' },
    });
    expect(blocksOf('unknown-blocks')).toEqual([
      { type: 'compaction', content: 'Before: tides.', encrypted_content: 'ZW5jMg==' },
      { type: 'hologram', depth: 1, note: 'a ship' },
      {
        type: 'fallback',
        from: { model: 'claude-fable-5' },
        to: { model: 'claude-opus-4-8' },
        trigger: { type: 'refusal' },
      },
      { type: 'text', text: 'Here.' },
    ]);
  });

  it('ANT-F3: why it stopped, in the one vocabulary, with what the provider says about a refusal', () => {
    expect(stopOf(folded(eventsIn(stream('server-tool'))))).toEqual([{ type: 'stop', reason: 'pause' }]);
    expect(stopOf(folded(eventsIn(stream('refusal'))))).toEqual([{ type: 'stop', reason: 'refusal' }]);
    expect(blocksOf('refusal').at(-1)).toEqual({
      type: 'refusal',
      category: 'general_harms',
      explanation: 'Not this.',
    });
    const reason = (word: string) =>
      folded([{ data: `{"type":"message_delta","delta":{"stop_reason":"${word}"}}` }]).at(-1);
    expect(reason('model_context_window_exceeded')).toEqual({ type: 'stop', reason: 'context_exceeded' });
    expect(reason('some_day')).toEqual({ type: 'stop', reason: 'unknown' });
  });

  it('ANT-F4: usage adds cached tokens to the input and keeps what later events leave out', () => {
    const usage = folded(eventsIn(stream('thinking-and-tool'))).filter((event) => event.type === 'usage');
    expect(usage.at(-1)).toEqual({
      type: 'usage',
      usage: {
        inputTokens: 3210,
        cachedInputTokens: 3000,
        cacheWriteTokens: 200,
        outputTokens: 57,
        reasoningTokens: 21,
      },
    });
  });

  it('ANT-F13: usage is the sum of all passes, of summaries and advisors too', () => {
    const pass = (type: string, input: number, output: number) => ({
      type,
      input_tokens: input,
      output_tokens: output,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 0,
    });
    const usage = {
      ...pass('message', 50, 7),
      iterations: [pass('compaction', 900, 40), pass('message', 50, 7), pass('advisor_message', 30, 5)],
    };
    const body = JSON.stringify({ id: 'm', content: [], stop_reason: 'end_turn', usage });
    const expected = { inputTokens: 1280, cachedInputTokens: 300, cacheWriteTokens: 0, outputTokens: 52 };
    expect(
      foldBody(body)
        .filter(({ type }) => type === 'usage')
        .at(-1),
    ).toEqual({ type: 'usage', usage: expected });
    const events = [
      { data: JSON.stringify({ type: 'message_start', message: { usage: { input_tokens: 50, output_tokens: 1 } } }) },
      { data: JSON.stringify({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage }) },
    ];
    expect(folded(events).findLast(({ type }) => type === 'usage')).toEqual({ type: 'usage', usage: expected });
  });

  it('ANT-F3: a reply that is a summary ends its turn', () => {
    const body = JSON.stringify({
      id: 'm',
      content: [{ type: 'compaction', content: 'c' }],
      stop_reason: 'compaction',
    });
    expect(foldBody(body).at(-1)).toEqual({ type: 'stop', reason: 'end_turn' });
  });

  it('ANT-F5: a call is whole only with its whole input', () => {
    expect(blocksOf('cut-call').at(-1)).toMatchObject({ type: 'incomplete_tool_use', id: 'toolu_cut' });
    expect(blocksOf('empty-calls')).toEqual([
      { type: 'tool-use', id: 'toolu_now', name: 'now', parameters: {} },
      { type: 'tool-use', id: 'toolu_later', name: 'later', parameters: {} },
    ]);
  });

  it('ANT-F5: a call without input behind which the reply was cut did not want no input', () => {
    expect(blocksOf('call-cut-before-input')).toEqual([
      { type: 'tool-use', id: 'toolu_whole', name: 'now', parameters: {} },
      { type: 'incomplete_tool_use', id: 'toolu_half', name: 'tide_at', json: '' },
    ]);
  });

  it('ANT-F6: a body that was not streamed gives the same blocks, usage and stop', () => {
    const body = fixture('whole-body.json').toString();
    const streamed = folded(eventsIn(stream('thinking-and-tool')));
    expect(foldToBlocks(foldBody(body))).toEqual(foldToBlocks(streamed));
    expect(foldBody(body).findLast((event) => event.type === 'usage')).toEqual(
      streamed.findLast((event) => event.type === 'usage'),
    );
    expect(foldBody(body).at(-1)).toEqual({ type: 'stop', reason: 'tool_use' });
    const raw = rawOf([], { payload: rawPayload('anthropic-messages', [], body) });
    expect(toContentBlocks(raw)).toEqual(foldToBlocks(streamed));
  });
});

describe('anthropic-messages: whatever arrives', () => {
  it('ANT-F7: an error event ends the reply with what came before it', () => {
    const events = folded(eventsIn(stream('error-in-stream')));
    expect(events.slice(-2)).toEqual([
      {
        type: 'error',
        error: { code: 'overloaded', message: 'Overloaded', retryable: true, providerRequestId: 'req_7' },
      },
      { type: 'stop', reason: 'error' },
    ]);
    expect(foldToBlocks(events)).toEqual([
      { type: 'thinking', thinking: 'Let me see.', signature: 'ZXJy' },
      { type: 'text', text: 'It is ' },
    ]);
  });

  it('ANT-F7: events behind the end change nothing', () => {
    const fold = new ClaudeFold();
    const events = eventsIn(stream('omitted-thinking'));
    for (const event of events) fold.push(event);
    expect([...events.flatMap((event) => fold.push(event)), ...fold.end({ type: 'closed' })]).toEqual([]);
  });

  it.each(STREAMS)('ANT-F8: %s: every split of its bytes gives the same events', (name) => {
    const bytes = stream(name);
    const whole = folded(eventsIn(bytes));
    for (let at = 1; at < bytes.length; at += 1) {
      expect(folded(eventsIn(bytes.subarray(0, at), bytes.subarray(at)))).toEqual(whole);
    }
  });

  it.each(STREAMS)('ANT-F9: %s: cut after any event, it is a valid partial with one stop', (name) => {
    const events = eventsIn(stream(name));
    const whole = foldToBlocks(folded(events));
    for (let at = 0; at < events.length; at += 1) {
      for (const outcome of [{ type: 'closed' }, { type: 'aborted' }] as const) {
        const partial = folded(events.slice(0, at), outcome);
        expect(stopOf(partial)).toHaveLength(1);
        expect(partial.at(-1)?.type).toBe('stop');
        expect(partial.filter((event) => event.type === 'error').length).toBeLessThanOrEqual(1);
        const blocks = foldToBlocks(partial);
        // All blocks except the open one equal those of the whole reply.
        expect(blocks.slice(0, -1)).toEqual(whole.slice(0, Math.max(blocks.length - 1, 0)));
      }
    }
  });

  it('ANT-F9: cut after any byte, nothing throws', () => {
    for (const name of STREAMS) {
      const bytes = stream(name);
      for (let at = 0; at < bytes.length; at += 7)
        expect(stopOf(folded(eventsIn(bytes.subarray(0, at))))).toHaveLength(1);
    }
  });

  it('ANT-F10: an event that is not JSON ends the reply; pings, unknown events and odd shapes do not', () => {
    const broken = folded([{ event: 'message_start', data: '{"type":"mess' }, { data: '{"type":"message_stop"}' }]);
    expect(broken).toMatchObject([
      { type: 'error', error: { code: 'malformed' } },
      { type: 'stop', reason: 'error' },
    ]);
    const odd = ['', '[DONE]', '7', 'null', '[]', '{}', '{"type":"ping"}', '{"type":"content_block_delta","delta":7}'];
    expect(
      folded([...odd, '{"type":"message_delta","delta":{"stop_reason":"end_turn"}}'].map((data) => ({ data }))),
    ).toEqual([{ type: 'stop', reason: 'end_turn' }]);
  });

  it('ANT-F10: a delta whose start was lost still counts', () => {
    const events = folded([
      { data: '{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}}' },
      { data: '{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Six."}}' },
      { data: '{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{"}}' },
    ]);
    expect(foldToBlocks(events)).toEqual([
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'Six.' },
      { type: 'unknown', partial_json: '{' },
    ]);
  });

  it('ANT-F11: no sequence of events makes it throw or stop twice', () => {
    const piece = fc.oneof(fc.string(), fc.integer({ min: -1, max: 3 }), fc.constant(null), fc.constant({}));
    const type = fc.constantFrom(
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'error',
      'ping',
      'odd',
    );
    const kind = fc.constantFrom(
      'text',
      'thinking',
      'tool_use',
      'redacted_thinking',
      'x',
      'text_delta',
      'input_json_delta',
    );
    const block = fc.record(
      {
        type: kind,
        text: piece,
        thinking: piece,
        id: piece,
        name: piece,
        input: piece,
        signature: piece,
        data: piece,
        partial_json: piece,
      },
      { requiredKeys: [] },
    );
    const payload = fc.record(
      {
        type,
        index: piece,
        content_block: fc.oneof(block, piece),
        delta: fc.oneof(block, piece),
        message: piece,
        usage: piece,
        error: piece,
      },
      { requiredKeys: ['type'] },
    );
    fc.assert(
      fc.property(fc.array(payload, { maxLength: 12 }), (payloads) => {
        const events = folded(payloads.map((value) => ({ data: JSON.stringify(value) })));
        expect(stopOf(events)).toHaveLength(1);
        expect(() => foldToBlocks(events)).not.toThrow();
      }),
      { numRuns: 1000 },
    );
  });

  it('ANT-F12: what was stored gives the same blocks as what was streamed, also when it broke off', () => {
    for (const name of STREAMS) {
      const events = eventsIn(stream(name));
      expect(toContentBlocks(rawOf(name))).toEqual(foldToBlocks(folded(events)));
      const half = events.slice(0, Math.ceil(events.length / 2));
      expect(toContentBlocks(rawOf(half, { complete: false }))).toEqual(
        foldToBlocks(folded(half, { type: 'aborted' })),
      );
    }
  });
});
