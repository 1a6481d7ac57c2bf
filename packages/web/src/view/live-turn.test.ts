import type { LineBody, StreamLine } from '@bough/core';
import { nodeId, turnId } from '@bough/core';
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
