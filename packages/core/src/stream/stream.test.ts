import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StreamEvent } from './events.ts';
import { foldToBlocks, ReplyFold } from './fold.ts';
import type { LineBody } from './lines.ts';
import { LineWriter } from './lines.ts';
import { addUsage, mergeUsage } from './usage.ts';

const reply: StreamEvent[] = [
  { type: 'start', responseId: 'r1', model: 'm' },
  { type: 'thinking', index: 0, text: 'Let me ' },
  { type: 'thinking', index: 0, text: 'see.' },
  { type: 'signature', index: 0, signature: 'sig' },
  { type: 'redacted_thinking', index: 1, data: 'opaque' },
  { type: 'text', index: 2, text: 'Look' },
  { type: 'text', index: 2, text: 'ing.' },
  { type: 'block', index: 3, block: { type: 'citation', url: 'x' } },
  { type: 'tool_call_start', index: 4, id: 'c1', name: 'search' },
  { type: 'tool_call_delta', index: 4, json: '{"q":' },
  { type: 'tool_call_delta', index: 4, json: '1}' },
  { type: 'tool_call', index: 4, id: 'c1', name: 'search', parameters: { q: 1 } },
  { type: 'usage', usage: { inputTokens: 5, outputTokens: 1 } },
  { type: 'usage', usage: { outputTokens: 9 } },
  { type: 'stop', reason: 'tool_use' },
];

describe('ReplyFold', () => {
  it('SE-1: events become blocks in the order in which the provider opened them', () => {
    expect(foldToBlocks(reply)).toEqual([
      { type: 'thinking', thinking: 'Let me see.', signature: 'sig' },
      { type: 'redacted_thinking', data: 'opaque' },
      { type: 'text', text: 'Looking.' },
      { type: 'citation', url: 'x' },
      { type: 'tool-use', id: 'c1', name: 'search', parameters: { q: 1 } },
    ]);
  });

  it('SE-2: interleaved deltas of two blocks do not mix, and their order is that of their indexes', () => {
    const events: StreamEvent[] = [
      { type: 'text', index: 1, text: 'b' },
      { type: 'thinking', index: 0, text: 'a' },
      { type: 'text', index: 1, text: 'B' },
      { type: 'thinking', index: 0, text: 'A' },
    ];
    expect(foldToBlocks(events)).toEqual([
      { type: 'thinking', thinking: 'aA' },
      { type: 'text', text: 'bB' },
    ]);
  });

  it('SE-3: a signature completes its thought; on a text or a call it stands right behind it; alone it is a block', () => {
    const sign = (index: number): StreamEvent => ({ type: 'signature', index, signature: `s${index}` });
    const events: StreamEvent[] = [
      { type: 'thinking', index: 0, text: '' },
      sign(0),
      { type: 'text', index: 1, text: 'x' },
      sign(1),
      sign(2),
      { type: 'tool_call', index: 2, id: 'c', name: 'n', parameters: {} },
      sign(3),
    ];
    expect(foldToBlocks(events)).toEqual([
      { type: 'thinking', thinking: '', signature: 's0' },
      { type: 'text', text: 'x' },
      { type: 'thinking_signature', signature: 's1' },
      { type: 'tool-use', id: 'c', name: 'n', parameters: {} },
      { type: 'thinking_signature', signature: 's2' },
      { type: 'thinking_signature', signature: 's3' },
    ]);
  });

  it('SE-4: a call that broke off is kept under a name that nothing executes', () => {
    const cut = reply.slice(
      0,
      reply.findIndex((event) => event.type === 'tool_call'),
    );
    expect(foldToBlocks(cut).at(-1)).toEqual({
      type: 'incomplete_tool_use',
      id: 'c1',
      name: 'search',
      json: '{"q":1}',
    });
  });

  it('SE-5: usage, stop, error and ids are kept; running totals replace each other; the first stop counts', () => {
    const fold = new ReplyFold();
    for (const event of reply) fold.push(event);
    fold.push({ type: 'error', error: { code: 'network', message: 'cut', retryable: true } });
    fold.push({ type: 'stop', reason: 'error' });
    expect(fold.result()).toMatchObject({
      usage: { inputTokens: 5, outputTokens: 9 },
      stop: 'tool_use',
      error: { code: 'network' },
      responseId: 'r1',
      model: 'm',
    });
  });

  it('SE-6: cut after any event, the blocks so far are a valid beginning of the whole', () => {
    const whole = foldToBlocks(reply);
    for (let end = 0; end <= reply.length; end += 1) {
      const part = foldToBlocks(reply.slice(0, end));
      expect(part.length).toBeLessThanOrEqual(whole.length);
      part.slice(0, -1).forEach((block, index) => expect(block).toEqual(whole[index]));
    }
  });
});

describe('LineWriter', () => {
  /** What a client does with the lines. */
  const read = (lines: readonly LineBody[]) => {
    const blocks: { type: string; content: string }[] = [];
    for (const line of lines) {
      if (line.type !== 'text' && line.type !== 'thinking' && line.type !== 'thinking_signature') continue;
      const last = blocks.at(-1);
      if (line.append === true && last !== undefined) last.content += line.content;
      else blocks.push({ type: line.type, content: line.content });
    }
    return blocks;
  };
  const write = (events: readonly StreamEvent[]) => {
    const writer = new LineWriter();
    return events.map((event) => writer.write(event)).filter((line) => line !== null);
  };

  it('SE-7: canonical blocks become lines; deltas of one block are appended', () => {
    expect(write(reply)).toEqual([
      { type: 'thinking', content: 'Let me ' },
      { type: 'thinking', content: 'see.', append: true },
      { type: 'thinking_signature', content: 'sig' },
      { type: 'block', block: { type: 'redacted_thinking', data: 'opaque' } },
      { type: 'text', content: 'Look' },
      { type: 'text', content: 'ing.', append: true },
      { type: 'block', block: { type: 'citation', url: 'x' } },
      { type: 'tool_call', id: 'c1', name: 'search', parameters: { q: 1 } },
    ]);
  });

  it('SE-8: no character is lost or doubled, whatever the order of the deltas', () => {
    const delta = fc.record({
      type: fc.constantFrom('text' as const, 'thinking' as const),
      index: fc.nat(3),
      text: fc.string(),
    });
    fc.assert(
      fc.property(fc.array(delta), (events) => {
        const lines = read(write(events));
        for (const type of ['text', 'thinking']) {
          const sent = events
            .filter((event) => event.type === type)
            .map((event) => event.text)
            .join('');
          expect(
            lines
              .filter((line) => line.type === type)
              .map((line) => line.content)
              .join(''),
          ).toBe(sent);
        }
      }),
    );
  });
});

describe('usage', () => {
  it('SE-9: a count that nobody gave is absent, not zero', () => {
    expect(mergeUsage(null, { outputTokens: 1 })).toEqual({ outputTokens: 1 });
    expect(addUsage({ inputTokens: 1 }, { outputTokens: 2, inputTokens: 3 })).toEqual({
      inputTokens: 4,
      outputTokens: 2,
    });
  });
});
