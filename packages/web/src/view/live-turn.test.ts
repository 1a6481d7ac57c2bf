import type { LineBody, StreamLine } from '@bough/core';
import { nodeId, timelineOfParts, turnId } from '@bough/core';
import { describe, expect, it } from 'vitest';
import { applyLine, startLiveTurn } from './live-turn.ts';

const lines = (...bodies: readonly LineBody[]): StreamLine[] =>
  bodies.map((body, index) => ({ ...body, seq: index + 1 }));
const start: LineBody = {
  type: 'turn',
  turnId: turnId('t'),
  branch: 'main',
  isThinkingMode: true,
  userNodeId: nodeId('u'),
};
const stream = lines(
  start,
  { type: 'thinking', content: 'hm' },
  { type: 'thinking', content: 'm', append: true },
  { type: 'tool_call', id: 'c', name: 'calc', parameters: {} },
  { type: 'tool_result', toolCallId: 'c', content: '4', isError: false, durationMs: 1 },
  { type: 'text', content: 'It is ' },
  { type: 'text', content: '4.', append: true },
);

describe('running turn', () => {
  it('WEB-54: says that it waits until anything else comes', () => {
    const waiting = { code: 'rate_limit', milliseconds: 3_000, until: '2026-11-16T12:00:03.000Z' };
    const [first, wait, text] = lines(start, { type: 'waiting', ...waiting }, { type: 'text', content: 'Here' });
    if (first === undefined || wait === undefined || text === undefined) throw new Error('three lines were made');
    const waits = applyLine(applyLine(startLiveTurn('t'), first, 0), wait, 0);
    expect(waits.waiting).toEqual(waiting);
    expect(applyLine(waits, text, 0).waiting).toBeNull();
  });

  it('WEB-1: is segmented like a stored one: reasoning with its tools, then the reply', () => {
    const { segmentation } = stream.reduce(applyLine, startLiveTurn('t'));
    expect(segmentation.segments).toEqual([
      {
        kind: 'reasoning',
        items: [
          { type: 'think', nodeId: null, text: 'hmm', redacted: false },
          {
            type: 'tool',
            nodeId: null,
            id: 'c',
            name: 'calc',
            parameters: {},
            result: { nodeId: null, content: '4', isError: false },
          },
        ],
      },
      { kind: 'reply', items: [{ type: 'text', nodeId: null, text: 'It is 4.', isError: false }] },
    ]);
  });

  it('WEB-151: shows what the provider does as it comes, and places citations and grounding as in a stored reply', () => {
    const asked = { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'oaks' } };
    const found = { type: 'web_search_tool_result', tool_use_id: 's', content: [{ url: 'https://a.example/' }] };
    const cites = { type: 'citations', citations: [{ url: 'https://a.example/', title: 'A' }] };
    const grounding = {
      type: 'gemini:groundingMetadata',
      data: { webSearchQueries: ['elms'], groundingChunks: [{ web: { uri: 'https://b.example/' } }] },
    };
    const bodies: readonly LineBody[] = [
      start,
      { type: 'node', nodeId: nodeId('a'), model: 'm' },
      { type: 'block', block: asked },
      { type: 'block', block: found },
      { type: 'text', content: 'Oaks are ' },
      { type: 'text', content: 'o' },
      { type: 'text', content: 'ld', append: true },
      { type: 'block', block: cites },
      { type: 'text', content: '.' },
      { type: 'node', nodeId: nodeId('b'), model: 'm' },
      { type: 'text', content: 'Elms, too.' },
      { type: 'block', block: grounding },
    ];
    const states = lines(...bodies).map((_, index, all) =>
      all.slice(0, index + 1).reduce(applyLine, startLiveTurn('t')),
    );
    const items = states.map(({ segmentation }) => segmentation.segments.flatMap((segment) => segment.items));
    expect(items[2]).toMatchObject([{ type: 'provider', use: { queries: ['oaks'], state: 'running' } }]);
    expect(items[3]).toMatchObject([{ type: 'provider', use: { state: 'done', sources: [{}] } }]);
    expect(items[6]?.at(-1)).toEqual({ type: 'text', nodeId: null, text: 'Oaks are old', isError: false });
    const part = { nodeId: null, isError: false, hasThought: false };
    const texts = ['Oaks are ', 'old', '.', 'Elms, too.'].map((text) => ({ type: 'text', text }));
    const first = [asked, found, ...texts.slice(0, 2), cites, ...texts.slice(2, 3)];
    const stored = [
      { ...part, blocks: first },
      { ...part, blocks: [...texts.slice(3), grounding] },
    ];
    expect(items.at(-1)).toEqual(timelineOfParts(stored, new Map()));
    expect(items.at(-1)?.map(({ type }) => type)).toEqual(['provider', 'text', 'provider', 'text']);
  });

  it('WEB-1: lines that come again after a lost connection double nothing', () => {
    const once = stream.reduce(applyLine, startLiveTurn('t'));
    expect(stream.reduce(applyLine, once)).toEqual(once);
  });

  it('WEB-1: a call that waits for a yes is asked once, and no longer when it is answered', () => {
    const asked = lines(start, { type: 'approval', toolCallId: 'c', name: 'calc', state: 'asked' }).reduce(
      (turn, line) => applyLine(turn, line, 0),
      startLiveTurn('t'),
    );
    expect([asked.status, asked.approvals.length]).toEqual(['awaiting_approval', 1]);
    const approved = { type: 'approval', toolCallId: 'c', name: 'calc', state: 'approved', seq: 3 } as const;
    const answered = applyLine(asked, approved, 0);
    expect([answered.status, answered.approvals.length]).toEqual(['running', 0]);
  });

  it('WEB-81: thinking is timed from its first to its last piece, without the tools in between', () => {
    const arrived = [0, 1_000, 3_000, 4_000, 9_000, 9_500, 20_000];
    const timed = lines(
      start,
      { type: 'thinking', content: 'hm' },
      { type: 'thinking', content: 'm', append: true },
      { type: 'tool_call', id: 'c', name: 'calc', parameters: {} },
      { type: 'thinking', content: 'so' },
      { type: 'thinking', content: ' then', append: true },
      { type: 'text', content: 'It is 4.' },
    ).reduce((turn, line, index) => applyLine(turn, line, arrived[index] ?? 0), startLiveTurn('t'));
    expect(timed.thoughtTimes).toEqual(new Map([[0, { ms: 2_500, lastAt: 9_500 }]]));
  });
});
