import type { StreamEvent } from '@bough/core';
import { foldToBlocks, rawPayload } from '@bough/core';
import { createParser } from 'eventsource-parser';
import { describe, expect, it } from 'vitest';
import type { StreamOutcome } from '../../../protocol.ts';
import { gemini } from '../index.ts';

const ISSUER = { provider: 'gemini', deployment: 'gemini@example.org', model: 'gemini-3.8-flash' };
const CLOSED: StreamOutcome = { type: 'closed' };

function chunk(
  parts: readonly unknown[],
  extra: Record<string, unknown> = {},
  candidate: Record<string, unknown> = {},
): string {
  return JSON.stringify({
    candidates: [{ content: { role: 'model', parts }, index: 0, ...candidate }],
    responseId: 'resp-1',
    modelVersion: 'gemini-3.8-flash',
    ...extra,
  });
}

const STOP = { finishReason: 'STOP' };

function fold(datas: readonly string[], outcome: StreamOutcome = CLOSED): StreamEvent[] {
  const state = gemini.createFold(ISSUER);
  return [...datas.flatMap((data) => state.push({ data })), ...state.end(outcome)];
}

const blocksOf = (datas: readonly string[]) => foldToBlocks(fold(datas));
const stopOf = (events: readonly StreamEvent[]) => events.find((event) => event.type === 'stop')?.reason;
const errorOf = (events: readonly StreamEvent[]) => events.find((event) => event.type === 'error')?.error;

/** Only the last block of a broken reply may be shorter than in the whole one. */
function isBeginning(partial: unknown, whole: unknown): boolean {
  const shape = (value: unknown) => JSON.stringify(value).replace(/"}$/, '');
  return shape(whole).startsWith(shape(partial));
}

/** A reply with everything in it. */
const FULL = [
  chunk([{ text: 'First ', thought: true }]),
  chunk([{ text: 'thoughts — naïve ☂.', thought: true }]),
  chunk([{ text: 'Grüße, ' }], { usageMetadata: { promptTokenCount: 7 } }),
  chunk([{ text: '世界 👩‍👧' }]),
  chunk([{ text: '', thoughtSignature: 'c2lnLXRleHQ=' }]),
  chunk([
    { functionCall: { id: 'a1', name: 'weather', args: { city: 'Zürich' } }, thoughtSignature: 'c2lnLWNhbGw=' },
    { functionCall: { name: 'clock', args: {} } },
  ]),
  chunk(
    [{ text: '' }],
    { usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 9, thoughtsTokenCount: 4 } },
    STOP,
  ),
];

