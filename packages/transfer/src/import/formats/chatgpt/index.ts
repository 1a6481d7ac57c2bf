import type { Role } from '@bough/core';
import { idFrom, isPlainObject } from '@bough/core';
import type { ForeignConversation } from '../../conversation.ts';
import { Notes } from '../../conversation.ts';
import type { Fields } from '../../fields.ts';
import { idOrNull, objectIn, objectOf, textForm, textOrNull, timeOrNull } from '../../fields.ts';
import { isForeignFile } from '../../files/foreign-file.ts';
import type { ForeignEntry, ForeignPart } from '../../tree.ts';
import { treeOf } from '../../tree.ts';
import { blocksOf, instructionsIn, partsOf, textIn } from './content.ts';
import { picturesMade } from './files.ts';
import type { OpenCalls } from './tools.ts';
import { answered, callBlock, isFailedOutput, outputText, placeOfOutput, toolCalled } from './tools.ts';

export const isChatGpt = (value: unknown): boolean => isPlainObject(value) && isPlainObject(value['mapping']);

const ROLES: Readonly<Record<string, Role>> = { system: 'system', user: 'user', assistant: 'assistant', tool: 'tool' };

/**
 * One conversation of a ChatGPT export: a tree with every branch. Its reasoning is unsigned: it can be shown, never
 * replayed.
 */
export function readChatGpt(value: unknown): ForeignConversation {
  const record = objectOf(value, 'The conversation');
  const mapping = objectOf(record['mapping'], 'mapping');
  const notes = new Notes();
  const prompts: string[] = [];
  const open = new Map<string | null, OpenCalls>();
  let hasBegun = false;
  const entries = Object.entries(mapping).map(([key, entry]): ForeignEntry => {
    const fields = isPlainObject(entry) ? entry : {};
    const above = textOrNull(fields['parent']);
    const parent = above === '' && !Object.hasOwn(mapping, '') ? null : above;
    return {
      key,
      parent,
      children: (Array.isArray(fields['children']) ? fields['children'] : []).map(String),
      read: () => {
        const read = readEntry(key, mapping, open.get(parent) ?? [], notes);
        open.set(key, read.open);
        if (read.prompt !== undefined && !hasBegun) {
          prompts.push(read.prompt);
          return [];
        }
        if (read.prompt !== undefined && read.prompt !== '' && read.parts.length === 0)
          notes.leftOut.push('instructions');
        hasBegun ||= read.parts.length > 0;
        return read.parts;
      },
    };
  });
  const { messages, endOf } = treeOf(entries, notes);
  for (const [kind, held] of [
    ['starred', record['is_starred']],
    ['custom GPT', record['gizmo_id']],
    ['plugin', Array.isArray(record['plugin_ids']) && record['plugin_ids'].length > 0],
  ] as const)
    if (held !== undefined && held !== null && held !== false) notes.leftOut.push(kind);
  const id = idOrNull(record['conversation_id']) ?? idOrNull(record['id']);
  const keys = Object.keys(mapping)
    .filter((key) => key !== '')
    .sort();
  const begun = [textOrNull(record['title']), record['create_time'], messages[0]?.blocks];
  return {
    format: 'chatgpt',
    key: id ?? (keys.length > 0 ? idFrom(...keys) : idFrom(JSON.stringify(begun))),
    title: textOrNull(record['title']) ?? '',
    createdAt: timeOrNull(record['create_time']),
    systemPrompt: prompts.filter((prompt) => prompt !== '').join('\n\n') || null,
    archived: record['is_archived'] === true,
    pinned: isPinned(record['pinned_time']),
    messages,
    tipKey: endOf(idOrNull(record['current_node'])),
    leftOut: notes.leftOut,
    problems: notes.problems,
  };
}

const isPinned = (time: unknown): boolean => typeof time === 'number' || (typeof time === 'string' && time !== '');

interface Read {
  readonly parts: readonly ForeignPart[];
  /** The calls that are open below this entry. */
  readonly open: OpenCalls;
  /** Given by the person or the vendor, for the model alone. */
  readonly prompt?: string;
}

