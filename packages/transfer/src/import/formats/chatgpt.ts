import type { ContentBlock, Role } from '@bough/core';
import { isPlainObject } from '@bough/core';
import type { ForeignConversation, ForeignMessage } from '../conversation.ts';
import { Notes } from '../conversation.ts';
import type { Fields } from '../fields.ts';
import { listOf, objectOf, parametersOf, textForm, textOrNull, timeOrNull } from '../fields.ts';
import { idFrom } from '../ids.ts';

export const isChatGpt = (value: unknown): boolean => isPlainObject(value) && isPlainObject(value['mapping']);

const ROLES: Readonly<Record<string, Role>> = {
  system: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'assistant',
};

/**
 * One conversation of a ChatGPT export: a tree with every branch. Its reasoning is unsigned: it can be shown, never
 * replayed.
 */
export function readChatGpt(value: unknown): ForeignConversation {
  const record = objectOf(value, 'The conversation');
  const mapping = objectOf(record['mapping'], 'mapping');
  const notes = new Notes();
  const messages: ForeignMessage[] = [];
  // The nearest message above: entries without content (the root, hidden notes) do not become nodes, and their children
  // move up.
  const nearest = new Map<string, string | null>();
  let systemPrompt: string | null = null;
  for (const [key, above] of walk(mapping, notes)) {
    const parentKey = above === null ? null : (nearest.get(above) ?? null);
    nearest.set(key, parentKey);
    const message = notes.attempt(`message ${key}`, () => readEntry(key, parentKey, mapping[key], notes));
    if (message === null) continue;
    if (message.role === 'system') {
      systemPrompt ??= message.blocks.map((block) => textOrNull(block['text' as keyof ContentBlock]) ?? '').join('\n');
      continue;
    }
    messages.push(message);
    nearest.set(key, key);
  }
  const current = textOrNull(record['current_node']);
  const id = textOrNull(record['conversation_id']) ?? textOrNull(record['id']);
  return {
    format: 'chatgpt',
    key: id ?? idFrom(...Object.keys(mapping).sort()),
    title: textOrNull(record['title']) ?? '',
    createdAt: timeOrNull(record['create_time']),
    systemPrompt: systemPrompt === '' ? null : systemPrompt,
    messages,
    tipKey: current === null ? null : (nearest.get(current) ?? null),
    leftOut: notes.leftOut,
    problems: notes.problems,
  };
}

/** Parents first, children in order; without recursion, because a conversation may be deeper than the stack. */
function* walk(mapping: Fields, notes: Notes): Generator<readonly [key: string, parent: string | null]> {
  const children = new Map<string | null, string[]>();
  for (const [key, entry] of Object.entries(mapping)) {
    const parent = isPlainObject(entry) ? textOrNull(entry['parent']) : null;
    const known = parent !== null && parent in mapping ? parent : null;
    if (parent !== null && known === null)
      notes.problems.push({ where: `message ${key}`, message: `Its parent ${parent} is not there.` });
    children.set(known, [...(children.get(known) ?? []), key]);
  }
  const order = (parent: string | null): readonly string[] => {
    const found = children.get(parent) ?? [];
    const entry = parent === null ? undefined : mapping[parent];
    const wanted = isPlainObject(entry) && Array.isArray(entry['children']) ? entry['children'] : [];
    const place = new Map(wanted.map((key, index) => [String(key), index]));
    return [...found].sort((a, b) => (place.get(a) ?? place.size) - (place.get(b) ?? place.size));
  };
  const waiting = order(null)
    .map((key): [string, string | null] => [key, null])
    .reverse();
  let seen = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    seen += 1;
    yield next;
    for (const child of [...order(next[0])].reverse()) waiting.push([child, next[0]]);
  }
  const lost = Object.keys(mapping).length - seen;
  if (lost > 0) notes.problems.push({ where: 'mapping', message: `${lost} message(s) are each other's parents.` });
}

