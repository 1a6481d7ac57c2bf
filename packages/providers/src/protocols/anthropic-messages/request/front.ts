import type { ContextItem } from '@bough/core';
import { isTextBlock, isToolMessage, isToolUseBlock } from '@bough/core';
import type { Front, RenderInput, RenderNote } from '../../../protocol.ts';
import type { FrontText } from './body.ts';
import { frontText } from './body.ts';
import { GrownSet } from './grown-set.ts';
import type { History } from './history.ts';
import { renderHistory } from './history.ts';
import { hasServerBlocks, storedReply } from './stored-replies.ts';

/**
 * Complete turns as they stand at the front of a request. Of what stands in it the rest of a request needs to know its calls, its
 * thoughts and its texts: a call must not have the id of another one, and a thought must not be said aloud.
 */
export class ClaudeFront implements Front {
  readonly written: FrontText;
  readonly notes: readonly RenderNote[];
  readonly calls: GrownSet;
  readonly thoughts: GrownSet;
  readonly texts: GrownSet;

  constructor(parts: Pick<ClaudeFront, 'written' | 'notes' | 'calls' | 'thoughts' | 'texts'>) {
    this.written = parts.written;
    this.notes = parts.notes;
    this.calls = parts.calls;
    this.thoughts = parts.thoughts;
    this.texts = parts.texts;
  }
}

export function settle(input: RenderInput, front: Front | null): Front | null {
  if (front !== null && !(front instanceof ClaudeFront)) return null;
  if (front !== null && !isIndependent(input, front)) return null;
  const history = renderHistory(input, { userFollows: true });
  const [first, last] = [history.messages[0], history.messages.at(-1)];
  if (first?.role !== 'user' || last?.role !== 'assistant' || needsOthers(input)) return null;
  if (history.renderings.length > 0) return null;
  const { calls, thoughts, texts } = front ?? NOTHING_SAID;
  return new ClaudeFront({
    written: frontText(front?.written ?? null, history),
    notes: [...(front?.notes ?? []), ...history.notes],
    calls: calls.with(callIdsIn(input.items)),
    thoughts: thoughts.with(history.thoughts.map(({ text }) => text)),
    texts: texts.with(textsIn(input.items)),
  });
}

const NOTHING_SAID = { calls: new GrownSet(), thoughts: new GrownSet(), texts: new GrownSet() };

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
