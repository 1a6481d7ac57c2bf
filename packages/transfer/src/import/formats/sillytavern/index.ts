import type { ContentBlock, Role } from '@bough/core';
import { idFrom, isPlainObject } from '@bough/core';
import type { ForeignConversation } from '../../conversation.ts';
import { Notes } from '../../conversation.ts';
import type { Fields } from '../../fields.ts';
import {
  idOrNull,
  listIn,
  MalformedError,
  objectIn,
  objectOf,
  parametersOf,
  textForm,
  textOf,
  textOrNull,
  wordsIn,
} from '../../fields.ts';
import type { ForeignFile } from '../../files/foreign-file.ts';
import { fileAt } from '../../files/foreign-file.ts';
import type { ForeignEntry, ForeignPart } from '../../tree.ts';
import { treeOf } from '../../tree.ts';
import { toolResult } from '../anthropic-blocks.ts';
import { partsFrom, providerOf } from '../reply-parts.ts';
import { tavernTime } from './times.ts';

/** The first line of a chat: who talks, and what was set for this chat. */
const isHeader = (value: unknown): value is Fields =>
  isPlainObject(value) && !('mes' in value) && ('chat_metadata' in value || 'character_name' in value);

/** One line of a chat file. */
export const isTavernLine = (value: unknown): boolean =>
  isHeader(value) || (isPlainObject(value) && 'mes' in value && ('is_user' in value || 'send_date' in value));

/** A chat: one message after the other, each with the answers that were swiped away. */
export function readTavern(lines: readonly unknown[], name: string): ForeignConversation {
  const notes = new Notes();
  const header = lines.find(isHeader) ?? {};
  const metadata = objectIn(header, 'chat_metadata');
  const talk = lines.filter((line) => !isHeader(line));
  const entries: ForeignEntry[] = [];
  let tail: string | null = null;
  talk.forEach((line, index) => {
    const above = tail;
    const fields = isPlainObject(line) ? line : {};
    const swipes = Array.isArray(fields['swipes']) && fields['swipes'].length > 0 ? fields['swipes'] : [fields['mes']];
    const chosen = typeof fields['swipe_id'] === 'number' && fields['swipe_id'] in swipes ? fields['swipe_id'] : 0;
    swipes.forEach((_, swipe) => {
      const key = `${index}.${swipe}`;
      const isShown = swipe === chosen;
      if (isShown) tail = key;
      entries.push({ key, parent: above, read: () => readMessage(key, line, swipe, isShown, notes) });
    });
  });
  const { messages, endOf } = treeOf(entries, notes);
  const prompts = [metadata['system_prompt'], metadata['scenario']].flatMap((prompt) => textOrNull(prompt) || []);
  for (const each of Object.keys(metadata))
    if (!HANDLED_METADATA.has(each)) notes.leftOut.push(`chat_metadata.${each}`);
  const character = nameOf(header['character_name']) ?? nameOf(speakerIn(talk)) ?? '';
  const begun = textForm(header['create_date'] ?? '');
  return {
    format: 'sillytavern',
    key: idOrNull(metadata['integrity']) ?? idFrom(name, character, begun, JSON.stringify(messages[0]?.blocks ?? [])),
    title: character === '' ? name.replace(/\.jsonl?(?: \d+)?$/i, '') : character,
    createdAt: tavernTime(header['create_date']) ?? messages[0]?.createdAt ?? null,
    systemPrompt: prompts.length === 0 ? null : prompts.join('\n\n'),
    messages,
    tipKey: endOf(tail),
    leftOut: notes.leftOut,
    problems: notes.problems,
  };
}

const HANDLED_METADATA: ReadonlySet<string> = new Set([
  'system_prompt',
  'scenario',
  'integrity',
  'tainted',
  'chat_id_hash',
]);
const HANDLED: ReadonlySet<string> = new Set(
  (
    'api model type gen_id tool_invocations image inline_image media file files error ' +
    'reasoning reasoning_duration reasoning_signature reasoning_type time_to_first_token'
  ).split(' '),
);

/** Newer versions write `unused` where the name was. */
function nameOf(value: unknown): string | null {
  return value === 'unused' ? null : idOrNull(value);
}

function speakerIn(lines: readonly unknown[]): unknown {
  const reply = lines.find((line) => isPlainObject(line) && line['is_user'] === false && line['is_system'] !== true);
  return isPlainObject(reply) ? reply['name'] : null;
}

