import type { RawEvent, StreamEvent } from '@bough/core';
import { deriveTextFromBlocks, deriveThinkingFromBlocks, ReplyFold } from '@bough/core';
import { createParser } from 'eventsource-parser';
import { describe, expect, test } from 'vitest';
import { call, ISSUER, message, rawEvent, rawOf, reasoning, responseOf, sseText, streamOf } from '../testing.ts';
import { openaiResponses } from '../index.ts';

function fold(events: readonly RawEvent[], outcome: 'closed' | 'aborted' = 'closed'): readonly StreamEvent[] {
  const running = openaiResponses.createFold(ISSUER);
  return [...events.flatMap((event) => running.push(event)), ...running.end({ type: outcome })];
}

function reply(events: readonly StreamEvent[]): ReturnType<ReplyFold['result']> {
  const folded = new ReplyFold();
  for (const event of events) folded.push(event);
  return folded.result();
}

const stops = (events: readonly StreamEvent[]): number => events.filter(({ type }) => type === 'stop').length;

const EVERYTHING = [
  reasoning('a', ['Look at the *question*.', 'Decide on a search.']),
  { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'boughs' } },
  reasoning('b', [], 'gAAAA-only-this'),
  message('c', 'Let me count — zwei 你好 👩‍💻.', { phase: 'commentary' }),
  call('d', 'add', '{"a": 1.0, "b": 12345678901234567890}'),
  call('e', 'add', '{}'),
];

describe('reasoning', () => {
  test('OAR-F2: the parts of a summary are one thought, signed by the final encrypted content', () => {
    const blocks = reply(
      fold(streamOf([reasoning('a', ['First.', 'Second.'], 'gAAAA-final'), message('b', 'Yes.')])),
    ).blocks;
    expect(blocks).toEqual([
      { type: 'thinking', thinking: 'First.\n\nSecond.', signature: 'gAAAA-final' },
      { type: 'text', text: 'Yes.' },
    ]);
  });

  test('OAR-F2: a stream that breaks before the item is whole has no signature, though one was announced', () => {
    const events = streamOf([reasoning('a', ['First.'], 'gAAAA-final')]);
    const beforeDone = events.findIndex(({ event }) => event === 'response.output_item.done');
    expect(reply(fold(events.slice(0, beforeDone))).blocks).toEqual([{ type: 'thinking', thinking: 'First.' }]);
  });

  test('OAR-F2: encrypted content that only the finished response has is read there', () => {
    const silent = reasoning('a', ['First.'], null);
    const response = responseOf([reasoning('a', ['First.'], 'gAAAA-late')]);
    expect(reply(fold(streamOf([silent], { response }))).blocks).toEqual([
      { type: 'thinking', thinking: 'First.', signature: 'gAAAA-late' },
    ]);
  });

  test('OAR-F2: plain reasoning text of open weights is a thought', () => {
    const open = {
      id: 'rs_1',
      type: 'reasoning',
      summary: [],
      content: [{ type: 'reasoning_text', text: 'Two and two.' }],
    };
    expect(reply(fold(streamOf([open]))).blocks).toEqual([{ type: 'thinking', thinking: 'Two and two.' }]);
  });

  test('OAR-F3: encrypted content without a text stands alone', () => {
    expect(reply(fold(streamOf([reasoning('a', [], 'gAAAA-x')]))).blocks).toEqual([
      { type: 'thinking_signature', signature: 'gAAAA-x' },
    ]);
  });

  test('OAR-F3: reasoning that shows nothing at all does not vanish', () => {
    const item = reasoning('a', [], null);
    expect(reply(fold(streamOf([item, message('b', 'Yes.')]))).blocks).toEqual([item, { type: 'text', text: 'Yes.' }]);
  });
});

