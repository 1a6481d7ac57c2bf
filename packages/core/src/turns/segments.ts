import type { TimelineItem } from './timeline.ts';

/** A run of a reply: a reasoning block (thoughts and the tools used between them), or what the reply says and does. */
export interface Segment {
  readonly kind: 'reasoning' | 'reply';
  readonly items: readonly TimelineItem[];
}

/** The segments so far. Immutable: a live view may keep any of its states. */
export interface Segmentation {
  readonly isThinkingMode: boolean;
  readonly segments: readonly Segment[];
}

export function startSegments(isThinkingMode: boolean): Segmentation {
  return { isThinkingMode, segments: [] };
}

/**
 * Takes the next item. A reasoning block starts at a thought; it takes thoughts and tools, and ends before a text or
 * after a tool that no thought follows. Whether an item belongs to the open block never depends on a later one, so a
 * stream can be segmented as it arrives, with the same result as the finished turn.
 */
export function pushItem(state: Segmentation, item: TimelineItem): Segmentation {
  const last = state.segments.at(-1);
  const kind = state.isThinkingMode && belongsToReasoning(last, item) ? 'reasoning' : 'reply';
  return last?.kind === kind
    ? replaceLast(state, { kind, items: [...last.items, item] })
    : { ...state, segments: [...state.segments, { kind, items: [item] }] };
}

/**
 * Replaces the newest item with a longer version of itself as its deltas arrive. The type stays: a new type is a new
 * item.
 */
export function growLastItem(state: Segmentation, item: TimelineItem): Segmentation {
  const last = state.segments.at(-1);
  if (last === undefined || last.items.at(-1)?.type !== item.type) return pushItem(state, item);
  return replaceLast(state, { ...last, items: [...last.items.slice(0, -1), item] });
}

function replaceLast(state: Segmentation, segment: Segment): Segmentation {
  return { ...state, segments: [...state.segments.slice(0, -1), segment] };
}

export function segmentTimeline(items: readonly TimelineItem[], isThinkingMode: boolean): readonly Segment[] {
  return items.reduce(pushItem, startSegments(isThinkingMode)).segments;
}

function belongsToReasoning(last: Segment | undefined, item: TimelineItem): boolean {
  switch (item.type) {
    case 'think':
      return true;
    case 'text':
    // What the provider did meanwhile stays in sight: a reader checks an answer by what it is based on.
    case 'provider':
    case 'file':
      return false;
    case 'tool':
      // After a thought, the tool is part of the reasoning; after another tool, the block has already ended.
      return last?.kind === 'reasoning' && last.items.at(-1)?.type === 'think';
  }
}
