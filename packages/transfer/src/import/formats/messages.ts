import type { ContentBlock, Role } from '@bough/core';
import { deriveTextFromBlocks, idFrom, isPlainObject } from '@bough/core';
import type { ForeignConversation, ForeignMessage } from '../conversation.ts';
import { inLine, Notes } from '../conversation.ts';
import type { Fields } from '../fields.ts';
import {
  listOf,
  MalformedError,
  objectOf,
  parametersOf,
  textForm,
  textOf,
  textOrNull,
  timeOrNull,
  wordsIn,
} from '../fields.ts';
import { errorOfReply, failedParts } from '../error-reply.ts';
import { fileAt } from '../files/foreign-file.ts';
import { blocksOfAnthropic, splitResults } from './anthropic-blocks.ts';

export const isMessage = (value: unknown): boolean =>
  isPlainObject(value) && typeof value['role'] === 'string' && ('content' in value || 'tool_calls' in value);

/** A request body, a line of a training file, or the like. */
export const isMessageHolder = (value: unknown): boolean =>
  isPlainObject(value) && Array.isArray(value['messages']) && value['messages'].some(isMessage);

type Part = Omit<ForeignMessage, 'parentKey'>;

const ROLES: Readonly<Record<string, Role>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
};

/** A list of messages for OpenAI's chat API or Anthropic's messages API; one list may mix both. */
export function readMessages(values: readonly unknown[], holder: Fields, name: string): ForeignConversation {
  const notes = new Notes();
  const model = textOrNull(holder['model']);
  const parts: Part[] = [];
  const systems: string[] = [];
  const given = holder['system'];
  if (given !== undefined)
    systems.push(typeof given === 'string' ? given : textOfParts(listOf(given, 'system'), notes));
  values.forEach((value, index) => {
    const read = notes.attempt(`message ${index + 1}`, () => {
      const fields = objectOf(value, 'A message');
      return partsOfMessage(fields, textOrNull(fields['id']) || String(index), notes);
    });
    for (const part of read ?? []) {
      if (part.role === 'system' && parts.length === 0) systems.push(deriveTextFromBlocks(part.blocks));
      else parts.push(part.role === 'assistant' ? { ...part, model: part.model ?? model } : part);
    }
  });
  const first = parts.find(({ role }) => role === 'user');
  return {
    format: 'messages',
    // Without ids of its own a list is identified by its beginning: a longer copy of it is the same conversation,
    // grown.
    key: textOrNull(holder['id']) || idFrom(name, systems.join('\n'), JSON.stringify(parts[0]?.blocks ?? [])),
    title: textOrNull(holder['title']) ?? deriveTextFromBlocks(first?.blocks ?? []),
    createdAt: timeOrNull(holder['created_at']) ?? null,
    systemPrompt: systems.length === 0 ? null : systems.join('\n\n'),
    messages: inLine(parts),
    leftOut: notes.leftOut,
    problems: notes.problems,
  };
}

/** One message for either API, as the nodes that it becomes. */
export function partsOfMessage(fields: Fields, key: string, notes: Notes): readonly Part[] {
  const role = ROLES[textOf(fields['role'], 'role')];
  if (role === undefined) throw new MalformedError(`The role "${String(fields['role'])}" is unknown.`);
  const shared = {
    createdAt: timeOrNull(fields['created_at'] ?? fields['timestamp']),
    provider: role === 'assistant' ? textOrNull(fields['provider']) : null,
    model: role === 'assistant' ? textOrNull(fields['model']) : null,
  };
  if (role === 'tool') {
    const toolCallId = textOf(fields['tool_call_id'], 'tool_call_id');
    const text = Array.isArray(fields['content'])
      ? textOfParts(fields['content'], notes)
      : textForm(fields['content'] ?? '');
    return [{ key, role, blocks: [{ type: 'text', text }], toolCallId, ...shared }];
  }
  const blocks = [...reasoningOf(fields), ...contentOf(fields, role, notes), ...callsOf(fields)];
  const split = splitResults(blocks, role);
  const error = role === 'assistant' ? errorOfReply(fields) : null;
  if (split.length === 0 && error === null) throw new MalformedError('It holds nothing that can be imported.');
  const parts = split.map((part, place) => ({ key: place === 0 ? key : `${key}#${place}`, ...shared, ...part }));
  return error === null ? parts : failedParts(parts, error, key);
}

function contentOf(fields: Fields, role: Role, notes: Notes): readonly ContentBlock[] {
  const { content } = fields;
  if (content === null || content === undefined) return [];
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  const blocks = listOf(content, 'content').flatMap((part, index): readonly ContentBlock[] => {
    const block = objectOf(part, `content[${index}]`);
    const { type } = block;
    const url = type === 'image_url' || type === 'input_image' ? addressIn(block['image_url']) : null;
    if (url !== null) return [fileAt(String(type), url)];
    // OpenAI's names for what Anthropic calls text.
    const named = type === 'input_text' || type === 'output_text' ? { ...block, type: 'text' } : block;
    return blocksOfAnthropic([named], notes);
  });
  if (blocks.length === 0 && role === 'user') return [{ type: 'text', text: '' }];
  return blocks;
}

function addressIn(value: unknown): string | null {
  return isPlainObject(value) ? textOrNull(value['url']) : textOrNull(value);
}

/** Compatible servers put reasoning next to the text. It is unsigned. */
function reasoningOf(fields: Fields): readonly ContentBlock[] {
  const thinking = wordsIn(fields, 'reasoning_content') || (textOrNull(fields['reasoning']) ?? '');
  return thinking === '' ? [] : [{ type: 'thinking', thinking }];
}

function callsOf(fields: Fields): readonly ContentBlock[] {
  if (fields['tool_calls'] === undefined || fields['tool_calls'] === null) return [];
  return listOf(fields['tool_calls'], 'tool_calls').map((value, index): ContentBlock => {
    const call = objectOf(value, `tool_calls[${index}]`);
    const fn = objectOf(call['function'], `tool_calls[${index}].function`);
    return {
      type: 'tool-use',
      id: textOf(call['id'], `tool_calls[${index}].id`),
      name: textOf(fn['name'], `tool_calls[${index}].function.name`),
      parameters: parametersOf(fn['arguments']),
    };
  });
}

function textOfParts(parts: readonly unknown[], notes: Notes): string {
  return parts
    .map((part) => {
      const text = isPlainObject(part) ? textOrNull(part['text']) : textOrNull(part);
      if (text === null) notes.leftOut.push('part');
      return text ?? '';
    })
    .join('\n');
}
