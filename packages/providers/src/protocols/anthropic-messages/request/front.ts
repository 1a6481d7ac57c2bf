import type { ContextItem } from '@bough/core';
import { isTextBlock, isToolMessage, isToolUseBlock } from '@bough/core';
import type { Front, PreparedRequest, RenderInput, RenderNote } from '../../../protocol.ts';
import type { FrontText } from './body.ts';
import { frontText } from './body.ts';
import type { History } from './history.ts';
import { renderHistory } from './history.ts';
import { hasServerBlocks, storedReply } from './stored-replies.ts';

type Rendering = PreparedRequest['renderings'][number];

/**
 * Complete turns as they stand at the front of a request. Of what stands in it the rest of a request needs to know its calls, its
 * thoughts and its texts: a call must not have the id of another one, and a thought must not be said aloud. The sets may hold more
 * than the front does (they are handed on to the next one): then a request is made from all items although it need not be.
 */
export class ClaudeFront implements Front {
  readonly written: FrontText;
  readonly notes: readonly RenderNote[];
  readonly calls: Set<string>;
  readonly thoughts: Set<string>;
  readonly texts: Set<string>;
  /** What was not stored when it was rendered. */
  readonly renderings: readonly Rendering[];

  constructor(parts: Pick<ClaudeFront, 'written' | 'notes' | 'calls' | 'thoughts' | 'texts' | 'renderings'>) {
    this.written = parts.written;
    this.notes = parts.notes;
    this.calls = parts.calls;
    this.thoughts = parts.thoughts;
    this.texts = parts.texts;
    this.renderings = parts.renderings;
  }
}

export function settle(input: RenderInput, front: Front | null): Front | null {
  if (front !== null && !(front instanceof ClaudeFront)) return null;
  if (front !== null && !isIndependent(input, front)) return null;
  const history = renderHistory(input, { userFollows: true });
  const [first, last] = [history.messages[0], history.messages.at(-1)];
  if (first?.role !== 'user' || last?.role !== 'assistant' || needsOthers(input)) return null;
  const { calls, thoughts, texts } = front ?? { calls: new Set(), thoughts: new Set(), texts: new Set() };
  for (const id of callIdsIn(input.items)) calls.add(id);
  for (const thought of history.thoughts) thoughts.add(thought.text);
  for (const said of textsIn(input.items)) texts.add(said);
  return new ClaudeFront({
    written: frontText(front?.written ?? null, history),
    notes: [...(front?.notes ?? []), ...history.notes],
    renderings: [...(front?.renderings ?? []), ...history.renderings],
    calls,
    thoughts,
    texts,
  });
}

/** What of a front is still to be stored; null where somebody stored it in other words. */
export function unstored(front: ClaudeFront, { renderingOf }: RenderInput): readonly Rendering[] | null {
  const stored = (rendering: Rendering) => renderingOf?.(rendering.nodeId, rendering.key);
  if (front.renderings.some((rendering) => (stored(rendering) ?? rendering.bytes) !== rendering.bytes)) return null;
  return front.renderings.filter((rendering) => stored(rendering) === undefined);
}

/** Whether the items behind a front become what they become wherever they stand. */
export function isIndependent(input: RenderInput, front: ClaudeFront): boolean {
  const { items } = input;
  if (items[0]?.message.role !== 'user' || needsOthers(input)) return false;
  return (
    callIdsIn(items).every((id) => !front.calls.has(id)) && textsIn(items).every((text) => !front.thoughts.has(text))
  );
}

/** A thought behind the front that was said aloud in it. Known only once the items are rendered. */
export function repeatsText({ thoughts }: History, front: ClaudeFront): boolean {
  return thoughts.some(({ text }) => front.texts.has(text));
}

/** Calls of the provider's own tools go back with results that may stand anywhere; a compaction has a place of its own. */
function needsOthers(input: RenderInput): boolean {
  return input.items.some((item) => {
    if (item.message.role === 'system') return true;
    const { reply } = storedReply(item, input);
    return reply !== null && (hasServerBlocks(reply.blocks) || reply.blocks.some(({ type }) => type === 'compaction'));
  });
}

function callIdsIn(items: readonly ContextItem[]): readonly string[] {
  return items.flatMap(({ message }) => {
    if (isToolMessage(message)) return [message.tool_call_id];
    return message.role === 'assistant' ? message.content.filter(isToolUseBlock).map(({ id }) => id) : [];
  });
}

function textsIn(items: readonly ContextItem[]): readonly string[] {
  const texts: string[] = [];
  for (const { message } of items) for (const block of message.content) if (isTextBlock(block)) texts.push(block.text);
  return texts;
}
