import type { ContentBlock, Role } from '@bough/core';
import { isPlainObject, isTextBlock } from '@bough/core';
import type { Notes } from '../conversation.ts';
import type { Fields } from '../fields.ts';
import { isForeignFile } from '../files/foreign-file.ts';
import { objectOf, parametersOf, textForm, textOf, textOrNull } from '../fields.ts';

/** A result among the blocks, until it becomes a tool message of its own. */
const RESULT = 'imported_tool_result';

/** The result of a call, to be put among the blocks of the reply that made the call. */
export function toolResult(toolCallId: string, text: string, isError = false): ContentBlock {
  return { type: RESULT, toolCallId, text, isError };
}

/**
 * Blocks in Anthropic's wire format, from its API or from an export, in canonical form. Signatures stay with their
 * text.
 */
export function blocksOfAnthropic(content: readonly unknown[], notes: Notes): readonly ContentBlock[] {
  return content.flatMap((value, index): readonly ContentBlock[] => {
    const block = objectOf(value, `content[${index}]`);
    const type = textOf(block['type'], `content[${index}].type`);
    switch (type) {
      case 'text': {
        const text = textOf(block['text'], `content[${index}].text`);
        const citations = block['citations'];
        const cites = Array.isArray(citations) && citations.length > 0 && text !== '';
        return text === '' ? [] : [{ type: 'text', text }, ...(cites ? [{ type: 'citations', citations }] : [])];
      }
      case 'thinking': {
        const thinking = textOf(block['thinking'], `content[${index}].thinking`);
        const signature = textOrNull(block['signature']);
        if (thinking === '' && signature === null) return [];
        return [signature === null || signature === '' ? { type, thinking } : { type, thinking, signature }];
      }
      case 'redacted_thinking':
        return [{ type, data: textOf(block['data'], `content[${index}].data`) }];
      case 'tool_use':
        return [
          {
            type: 'tool-use',
            id: textOrNull(block['id']) ?? '',
            name: textOf(block['name'], `content[${index}].name`),
            parameters: parametersOf(block['input']),
          },
        ];
      case 'tool_result':
        return [
          toolResult(textOrNull(block['tool_use_id']) ?? '', resultText(block, notes), block['is_error'] === true),
        ];
      default:
        notes.leftOut.push(type);
        return [{ ...block, type: `anthropic_${type}` }];
    }
  });
}

/**
 * Blocks in their original order, split at each tool result: results are messages of their own. Calls without an id (in
 * older exports) get one from their position, and the results that follow answer them in order.
 */
export function splitResults(
  blocks: readonly ContentBlock[],
  role: Role,
): readonly {
  readonly role: Role;
  readonly blocks: readonly ContentBlock[];
  readonly toolCallId?: string;
  readonly isError?: boolean;
}[] {
  const parts: { role: Role; blocks: ContentBlock[]; toolCallId?: string; isError?: boolean }[] = [];
  const unanswered: string[] = [];
  let calls = 0;
  for (const block of blocks) {
    if (block.type === RESULT) {
      const { toolCallId, text, isError } = block as Fields;
      const id = textOrNull(toolCallId) || unanswered[0] || 'unknown';
      if (unanswered.includes(id)) unanswered.splice(unanswered.indexOf(id), 1);
      parts.push({
        role: 'tool',
        blocks: [{ type: 'text', text: textForm(text) }],
        toolCallId: id,
        isError: isError === true,
      });
      continue;
    }
    if (role !== 'assistant' && !isTextBlock(block) && !isForeignFile(block)) continue;
    const last = parts.at(-1);
    const target = last?.role === role ? last : undefined;
    const named = block.type === 'tool-use' ? withId(block as Fields, `call-${(calls += 1)}`) : block;
    if (named.type === 'tool-use') unanswered.push(textForm((named as Fields)['id']));
    if (target === undefined) parts.push({ role, blocks: [named] });
    else target.blocks.push(named);
  }
  return parts;
}

function withId(block: Fields, fallback: string): ContentBlock {
  const id = textOrNull(block['id']) || fallback;
  return { ...block, type: 'tool-use', id };
}

function resultText(block: Fields, notes: Notes): string {
  const { content } = block;
  if (!Array.isArray(content)) return content === undefined || content === null ? '' : textForm(content);
  return content
    .map((part: unknown) => {
      const text = isPlainObject(part) ? textOrNull(part['text']) : textOrNull(part);
      if (text === null) notes.leftOut.push(isPlainObject(part) ? (textOrNull(part['type']) ?? 'part') : 'part');
      return text ?? '';
    })
    .join('\n');
}