function readEntry(place: string, mapping: Fields, open: OpenCalls, notes: Notes): Read {
  const { message } = objectOf(mapping[place], 'The entry');
  const key = place || '#';
  if (message === null || message === undefined) return { parts: [], open };
  const fields = objectOf(message, 'message');
  const author = objectOf(fields['author'], 'author');
  const role = ROLES[textOrNull(author['role']) ?? ''];
  if (role === undefined) throw new Error(`The role ${textForm(author['role'])} is unknown.`);
  const createdAt = timeOrNull(fields['create_time']);
  if (role === 'tool') return readOutput(key, fields, textOrNull(author['name']) || 'tool', open, notes);
  const instructions = instructionsIn(fields);
  if (instructions !== null) return { parts: [], open, prompt: instructions };
  const shared = { key, role, createdAt };
  if (role !== 'assistant') {
    const blocks = blocksOf(fields, role, notes);
    const parts = blocks.length === 0 ? [] : [{ ...shared, blocks }];
    return role === 'system'
      ? { parts: textIn(blocks) === '' ? [] : parts, open, prompt: textIn(blocks) }
      : { parts, open: [] };
  }
  const about = { ...shared, provider: 'openai', model: textOrNull(objectIn(fields, 'metadata')['model_slug']) };
  const error = errorOf(fields);
  if (error !== null) return { parts: [{ ...about, blocks: [{ type: 'text', text: error }], isError: true }], open };
  const tool = toolCalled(fields);
  const content = objectOf(fields['content'], 'content');
  if (tool !== null) {
    const block = callBlock(key, tool, content, textOrNull(content['text']) ?? textIn(partsOf(content, {}, notes)));
    if (placeOfOutput(mapping, place, tool) === 'later')
      return { parts: [], open: [...open, { id: key, tool, block }] };
    return { parts: [{ ...about, blocks: [block] }], open: [...open, { id: key, tool }] };
  }
  const blocks = blocksOf(fields, role, notes);
  return { parts: blocks.length === 0 ? [] : [{ ...about, blocks, interrupted: isStopped(fields) }], open };
}

/**
 * The output of one of ChatGPT's tools. It answers the nearest call of that tool; without one, the tool was called by
 * ChatGPT itself. A picture that it made is part of the reply.
 */
function readOutput(key: string, fields: Fields, tool: string, open: OpenCalls, notes: Notes): Read {
  const content = objectOf(fields['content'], 'content');
  const metadata = objectIn(fields, 'metadata');
  const parts = partsOf(content, {}, notes);
  const files = [...parts.filter(isForeignFile), ...picturesMade(content, metadata)];
  const text = outputText(content, textIn(parts));
  const createdAt = timeOrNull(fields['create_time']);
  const call = answered(open, tool);
  const shown: ForeignPart = { key, role: 'assistant', blocks: files, createdAt, provider: 'openai' };
  if (call === null && text === '') return { parts: files.length === 0 ? [] : [shown], open };
  const untold = call === null ? { type: 'tool-use', id: key, name: tool, parameters: {} } : call.block;
  const result: ForeignPart = {
    key: untold === undefined ? key : `${key}#result`,
    role: 'tool',
    blocks: [{ type: 'text', text }],
    createdAt,
    toolCallId: call?.id ?? key,
    isError: isFailedOutput(fields, content),
  };
  return {
    parts: [
      ...(untold === undefined ? [] : [{ ...shown, blocks: [untold] }]),
      result,
      ...(files.length === 0 ? [] : [{ ...shown, key: `${key}#files` }]),
    ],
    open: open.filter((each) => each !== call),
  };
}

/** The person stopped it, or it was cut off. */
function isStopped(fields: Fields): boolean {
  const metadata = objectIn(fields, 'metadata');
  const how = objectIn(metadata, 'finish_details')['type'];
  return fields['status'] === 'in_progress' || how === 'interrupted' || how === 'max_tokens';
}

/** What ChatGPT showed in place of a reply. The same from one of its tools is that tool's output. */
function errorOf(fields: Fields): string | null {
  const content = objectOf(fields['content'], 'content');
  if (content['content_type'] !== 'system_error') return null;
  const parts = [textOrNull(content['name']), textOrNull(content['text'])];
  return parts.filter((part) => part !== null && part !== '').join(': ') || 'Unknown error';
}