function readEntry(key: string, parentKey: string | null, entry: unknown, notes: Notes): ForeignMessage | null {
  const message = objectOf(entry, 'The entry')['message'];
  if (message === null || message === undefined) return null;
  const fields = objectOf(message, 'message');
  const author = objectOf(fields['author'], 'author');
  const role = ROLES[textOrNull(author['role']) ?? ''];
  if (role === undefined) throw new Error(`The role ${textForm(author['role'])} is unknown.`);
  const metadata = isPlainObject(fields['metadata']) ? fields['metadata'] : {};
  const error = author['role'] === 'assistant' ? errorOf(fields) : null;
  const blocks = error === null ? blocksOf(fields, author, role, notes) : [{ type: 'text' as const, text: error }];
  if (blocks.length === 0) return null;
  return {
    key,
    parentKey,
    role,
    blocks,
    createdAt: timeOrNull(fields['create_time']),
    provider: role === 'assistant' ? 'openai' : null,
    model: role === 'assistant' ? textOrNull(metadata['model_slug']) : null,
    isError: error !== null,
    interrupted: fields['status'] === 'in_progress',
  };
}

/** What ChatGPT showed in place of a reply. The same from one of its tools is that tool's output. */
function errorOf(fields: Fields): string | null {
  const content = objectOf(fields['content'], 'content');
  if (content['content_type'] !== 'system_error') return null;
  const parts = [textOrNull(content['name']), textOrNull(content['text'])];
  return parts.filter((part) => part !== null && part !== '').join(': ') || 'Unknown error';
}

function blocksOf(fields: Fields, author: Fields, role: Role, notes: Notes): readonly ContentBlock[] {
  const content = objectOf(fields['content'], 'content');
  const type = textOrNull(content['content_type']) ?? 'text';
  if (author['role'] === 'tool') {
    // The output of one of ChatGPT's tools: there is no call id to pair it with, so it is kept but not shown.
    const text = textOrNull(content['text']) ?? partsText(content, notes);
    return text === ''
      ? []
      : [{ type: 'chatgpt_tool_output', tool: textOrNull(author['name']), content_type: type, text }];
  }
  switch (type) {
    case 'text':
    case 'multimodal_text': {
      const text = partsText(content, notes);
      if (text !== '') return [{ type: 'text', text }];
      return role === 'user' && type === 'multimodal_text'
        ? [{ type: 'text', text: '(attachment, not imported)' }]
        : [];
    }
    case 'thoughts':
      return listOf(content['thoughts'] ?? [], 'thoughts').flatMap((thought): ContentBlock[] => {
        const { summary, content: words } = objectOf(thought, 'A thought');
        const thinking = [textOrNull(summary), textOrNull(words)]
          .filter((part) => part !== null && part !== '')
          .join('\n\n');
        return thinking === '' ? [] : [{ type: 'thinking', thinking }];
      });
    case 'reasoning_recap':
      return [{ type: 'chatgpt_reasoning_recap', content: textOrNull(content['content']) ?? '' }];
    case 'code': {
      const text = textOrNull(content['text']) ?? '';
      const recipient = textOrNull(fields['recipient']) ?? 'all';
      if (role !== 'assistant' || recipient === 'all') return [{ type: 'text', text }];
      return [{ type: 'chatgpt_tool_call', tool: recipient, parameters: parametersOf(text) }];
    }
    default:
      notes.leftOut.push(type);
      return role === 'assistant' ? [{ type: `chatgpt_${type}`, content }] : [];
  }
}

function partsText(content: Fields, notes: Notes): string {
  const texts: string[] = [];
  for (const part of listOf(content['parts'] ?? [], 'parts')) {
    if (typeof part === 'string') texts.push(part);
    else if (isPlainObject(part)) {
      const text = textOrNull(part['text']);
      if (text === null) notes.leftOut.push(textOrNull(part['content_type']) ?? 'attachment');
      else texts.push(text);
    }
  }
  return texts.join('\n');
}