describe('messages', () => {
  test('OAR-F4: each text part is a block, citations and strange parts stand behind their text', () => {
    const annotations = [{ type: 'url_citation', url: 'https://example.org', start_index: 0, end_index: 3 }];
    const item = message('a', '', {
      content: [
        { type: 'output_text', text: 'One', annotations },
        { type: 'output_audio', transcript: 'hum' },
        { type: 'output_text', text: 'Two', annotations: [] },
      ],
    });
    expect(openaiResponses.toContentBlocks(rawOf(streamOf([item], { deltas: false })))).toEqual([
      { type: 'text', text: 'One' },
      { type: 'annotations', annotations },
      { type: 'output_audio', transcript: 'hum' },
      { type: 'text', text: 'Two' },
    ]);
  });

  test('OAR-F4: a refusal is a block of its own and the reason of the end', () => {
    const item = message('a', '', { content: [{ type: 'refusal', refusal: 'I will not.' }] });
    const result = reply(fold(streamOf([item])));
    expect(result.blocks).toEqual([{ type: 'refusal', refusal: 'I will not.' }]);
    expect(result.stop).toBe('refusal');
  });

  test('OAR-F4: a refusal that broke off is kept as far as it came', () => {
    const events = streamOf([message('a', '', { content: [{ type: 'refusal', refusal: 'I will not.' }] })]);
    const blocks = reply(fold(events.slice(0, 5))).blocks;
    expect(blocks).toEqual([{ type: 'refusal', refusal: 'I will' }]);
  });

  test('OAR-F4: a phase other than the final answer is visible', () => {
    expect(reply(fold(streamOf([message('a', 'Wait.', { phase: 'commentary' })]))).blocks).toEqual([
      { type: 'text', text: 'Wait.' },
      { type: 'message_phase', phase: 'commentary' },
    ]);
    expect(reply(fold(streamOf([message('a', 'Done.', { phase: 'final_answer' })]))).blocks).toEqual([
      { type: 'text', text: 'Done.' },
    ]);
  });
});

describe('calls', () => {
  test('OAR-F5: parallel calls keep their order, and their arguments as the text that came', () => {
    const events = fold(streamOf([call('a', 'add', '{"a": 1.0}'), call('b', 'mul', '{"n": 12345678901234567890}')]));
    expect(reply(events).blocks).toEqual([
      { type: 'tool-use', id: 'call_a', name: 'add', parameters: { a: 1 } },
      { type: 'tool-use', id: 'call_b', name: 'mul', parameters: { n: Number('12345678901234567890') } },
    ]);
    const json = events.flatMap((event) => (event.type === 'tool_call_delta' && event.index === 1 ? [event.json] : []));
    expect(json.join('')).toBe('{"n": 12345678901234567890}');
    expect(reply(events).stop).toBe('tool_use');
  });

  test.each([
    ['cut JSON', call('a', 'add', '{"a": 1')],
    ['no object', call('a', 'add', '[1]')],
    ['an incomplete item', call('a', 'add', '{"a": 1}', { status: 'incomplete' })],
  ])('OAR-F5: a call with %s is not whole: nobody executes it', (_, item) => {
    const events = fold(streamOf([item]));
    expect(events.some(({ type }) => type === 'tool_call')).toBe(false);
    expect(reply(events).blocks).toEqual([
      { type: 'incomplete_tool_use', id: 'call_a', name: 'add', json: item['arguments'] },
    ]);
    expect(reply(events).stop).toBe('end_turn');
  });

  test('OAR-F5: a reply that calls and then speaks waits for the result of its call', () => {
    expect(reply(fold(streamOf([call('a', 'add', '{}'), message('b', 'Calling.')]))).stop).toBe('tool_use');
  });

  test('OAR-F5: a call without arguments is a call', () => {
    expect(reply(fold(streamOf([call('a', 'now', '')]))).blocks).toEqual([
      { type: 'tool-use', id: 'call_a', name: 'now', parameters: {} },
    ]);
  });
});

describe('other items', () => {
  test('OAR-F6: tools of the provider and items of tomorrow stand whole in their places', () => {
    const search = { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'x' } };
    const strange = { id: 'zz_1', type: 'hologram', frames: [1, 2, { deep: true }] };
    const nameless = { id: 'zz_2', frames: [] };
    expect(reply(fold(streamOf([search, message('a', 'So.'), strange, nameless]))).blocks).toEqual([
      search,
      { type: 'text', text: 'So.' },
      strange,
      { type: 'unknown_item', item: nameless },
    ]);
  });

  test('OAR-F6: what was announced of an item that broke off is kept', () => {
    const search = { id: 'ws_1', type: 'web_search_call', status: 'completed' };
    expect(reply(fold(streamOf([search]).slice(0, 3))).blocks).toEqual([{ ...search, status: 'in_progress' }]);
  });
});