describe('gemini response', () => {
  it('GEM-1: thoughts become thinking, neighbouring text parts one block, in the order in which they came', () => {
    expect(blocksOf(FULL)).toEqual([
      { type: 'thinking', thinking: 'First thoughts — naïve ☂.' },
      { type: 'text', text: 'Grüße, 世界 👩‍👧' },
      { type: 'thinking_signature', signature: 'c2lnLXRleHQ=' },
      { type: 'tool-use', id: 'a1', name: 'weather', parameters: { city: 'Zürich' } },
      { type: 'thinking_signature', signature: 'c2lnLWNhbGw=' },
      { type: 'tool-use', id: expect.stringMatching(/^call_[0-9a-f]{24}$/), name: 'clock', parameters: {} },
    ]);
    expect(stopOf(fold(FULL))).toBe('tool_use');
  });

  it('GEM-1: text between thoughts stays between them', () => {
    const parts = [{ text: 'a', thought: true }, { text: 'b' }, { text: 'c', thought: true }, { text: 'd' }];
    expect(blocksOf([chunk(parts, {}, STOP)]).map((block) => block.type)).toEqual([
      'thinking',
      'text',
      'thinking',
      'text',
    ]);
  });

  it('GEM-2: a signature stands behind its own text part and before the text that follows', () => {
    const datas = [chunk([{ text: 'Ruby', thoughtSignature: 'c2ln' }]), chunk([{ text: ' it is.' }], {}, STOP)];
    expect(blocksOf(datas)).toEqual([
      { type: 'text', text: 'Ruby' },
      { type: 'thinking_signature', signature: 'c2ln' },
      { type: 'text', text: ' it is.' },
    ]);
  });

  it('GEM-2: a signed text part is a block of its own, apart from the unsigned text before it', () => {
    const datas = [chunk([{ text: 'unsigned ' }]), chunk([{ text: 'signed', thoughtSignature: 'c2ln' }], {}, STOP)];
    expect(blocksOf(datas)).toEqual([
      { type: 'text', text: 'unsigned ' },
      { type: 'text', text: 'signed' },
      { type: 'thinking_signature', signature: 'c2ln' },
    ]);
  });

  it('GEM-2: a signature on a thought completes that thought', () => {
    const datas = [
      chunk([{ text: 'hm', thought: true }]),
      chunk([{ text: '', thought: true, thoughtSignature: 'c2ln' }]),
      chunk([{ text: 'again', thought: true }], {}, STOP),
    ];
    expect(blocksOf(datas)).toEqual([
      { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
      { type: 'thinking', thinking: 'again' },
    ]);
  });

  it('GEM-2: a signature on a part without payload, and on one of its own tools, is kept', () => {
    const datas = [
      chunk(
        [{ thoughtSignature: 'YQ==' }, { toolCall: { id: 't', toolType: 'FILE_SEARCH' }, thoughtSignature: 'Yg==' }],
        {},
        STOP,
      ),
    ];
    expect(blocksOf(datas)).toEqual([
      { type: 'thinking_signature', signature: 'YQ==' },
      { type: 'gemini:toolCall', part: { toolCall: { id: 't', toolType: 'FILE_SEARCH' } } },
      { type: 'thinking_signature', signature: 'Yg==' },
    ]);
  });

  it('GEM-3: calls without id get ids that differ between calls and replies and are the same on every reading', () => {
    const call = { functionCall: { name: 'f', args: {} } };
    const ids = (datas: readonly string[]) => blocksOf(datas).map((block) => ('id' in block ? block.id : null));
    const one = [chunk([call, call], {}, STOP)];
    const other = [chunk([call], { responseId: 'resp-2' }, STOP)];
    const nameless = [JSON.stringify({ candidates: [{ content: { parts: [call] }, ...STOP }] })];
    const all = [...ids(one), ...ids(other), ...ids(nameless)];
    expect(new Set(all).size).toBe(4);
    expect([...ids(one), ...ids(other), ...ids(nameless)]).toEqual(all);
  });

  it('GEM-4: code, images, sources, citations and unknown parts are custom blocks, whole and in place', () => {
    const datas = [
      chunk([
        { text: 'a' },
        { executableCode: { language: 'PYTHON', code: '1' } },
        { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
        { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
        { hologram: { depth: 3 } },
        { text: 'b' },
      ]),
      chunk([], {}, { groundingMetadata: { webSearchQueries: ['q'] }, citationMetadata: { citationSources: [] } }),
      chunk([], {}, { groundingMetadata: { webSearchQueries: ['q'] }, ...STOP }),
    ];
    expect(blocksOf(datas)).toEqual([
      { type: 'text', text: 'a' },
      { type: 'gemini:executableCode', part: { executableCode: { language: 'PYTHON', code: '1' } } },
      { type: 'gemini:codeExecutionResult', part: { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } } },
      { type: 'gemini:inlineData', part: { inlineData: { mimeType: 'image/png', data: 'AAAA' } } },
      { type: 'gemini:hologram', part: { hologram: { depth: 3 } } },
      { type: 'text', text: 'b' },
      { type: 'gemini:groundingMetadata', data: { webSearchQueries: ['q'] } },
      { type: 'gemini:citationMetadata', data: { citationSources: [] } },
    ]);
  });

  it.each([
    ['STOP', 'end_turn', undefined],
    ['MAX_TOKENS', 'max_tokens', undefined],
    ['CONTINUATION', 'max_tokens', undefined],
    ['SAFETY', 'refusal', 'refusal'],
    ['RECITATION', 'refusal', 'refusal'],
    ['PROHIBITED_CONTENT', 'refusal', 'refusal'],
    ['MALFORMED_FUNCTION_CALL', 'error', 'malformed'],
    ['UNEXPECTED_TOOL_CALL', 'error', 'malformed'],
    ['SOMETHING_NEW', 'unknown', undefined],
  ])('GEM-5: the finish reason %s ends the reply with %s', (finishReason, stop, code) => {
    const events = fold([chunk([{ text: 'so far' }], {}, { finishReason })]);
    expect(stopOf(events)).toBe(stop);
    expect(errorOf(events)?.code).toBe(code);
    expect(foldToBlocks(events)).toEqual([{ type: 'text', text: 'so far' }]);
  });

  it('GEM-6: a finish reason that something follows is no end, and neither is one before the result of running code', () => {
    const code = { executableCode: { language: 'PYTHON', code: '1' } };
    const result = { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } };
    const error = { code: 'network', message: 'gone', retryable: true } as const;
    const early = [chunk([{ text: 'Let me compute.' }, code], {}, STOP)];
    expect(stopOf(fold(early, { type: 'failed', error }))).toBe('error');
    expect(stopOf(fold([...early, chunk([result, { text: 'It is' }])]))).toBe('error');
    expect(stopOf(fold([...early, chunk([result, { text: 'It is 1.' }], {}, STOP)], { type: 'failed', error }))).toBe(
      'end_turn',
    );
  });

  it('GEM-5: a generation that can go on pauses, one without a token is cut', () => {
    const token = { continuationToken: 'dG9r' };
    const ending = (...candidates: readonly object[]) =>
      stopOf(fold(candidates.map((candidate) => chunk([{ text: 'a' }], {}, { ...candidate }))));
    expect(ending({}, { finishReason: 'CONTINUATION', ...token })).toBe('pause');
    expect(ending({ ...token }, { finishReason: 'CONTINUATION' })).toBe('pause');
    expect(ending({}, { finishReason: 'CONTINUATION' })).toBe('max_tokens');
    expect(ending({ ...token }, { finishReason: 'STOP' })).toBe('end_turn');
  });

  it('GEM-5: a blocked prompt is a refusal with a reason', () => {
    const events = fold([JSON.stringify({ promptFeedback: { blockReason: 'BLOCKLIST' } })]);
    expect(events).toEqual([
      { type: 'error', error: { code: 'refusal', message: expect.stringContaining('BLOCKLIST'), retryable: false } },
      { type: 'stop', reason: 'refusal' },
    ]);
  });

  it.each([
    ['as an object', (error: unknown) => JSON.stringify({ error })],
    ['in an array', (error: unknown) => JSON.stringify([{ error }])],
  ])('GEM-6: an error in the stream, %s, ends the reply and keeps what came before', (_, write) => {
    const error = { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' };
    const events = fold([chunk([{ text: 'half' }]), write(error), chunk([{ text: ' more' }], {}, STOP)]);
    expect(foldToBlocks(events)).toEqual([{ type: 'text', text: 'half' }]);
    expect(errorOf(events)).toMatchObject({ code: 'overloaded', retryable: true, status: 503 });
    expect(stopOf(events)).toBe('error');
  });

  it('GEM-6: data that is no JSON ends the reply without throwing', () => {
    for (const garbage of ['{"candidates":', '17', 'null', '"text"', '\u0000']) {
      const events = fold([chunk([{ text: 'half' }]), garbage]);
      expect(errorOf(events)?.code).toBe('malformed');
      expect(events.at(-1)).toEqual({ type: 'stop', reason: 'error' });
    }
  });

  it('GEM-6: JSON of any other shape is read as far as it goes', () => {
    const shapes = [
      '{}',
      '[]',
      '{"candidates":5}',
      '{"candidates":[{"content":{"parts":[null,3,{"text":7},{"functionCall":5}]}}]}',
      '',
      '[DONE]',
    ];
    for (const data of shapes) expect(() => fold([data, chunk([], {}, STOP)])).not.toThrow();
  });

  it('GEM-6: the connection decides only where Gemini did not', () => {
    const open = [chunk([{ text: 'half' }])];
    const done = [chunk([{ text: 'whole' }], {}, STOP)];
    const network = { code: 'network', message: 'Connection reset.', retryable: true } as const;
    expect(stopOf(fold(open, { type: 'aborted' }))).toBe('interrupted');
    expect(errorOf(fold(open, { type: 'failed', error: network }))).toEqual(network);
    expect(errorOf(fold(open))?.code).toBe('network');
    for (const outcome of [CLOSED, { type: 'aborted' }, { type: 'failed', error: network }] as const) {
      expect(fold(done, outcome).at(-1)).toEqual({ type: 'stop', reason: 'end_turn' });
    }
  });

  it('GEM-6: nothing comes after the end', () => {
    const state = gemini.createFold(ISSUER);
    state.end({ type: 'aborted' });
    expect([...state.push({ data: FULL[0] ?? '' }), ...state.end(CLOSED)]).toEqual([]);
  });

  it('GEM-7: usage counts thoughts as output and tool results as input, and forgets no count', () => {
    const events = fold([
      chunk([{ text: 'a' }], {
        usageMetadata: { promptTokenCount: 10, thoughtsTokenCount: 5, cachedContentTokenCount: 8 },
      }),
      chunk([], { usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 3, toolUsePromptTokenCount: 2 } }, STOP),
    ]);
    const usage = events.filter((event) => event.type === 'usage').at(-1)?.usage;
    expect(usage).toEqual({ inputTokens: 12, cachedInputTokens: 8, outputTokens: 8, reasoningTokens: 5 });
    expect(fold([chunk([], {}, STOP)]).some((event) => event.type === 'usage')).toBe(false);
  });

  it('GEM-8: every split of the bytes into two pieces gives the same events', () => {
    const bytes = new TextEncoder().encode(FULL.map((data) => `data: ${data}\r\n\r\n`).join(''));
    const whole = fold(FULL);
    for (let border = 0; border <= bytes.length; border += 1) {
      const datas: string[] = [];
      const parser = createParser({ onEvent: (event) => datas.push(event.data) });
      const decoder = new TextDecoder();
      for (const piece of [bytes.subarray(0, border), bytes.subarray(border)]) {
        parser.feed(decoder.decode(piece, { stream: true }));
      }
      expect(fold(datas)).toEqual(whole);
    }
  });

  it('GEM-8: a stream cut behind any event is a valid beginning of the whole, with one stop at its end', () => {
    const whole = blocksOf(FULL);
    for (let count = 0; count < FULL.length; count += 1) {
      for (const outcome of [CLOSED, { type: 'aborted' }] as const) {
        const events = fold(FULL.slice(0, count), outcome);
        expect(events.filter((event) => event.type === 'stop')).toHaveLength(1);
        expect(events.at(-1)?.type).toBe('stop');
        const blocks = foldToBlocks(events);
        const last = blocks.length - 1;
        expect(blocks.slice(0, last)).toEqual(whole.slice(0, Math.max(last, 0)));
        if (last >= 0) expect(isBeginning(blocks[last], whole[last])).toBe(true);
      }
    }
  });

  it('GEM-9: the same reply as one body, as an array of chunks and as a stream gives the same blocks', () => {
    const parts = [
      { text: 'T', thought: true },
      { text: 'Hello', thoughtSignature: 'c2ln' },
      { functionCall: { name: 'f', args: { a: 1 } } },
    ];
    const body = chunk(parts, {}, STOP);
    const streamed = [...parts.map((part) => chunk([part])), chunk([{ text: '' }], {}, STOP)];
    const expected = blocksOf(streamed);
    expect(foldToBlocks(gemini.foldBody(body, ISSUER))).toEqual(expected);
    expect(foldToBlocks(gemini.foldBody(`[${streamed.join(',')}]`, ISSUER))).toEqual(expected);

    const raw = { ...ISSUER, api: 'gemini', version: 1, capturedAt: '2026-11-15T00:00:00Z', complete: true } as const;
    const events = streamed.map((data) => ({ data }));
    expect(gemini.toContentBlocks({ ...raw, payload: rawPayload('gemini', events) })).toEqual(expected);
    expect(gemini.toContentBlocks({ ...raw, payload: rawPayload('gemini', [], body) })).toEqual(expected);
  });

  it('GEM-9: a body that is an error says so', () => {
    const events = gemini.foldBody(
      '{"error":{"code":429,"message":"Quota exceeded.","status":"RESOURCE_EXHAUSTED"}}',
      ISSUER,
    );
    expect(errorOf(events)).toMatchObject({ code: 'rate_limit', retryable: true });
  });
});
