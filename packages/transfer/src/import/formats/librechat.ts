import type { ContentBlock } from '@bough/core';
import { idFrom, isPlainObject } from '@bough/core';
import type { ForeignConversation } from '../conversation.ts';
import { Notes } from '../conversation.ts';
import type { ForeignError } from '../error-reply.ts';
import { errorOfReply, errorText } from '../error-reply.ts';
import type { Fields } from '../fields.ts';
import {
  idOrNull,
  listIn,
  listOf,
  MalformedError,
  objectIn,
  objectOf,
  parametersOf,
  textForm,
  textOrNull,
  timeOrNull,
  wordsIn,
} from '../fields.ts';
import type { ForeignFile } from '../files/foreign-file.ts';
import { fileAt, foreignFile } from '../files/foreign-file.ts';
import type { ForeignEntry, ForeignPart } from '../tree.ts';
import { treeOf } from '../tree.ts';
import { toolResult } from './anthropic-blocks.ts';
import { partsFrom, providerOf } from './reply-parts.ts';

/** The parent of a first message. */
const NO_PARENT = '00000000-0000-0000-0000-000000000000';

const isLibreMessage = (value: unknown): boolean =>
  isPlainObject(value) && 'isCreatedByUser' in value && ('text' in value || 'content' in value);

/** One conversation: LibreChat's export in JSON, as a tree (`messagesTree`) or as a list that names parents. */
export function isLibreChat(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const lists = [value['messagesTree'], value['messages']].filter((list) => Array.isArray(list));
  if (lists.length === 0) return false;
  return lists.some((list) => list.some(isLibreMessage)) || ('conversationId' in value && 'exportAt' in value);
}

export function readLibreChat(value: unknown, name: string): readonly ForeignConversation[] {
  const record = objectOf(value, 'The conversation');
  const notes = new Notes();
  const options = objectIn(record, 'options');
  const listed = listOf(record['messagesTree'] ?? record['messages'], 'messages');
  const entries = flattened(listed, notes).map(({ key, parent, fields }): ForeignEntry => ({
    key,
    parent,
    read: () => readMessage(key, fields, options, notes),
  }));
  const { messages, endOf } = treeOf(entries, notes);
  const title = textOrNull(record['title']) ?? '';
  return [
    {
      format: 'librechat',
      key: idOrNull(record['conversationId']) ?? idFrom(name, title, ...entries.map(({ key }) => key)),
      title,
      createdAt: messages[0]?.createdAt ?? null,
      systemPrompt:
        ['promptPrefix', 'system', 'instructions', 'context']
          .map((each) => textOrNull(options[each]))
          .find((text) => text !== null && text !== '') ?? null,
      messages,
      tipKey: endOf(entries.at(-1)?.key ?? null),
      leftOut: notes.leftOut,
      problems: notes.problems,
    },
  ];
}

interface Flat {
  readonly key: string;
  readonly parent: string | null;
  readonly fields: Fields;
}

/** A tree as a list, parents first; without recursion, because a conversation may be deeper than the stack. */
function flattened(listed: readonly unknown[], notes: Notes): readonly Flat[] {
  const found: Flat[] = [];
  const waiting = listed
    .map((value, index) => ({ value, above: null as string | null, place: `${index + 1}` }))
    .reverse();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, above, place } = next;
    if (!isPlainObject(value)) {
      notes.problems.push({ where: `message ${place}`, message: 'A message must be an object.' });
      continue;
    }
    const key = idOrNull(value['messageId']) ?? idOrNull(value['_id']) ?? `#${place}`;
    const named = idOrNull(value['parentMessageId']);
    found.push({ key, parent: above ?? (named === NO_PARENT || named === key ? null : named), fields: value });
    const children = notes.attempt(`message ${key}`, () => listIn(value, 'children')) ?? [];
    waiting.push(
      ...children.map((child, index) => ({ value: child, above: key, place: `${place}.${index + 1}` })).reverse(),
    );
  }
  return found;
}

function readMessage(key: string, fields: Fields, options: Fields, notes: Notes): readonly ForeignPart[] {
  if (typeof fields['isCreatedByUser'] !== 'boolean')
    throw new MalformedError('isCreatedByUser must be true or false.');
  const role = fields['isCreatedByUser'] ? 'user' : 'assistant';
  for (const kind of ['feedback', 'plugin', 'plugins', 'subagentTranscript'])
    if (isHeld(fields[kind])) notes.leftOut.push(kind);
  const { blocks, error } = contentOf(fields, notes);
  const named = textOrNull(fields['model']) ?? textOrNull(options['model']);
  return partsFrom(
    {
      key,
      role,
      createdAt: timeOrNull(fields['createdAt']),
      provider: providerOf(providerName(textOrNull(fields['endpoint']))),
      // An agent is named by its id, and shown by the name that it was given.
      model: named?.startsWith('agent_') === true ? (textOrNull(fields['sender']) ?? named) : named,
      error: role === 'user' ? null : (error ?? errorOfReply(fields)),
      interrupted: fields['unfinished'] === true,
    },
    [...(role === 'user' ? quotesIn(fields) : []), ...blocks, ...filesIn(fields, notes)],
  );
}