describe('calls of other kinds', () => {
  const custom = {
    id: 'ctc_1',
    type: 'custom_tool_call',
    status: 'completed',
    call_id: 'call_1',
    name: 'sql',
    input: 'x',
  };
  const shell = {
    id: 'sh_1',
    type: 'shell_call',
    status: 'completed',
    call_id: 'call_2',
    action: { commands: ['ls'] },
    environment: { type: 'local' },
  };

  test('OAR-F11: what the client must run is a call, whatever the tool is', () => {
    const operation = { type: 'delete_file', path: 'a' };
    const patch = { id: 'apc_1', type: 'apply_patch_call', status: 'completed', call_id: 'call_3', operation };
    const folded = reply(fold(streamOf([custom, shell, patch])));
    expect(folded.blocks).toEqual([
      { type: 'tool-use', id: 'call_1', name: 'sql', parameters: { input: 'x' } },
      { type: 'tool-use', id: 'call_2', name: 'shell', parameters: { commands: ['ls'] } },
      { type: 'tool-use', id: 'call_3', name: 'apply_patch', parameters: operation },
    ]);
    expect(folded.stop).toBe('tool_use');
  });

  test('OAR-F11: a shell or a search that the provider runs itself is no call', () => {
    const hosted = { ...shell, environment: { type: 'container_reference', container_id: 'cntr_1' } };
    const search = { id: 'tsc_1', type: 'tool_search_call', execution: 'server', arguments: {}, call_id: null };
    expect(reply(fold(streamOf([hosted, search])))).toMatchObject({ blocks: [hosted, search], stop: 'end_turn' });
  });

  test('OAR-F11: one that broke off is kept as it was announced, and never run', () => {
    expect(reply(fold(streamOf([custom]).slice(0, 3))).blocks).toEqual([{ ...custom, status: 'in_progress' }]);
    const cut = { ...custom, status: 'incomplete' };
    expect(reply(fold(streamOf([cut]))).blocks).toEqual([cut]);
  });
});

describe('servers that differ', () => {
  test('OAR-F7: without deltas, or with nothing but the finished response, the reply is the same', () => {
    const whole = reply(fold(streamOf(EVERYTHING))).blocks;
    expect(reply(fold(streamOf(EVERYTHING, { deltas: false }))).blocks).toEqual(whole);
    const last = streamOf(EVERYTHING).at(-1);
    expect(reply(fold(last === undefined ? [] : [last])).blocks).toEqual(whole);
  });

  test('OAR-F7: a finished response without its output adds nothing and takes nothing away', () => {
    const whole = reply(fold(streamOf(EVERYTHING))).blocks;
    expect(reply(fold(streamOf(EVERYTHING, { response: responseOf([]) }))).blocks).toEqual(whole);
  });

  test('OAR-F1: another item id in every event changes nothing', () => {
    const rotated = streamOf(EVERYTHING).map(({ event, data }, index) => ({
      ...(event !== undefined && { event }),
      data: data.replaceAll(/"(item_id|id)":"(rs|msg|fc|ws)_\w+"/g, `"$1":"rotated-${index}"`),
    }));
    const blocks = reply(fold(rotated)).blocks.map(({ type }) => type);
    expect(blocks).toEqual(reply(fold(streamOf(EVERYTHING))).blocks.map(({ type }) => type));
  });

  test('OAR-F1: items that overlap stand in the order in which they were opened', () => {
    const [created, , open, ...rest] = streamOf([reasoning('a', ['Think.']), message('b', 'Say.')]);
    const middle = rest.splice(0, 2);
    const tail = rest.pop();
    const late = [created, open, ...rest, ...middle, tail].filter((event) => event !== undefined);
    expect(reply(fold(late)).blocks).toEqual([
      { type: 'thinking', thinking: 'Think.', signature: 'gAAAA-a' },
      { type: 'text', text: 'Say.' },
    ]);
  });

  test('OAR-F1: a server that gives every item the same index loses none of them', () => {
    const wrong = streamOf([message('a', 'One.'), message('b', 'Two.'), call('c', 'add', '{}')]).map(({ data }) => ({
      data: data.replaceAll(/"output_index":\d/g, '"output_index":0'),
    }));
    expect(reply(fold(wrong)).blocks).toEqual([
      { type: 'text', text: 'One.' },
      { type: 'text', text: 'Two.' },
      { type: 'tool-use', id: 'call_c', name: 'add', parameters: {} },
    ]);
  });
});

