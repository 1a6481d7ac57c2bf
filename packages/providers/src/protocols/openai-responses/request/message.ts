import type { ContentBlock, ContextItem } from '@bough/core';
import { isReasoningBlock, isTextBlock, isToolUseBlock } from '@bough/core';
import type { RenderNote } from '../../../protocol.ts';
import type { WireItem } from '../wire.ts';
import { inputParts } from './files.ts';
import { outputItem } from './outputs.ts';
import type { CallIds } from './tool-ids.ts';

export interface RenderedItems {
  readonly items: readonly WireItem[];
  readonly notes: readonly Omit<RenderNote, 'nodeId'>[];
}

/** A message from its canonical blocks: no ids, no reasoning. */
export function canonicalItems(item: ContextItem, callIds: CallIds): RenderedItems {
  const { message } = item;
  switch (message.role) {
    case 'assistant':
      return assistantItems(message.content, new Set(item.answeredCalls), callIds);
    case 'tool':
      return resultItems(item, callIds, undefined);
    default: {
      const role = message.role === 'system' ? 'developer' : 'user';
      const content = inputParts(message.content);
      return { items: content.length === 0 ? [] : [{ type: 'message', role, content }], notes: [] };
    }
  }
}

/** The result of a call; nothing if it cannot be written as the type of result that its call needs. */
export function resultItems(item: ContextItem, callIds: CallIds, call: WireItem | undefined): RenderedItems {
  const id = item.message.role === 'tool' ? item.message.tool_call_id : '';
  const output = outputItem(item, callIds.get(id) ?? id, call);
  return { items: output === null ? [] : [output], notes: [] };
}

function assistantItems(
  blocks: readonly ContentBlock[],
  answered: ReadonlySet<string>,
  callIds: CallIds,
): RenderedItems {
  const items: WireItem[] = [];
  const notes: Omit<RenderNote, 'nodeId'>[] = [];
  let texts: string[] = [];
  const closeMessage = (): void => {
    if (texts.length > 0) items.push(assistantMessage(texts));
    texts = [];
  };
  for (const block of blocks) {
    if (isTextBlock(block)) {
      if (block.text !== '') texts.push(block.text);
    } else if (isToolUseBlock(block)) {
      if (!answered.has(block.id)) continue;
      closeMessage();
      const name = acceptedName(block.name);
      if (name !== block.name) {
        notes.push({ reason: 'repaired', detail: `The tool name "${block.name}" goes out as "${name}".` });
      }
      const call_id = callIds.get(block.id) ?? block.id;
      items.push({ type: 'function_call', call_id, name, arguments: JSON.stringify(block.parameters) });
    } else if (block.type === 'refusal' && typeof block['refusal'] === 'string') {
      texts.push(block['refusal']);
    } else if (!isReasoningBlock(block) && !SAYS_NOTHING.has(block.type)) {
      notes.push({
        reason: 'custom_block_not_sent',
        detail: `A block of type "${block.type}" has no form in this API.`,
      });
    }
  }
  closeMessage();
  return { items, notes };
}

/** Blocks about other blocks: without them the model loses nothing. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(['annotations', 'message_phase', 'incomplete_tool_use']);

export function assistantMessage(texts: readonly string[]): WireItem {
  return { type: 'message', role: 'assistant', content: texts.map((text) => ({ type: 'output_text', text })) };
}

/** The API refuses other characters in a function's name, even in history from another vendor. */
export function acceptedName(name: string): string {
  const safe = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
  return safe === '' ? 'tool' : safe;
}