const isHeld = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);

function providerName(endpoint: string | null): string | null {
  return endpoint === 'agents' || endpoint === 'assistants' || endpoint === 'custom' ? null : endpoint;
}

/** Passages that the person pointed at; the model was sent them before the message. */
function quotesIn(fields: Fields): readonly ContentBlock[] {
  return listIn(fields, 'quotes').map((quote) => ({
    type: 'text',
    text: `> ${textForm(quote).replaceAll('\n', '\n> ')}`,
  }));
}

function contentOf(
  fields: Fields,
  notes: Notes,
): { readonly blocks: readonly ContentBlock[]; readonly error: ForeignError | null } {
  const content = listIn(fields, 'content');
  if (content.length === 0) return { blocks: blocksOfText(wordsIn(fields, 'text')), error: null };
  let error: ForeignError | null = null;
  const blocks = content.flatMap((value, index): readonly ContentBlock[] => {
    // LibreChat leaves gaps in the list where a part never came.
    if (value === null) return [];
    const part = objectOf(value, `content[${index}]`);
    switch (part['type']) {
      case 'text':
        return textBlock(wordsOf(part['text']));
      case 'think':
      case 'thinking':
      case 'reasoning': {
        const thinking = wordsOf(part['think'] ?? part['thinking'] ?? part['reasoning']);
        return thinking === '' ? [] : [{ type: 'thinking', thinking }];
      }
      case 'tool_call':
        return callOf(objectOf(part['tool_call'], 'tool_call'), index);
      case 'error':
        error = { message: errorText(part['error'] ?? part['text']) ?? 'Unknown error' };
        return [];
      case 'image_file':
        return [namedFile('image_file', objectIn(part, 'image_file'))];
      case 'image_url':
        return [fileAt('image_url', textForm(objectIn(part, 'image_url')['url'] ?? part['image_url']))];
      default: {
        const type = textOrNull(part['type']) ?? 'part';
        notes.leftOut.push(type);
        return [{ ...part, type: `librechat_${type}` }];
      }
    }
  });
  return { blocks, error };
}

const textBlock = (text: string): readonly ContentBlock[] => (text === '' ? [] : [{ type: 'text', text }]);

/** Parts hold their words as a text, or in an object. */
function wordsOf(value: unknown): string {
  return isPlainObject(value) ? wordsIn(value, 'value') : wordsIn({ words: value }, 'words');
}

/** Before there were parts, thoughts stood at the beginning of the text between lines of colons. */
function blocksOfText(text: string): readonly ContentBlock[] {
  const [whole, thinking] = /^:::thinking\n(.*?)\n:::\n*/s.exec(text) ?? [];
  if (whole === undefined || thinking === undefined) return textBlock(text);
  return [{ type: 'thinking', thinking }, ...textBlock(text.slice(whole.length))];
}

/** The call of an agent, or of an assistant of OpenAI or Azure. */
function callOf(call: Fields, index: number): readonly ContentBlock[] {
  const id = idOrNull(call['id']) ?? `call-${index}`;
  const fn = objectIn(call, 'function');
  const code = objectIn(call, 'code_interpreter');
  const type = textOrNull(call['type']) ?? 'tool_call';
  const name = idOrNull(call['name']) ?? idOrNull(fn['name']) ?? (type === 'tool_call' ? 'tool' : type);
  const given = call['args'] ?? fn['arguments'] ?? (code['input'] === undefined ? undefined : { code: code['input'] });
  const output = call['output'] ?? fn['output'] ?? logsOf(code['outputs']);
  const use: ContentBlock = { type: 'tool-use', id, name, parameters: parametersOf(given) };
  if (output === undefined || output === null) return [use];
  return [use, toolResult(id, textForm(output), call['inputValidationError'] === true)];
}

function logsOf(outputs: unknown): string | undefined {
  if (!Array.isArray(outputs)) return undefined;
  return outputs.map((output: unknown) => (isPlainObject(output) ? (textOrNull(output['logs']) ?? '') : '')).join('\n');
}

function filesIn(fields: Fields, notes: Notes): readonly ForeignFile[] {
  const attached = listIn(fields, 'attachments').filter((each) => {
    const isFile = isPlainObject(each) && (textOrNull(each['filename']) ?? textOrNull(each['filepath'])) !== null;
    if (!isFile) notes.leftOut.push(isPlainObject(each) ? (textOrNull(each['type']) ?? 'attachment') : 'attachment');
    return isFile;
  });
  return [...listIn(fields, 'files'), ...attached].map((each) => namedFile('file', objectOf(each, 'A file')));
}

function namedFile(kind: string, fields: Fields): ForeignFile {
  const name = textOrNull(fields['filename']);
  const ids = [fields['file_id'], fields['filename'], textOrNull(fields['filepath'])?.split('/').at(-1)];
  return foreignFile(kind, {
    ids: ids.flatMap((id) => idOrNull(id) ?? []),
    name,
    mediaType: textOrNull(fields['type']),
    text: textOrNull(fields['text']),
  });
}