describe('the end', () => {
  test('OAR-F8: usage in one form, and the start with id and model', () => {
    const events = fold(streamOf([message('a', 'Hi.')]));
    expect(events[0]).toEqual({ type: 'start', responseId: 'resp_1', model: 'gpt-5.5-2026-04-23' });
    expect(reply(events).usage).toEqual({
      inputTokens: 20,
      cachedInputTokens: 4,
      cacheWriteTokens: 2,
      outputTokens: 9,
      reasoningTokens: 5,
    });
  });

  test.each([
    ['max_output_tokens', 'max_tokens'],
    ['content_filter', 'refusal'],
    ['steered', 'interrupted'],
    ['max_messages', 'unknown'],
  ])('OAR-F8: an incomplete response (%s) stops with %s', (reason, stop) => {
    const response = responseOf([message('a', 'Hi')], { status: 'incomplete', incomplete_details: { reason } });
    expect(reply(fold(streamOf([message('a', 'Hi')], { response }))).stop).toBe(stop);
  });

  test.each([
    [{ type: 'error', code: 'server_error', message: 'Sorry.', param: null, sequence_number: 3 }, 'server', true],
    [{ type: 'error', code: 'rate_limit_exceeded', message: 'Slow down.', param: null }, 'rate_limit', true],
    [{ type: 'error', error: { type: 'server_error', message: 'The server is overloaded.' } }, 'overloaded', true],
    [{ error: { message: 'Your input exceeds the context window of this model.' } }, 'context_too_long', false],
    [
      {
        type: 'response.failed',
        response: responseOf([], { status: 'failed', error: { code: 'server_error', message: 'x' } }),
      },
      'server',
      true,
    ],
    [{ type: 'response.failed', response: responseOf([], { status: 'failed', error: null }) }, 'server', true],
  ])('OAR-F8: %j in the middle of a stream ends it with an error, and keeps what came', (event, code, retryable) => {
    const events = fold([...streamOf([message('a', 'Hi there.')]).slice(0, 5), rawEvent(event), rawEvent(event)]);
    expect(reply(events)).toMatchObject({
      blocks: [{ type: 'text', text: 'Hi there.' }],
      stop: 'error',
      error: { code, retryable },
    });
    expect(stops(events)).toBe(1);
    expect(events.filter(({ type }) => type === 'error')).toHaveLength(1);
  });

  test('OAR-F8: an abort is an interruption, a closed stream an error', () => {
    const half = streamOf(EVERYTHING).slice(0, 6);
    expect(reply(fold(half, 'aborted'))).toMatchObject({ stop: 'interrupted', error: null });
    expect(reply(fold(half, 'closed'))).toMatchObject({ stop: 'error', error: { code: 'network', retryable: true } });
  });
});