function readMessage(
  key: string,
  line: unknown,
  swipe: number,
  isShown: boolean,
  notes: Notes,
): readonly ForeignPart[] {
  const fields = objectOf(line, 'The message');
  // An answer that is shown may have been edited since it was put among the swipes.
  const text = textOf(isShown ? fields['mes'] : listIn(fields, 'swipes')[swipe], isShown ? 'mes' : `swipes[${swipe}]`);
  const kept = listIn(fields, 'swipe_info')[swipe];
  const about = isShown || !isPlainObject(kept) ? fields : kept;
  const extra = about['extra'] === undefined || about['extra'] === null ? {} : objectOf(about['extra'], 'extra');
  if (fields['swipe_id'] !== undefined && typeof fields['swipe_id'] !== 'number')
    throw new MalformedError('swipe_id must be a number.');
  listIn(fields, 'swipes');
  for (const each of Object.keys(extra)) if (!HANDLED.has(each)) notes.leftOut.push(`extra.${each}`);
  const facts = {
    key,
    createdAt: tavernTime(about['send_date']) ?? tavernTime(fields['send_date']),
    provider: providerOf(textOrNull(extra['api'])),
    model: textOrNull(extra['model']),
  };
  const invocations = listIn(extra, 'tool_invocations');
  if (invocations.length > 0) return partsFrom({ ...facts, role: 'assistant' }, callsOf(invocations));
  const role = roleOf(fields, extra);
  if (role === null) {
    // A word of the program or a note to oneself: no model ever saw it, and none shall.
    notes.leftOut.push('system message');
    return partsFrom({ ...facts, role: 'assistant' }, [{ type: 'sillytavern_note', name: fields['name'], text }]);
  }
  return partsFrom({ ...facts, role }, [
    ...(role === 'assistant' ? thoughtOf(extra) : []),
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...filesOf(extra),
    ...(role === 'assistant' ? speakerOf(fields) : []),
  ]);
}

function roleOf(fields: Fields, extra: Fields): Role | null {
  if (extra['type'] === 'narrator') return 'system';
  if (fields['is_system'] === true && typeof extra['type'] === 'string') return null;
  return fields['is_user'] === true ? 'user' : 'assistant';
}

/** Groups have several characters; a reply keeps whose it is. */
function speakerOf(fields: Fields): readonly ContentBlock[] {
  return 'original_avatar' in fields ? [{ type: 'sillytavern_speaker', name: fields['name'] }] : [];
}

function thoughtOf(extra: Fields): readonly ContentBlock[] {
  const thinking = wordsIn(extra, 'reasoning');
  const signature = textOrNull(extra['reasoning_signature']) ?? '';
  if (signature === '') return thinking === '' ? [] : [{ type: 'thinking', thinking }];
  if (extra['api'] === 'claude') return [{ type: 'thinking', thinking, signature }];
  return [
    ...(thinking === '' ? [] : [{ type: 'thinking' as const, thinking }]),
    { type: 'thinking_signature', signature },
  ];
}

function callsOf(invocations: readonly unknown[]): readonly ContentBlock[] {
  return invocations.flatMap((value, index): readonly ContentBlock[] => {
    const call = objectOf(value, `tool_invocations[${index}]`);
    const id = idOrNull(call['id']) ?? `call-${index}`;
    const name = idOrNull(call['name']) ?? idOrNull(call['displayName']) ?? 'tool';
    const use: ContentBlock = { type: 'tool-use', id, name, parameters: parametersOf(call['parameters']) };
    const result = call['result'];
    return result === undefined || result === null
      ? [use]
      : [use, toolResult(id, textForm(result), call['error'] === true)];
  });
}

function filesOf(extra: Fields): readonly ForeignFile[] {
  const image = textOrNull(extra['image']);
  const media = listIn(extra, 'media').filter(isPlainObject);
  const files = [extra['file'], ...listIn(extra, 'files')].filter(isPlainObject);
  return [
    ...(image === null || image === '' ? [] : [fileAt('image', image)]),
    ...media.flatMap((each) =>
      textOrNull(each['url']) === null ? [] : [fileAt(textForm(each['type'] ?? 'image'), textForm(each['url']))],
    ),
    ...files.map((file) => {
      const text = textOrNull(file['text']);
      return {
        ...fileAt('file', textForm(file['url'] ?? ''), { name: textOrNull(file['name']) }),
        text: text === '' ? null : text,
      };
    }),
  ];
}
