import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Segmentation } from './segments.ts';
import { growLastItem, pushItem, segmentTimeline, startSegments } from './segments.ts';
import type { TimelineItem } from './timeline.ts';

const items: Record<string, TimelineItem> = {
  think: { type: 'think', nodeId: null, text: 'hm', redacted: false },
  tool: { type: 'tool', nodeId: null, id: 'c', name: 'search', parameters: {}, result: null },
  text: { type: 'text', nodeId: null, text: 'so', isError: false },
  error: { type: 'text', nodeId: null, text: 'failed', isError: true },
};

const timeline = (sketched: string): TimelineItem[] =>
  sketched
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => items[word] ?? expect.unreachable(word));

const shape = (segments: Segmentation['segments']) =>
  segments.map(({ kind, items: inside }) => `${kind}(${inside.map((item) => item.type).join(' ')})`).join(' ');

describe('segmentTimeline', () => {
  it.each([
    ['think text', 'reasoning(think) reply(text)'],
    ['think tool think text', 'reasoning(think tool think) reply(text)'],
    ['think tool tool think', 'reasoning(think tool) reply(tool) reasoning(think)'],
    ['think tool', 'reasoning(think tool)'],
    ['think tool text', 'reasoning(think tool) reply(text)'],
    ['tool think text', 'reply(tool) reasoning(think) reply(text)'],
    ['text think text', 'reply(text) reasoning(think) reply(text)'],
    ['think text think tool think text', 'reasoning(think) reply(text) reasoning(think tool think) reply(text)'],
    ['text tool text think', 'reply(text tool text) reasoning(think)'],
    ['think think', 'reasoning(think think)'],
    ['think error', 'reasoning(think) reply(text)'],
    ['error', 'reply(text)'],
    ['', ''],
  ])('SG-1: in thinking mode "%s" becomes %s', (sketched, expected) => {
    expect(shape(segmentTimeline(timeline(sketched), true))).toBe(expected);
  });

  it('SG-2: a turn that is not in thinking mode has no reasoning, even where it contains thinking', () => {
    expect(shape(segmentTimeline(timeline('think tool think text'), false))).toBe('reply(think tool think text)');
  });
});

const anyTimeline = fc.array(
  fc.constantFrom('think', 'tool', 'text').map((word) => items[word] ?? expect.unreachable(word)),
);

describe('the fold', () => {
  it('SG-3: segments partition the timeline: every item once, in order, no segment empty', () => {
    fc.assert(
      fc.property(anyTimeline, fc.boolean(), (sequence, thinking) => {
        const segments = segmentTimeline(sequence, thinking);
        expect(segments.flatMap((segment) => segment.items)).toEqual(sequence);
        expect(segments.every((segment) => segment.items.length > 0)).toBe(true);
        if (!thinking) expect(segments.every((segment) => segment.kind === 'reply')).toBe(true);
      }),
    );
  });

  it('SG-4: item by item gives the same as all at once, at every step', () => {
    fc.assert(
      fc.property(anyTimeline, (sequence) => {
        let state = startSegments(true);
        sequence.forEach((item, index) => {
          state = pushItem(state, item);
          expect(state.segments).toEqual(segmentTimeline(sequence.slice(0, index + 1), true));
        });
      }),
    );
  });

  it('SG-5: deltas grow the newest item and touch nothing else', () => {
    const before = pushItem(startSegments(true), { type: 'think', nodeId: null, text: 'h', redacted: false });
    const after = growLastItem(before, { type: 'think', nodeId: null, text: 'hm', redacted: false });
    expect(shape(after.segments)).toBe('reasoning(think)');
    expect(after.segments[0]?.items[0]).toMatchObject({ text: 'hm' });
    expect(before.segments[0]?.items[0]).toMatchObject({ text: 'h' });
    expect(shape(growLastItem(after, { type: 'text', nodeId: null, text: 'x', isError: false }).segments)).toBe(
      'reasoning(think) reply(text)',
    );
  });
});