describe('robustness', () => {
  const GARBAGE: readonly RawEvent[] = [
    { data: '{"type":"response.output_text.delta"' },
    { data: '[1,2]' },
    { data: 'null' },
    { data: '<html>' },
    rawEvent({ type: 'response.completed' }),
    rawEvent({ type: 'response.completed', response: { output: [null, 3, { type: 7 }], usage: 'no', status: 9 } }),
    rawEvent({ type: 'response.output_item.done', item: null }),
    rawEvent({ type: 'response.output_item.added', output_index: 'x', item: { type: 'message', content: 'no list' } }),
    rawEvent({
      type: 'response.output_item.done',
      output_index: -1,
      item: { type: 'message', content: [{ type: 'output_text' }] },
    }),
    rawEvent({ type: 'response.function_call_arguments.delta', output_index: 9, delta: '{' }),
    rawEvent({ type: 'constructor' }),
    rawEvent({ type: '__proto__', delta: 'x' }),
    rawEvent({ type: 'response.hologram.delta', delta: 'x' }),
    { data: '' },
    { data: '[DONE]' },
  ];

  test.each(GARBAGE.map((event) => [event.data, event] as const))(
    'OAR-F9: %s never throws, and the end comes once',
    (_, event) => {
      for (const before of [0, 3, 6]) {
        const events = fold([...streamOf(EVERYTHING).slice(0, before), event, ...streamOf(EVERYTHING).slice(before)]);
        expect(stops(events)).toBe(1);
        expect(events.at(-1)?.type).toBe('stop');
      }
    },
  );

  test('OAR-F9: an event that is no JSON ends the reply as malformed', () => {
    const events = fold([...streamOf(EVERYTHING).slice(0, 6), { data: '{"type":"respon' }]);
    expect(reply(events)).toMatchObject({ stop: 'error', error: { code: 'malformed' } });
  });

  test('OAR-F9: a stream that is cut after any event is a valid beginning of the reply', () => {
    const events = streamOf(EVERYTHING);
    const whole = reply(fold(events)).blocks;
    for (let length = 0; length < events.length; length += 1) {
      const cut = fold(events.slice(0, length));
      expect(stops(cut)).toBe(1);
      expect(cut.at(-1)).toEqual({ type: 'stop', reason: 'error' });
      const text = deriveTextFromBlocks(reply(cut).blocks);
      expect(deriveTextFromBlocks(whole).startsWith(text)).toBe(true);
      expect(deriveThinkingFromBlocks(whole).startsWith(deriveThinkingFromBlocks(reply(cut).blocks))).toBe(true);
      expect(reply(cut).blocks.length).toBeLessThanOrEqual(whole.length);
    }
  });

  test('OAR-F10: the result does not depend on where the bytes are split', () => {
    const events = streamOf([reasoning('a', ['Né 👩‍💻.']), message('b', '你好, you.'), call('c', 'add', '{"a": 1}')]);
    const bytes = new TextEncoder().encode(sseText(events));
    const whole = JSON.stringify(fold(events));
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(JSON.stringify(fold(parse([bytes.subarray(0, at), bytes.subarray(at)])))).toBe(whole);
    }
    const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    expect(JSON.stringify(fold(parse(single)))).toBe(whole);
  });

  test('OAR-F10: a reply that was not streamed gives the blocks, usage and end of its stream', () => {
    const body = openaiResponses.foldBody(JSON.stringify(responseOf(EVERYTHING)), ISSUER);
    expect(reply(body)).toEqual(reply(fold(streamOf(EVERYTHING))));
  });

  test.each([
    ['', 'malformed'],
    ['nonsense', 'malformed'],
    ['[]', 'malformed'],
    ['{"error":{"message":"No.","code":"server_error"}}', 'server'],
  ])('OAR-F10: the body %j ends in an error', (body, code) => {
    const events = openaiResponses.foldBody(body, ISSUER);
    expect(reply(events)).toMatchObject({ blocks: [], stop: 'error', error: { code } });
  });

  test('OAR-F10: raw gives its blocks again: streamed, whole, or as parsed objects of older data', () => {
    const whole = reply(fold(streamOf(EVERYTHING))).blocks;
    const raw = rawOf(streamOf(EVERYTHING));
    expect(openaiResponses.toContentBlocks(raw)).toEqual(whole);
    const body = JSON.stringify(responseOf(EVERYTHING));
    expect(openaiResponses.toContentBlocks({ ...raw, payload: { events: [], response: body } })).toEqual(whole);
    const older = streamOf(EVERYTHING).map(({ data }) => JSON.parse(data) as RawEvent);
    expect(openaiResponses.toContentBlocks({ ...raw, payload: { events: older, response: null } })).toEqual(whole);
  });
});

function parse(chunks: readonly Uint8Array[]): readonly RawEvent[] {
  const events: RawEvent[] = [];
  const decoder = new TextDecoder();
  const parser = createParser({
    onEvent: ({ event, data }) => events.push(event === undefined ? { data } : { event, data }),
  });
  for (const chunk of chunks) parser.feed(decoder.decode(chunk, { stream: true }));
  return events;
}
