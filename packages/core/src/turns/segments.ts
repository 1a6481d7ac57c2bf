import type { TimelineItem } from './timeline.ts';

/** A run of a reply: a reasoning block (thoughts and the tools used between them), or what the reply says and does. */
export interface Segment {
  readonly kind: 'reasoning' | 'reply';
  readonly items: readonly TimelineItem[];
}

/** The segments so far. A value: a live view may keep any of its states. */
export interface Segmentation {
  readonly isThinkingMode: boolean;
  readonly segments: readonly Segment[];
}

export function startSegments(isThinkingMode: boolean): Segmentation {
  return { isThinkingMode, segments: [] };
}

/**
 * Takes the next item. A reasoning block starts at a thought; it takes thoughts and tools, and ends before a text or after a tool
 * that no thought follows. Whether an item belongs to the open block never depends on a later one, so a stream
 * can be segmented as it comes and gives the same as the finished turn.
 */
export function pushItem(state: Segmentation, item: TimelineItem): Segmentation {
  const kind = state.isThinkingMode && belongsToReasoning(state.segments.at(-1), item) ? 'reasoning' : 'reply';
  const last = state.segments.at(-1);
  const segments =
    last?.kind === kind
      ? state.segments.with(-1, { kind, items: [...last.items, item] })
      : [...state.segments, { kind, items: [item] } satisfies Segment];
  return { ...state, segments };
}

/** Replaces the newest item by its longer self, while its deltas arrive. The type stays: a new type is a new item. */
export function growLastItem(state: Segmentation, item: TimelineItem): Segmentation {
  const last = state.segments.at(-1);
  if (last === undefined || last.items.at(-1)?.type !== item.type) return pushItem(state, item);
  return { ...state, segments: state.segments.with(-1, { ...last, items: last.items.with(-1, item) }) };
}

export function segmentTimeline(items: readonly TimelineItem[], isThinkingMode: boolean): readonly Segment[] {
  return items.reduce(pushItem, startSegments(isThinkingMode)).segments;
}

function belongsToReasoning(last: Segment | undefined, item: TimelineItem): boolean {
  switch (item.type) {
    case 'think':
      return true;
    case 'text':
      return false;
    case 'tool':
      // Behind a thought the tool is part of the reasoning; behind another tool the block has ended already.
      return last?.kind === 'reasoning' && last.items.at(-1)?.type === 'think';
  }
}
