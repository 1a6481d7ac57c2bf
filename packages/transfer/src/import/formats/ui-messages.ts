import type { ContentBlock } from '@bough/core';
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
import type { ForeignError } from '../error-reply.ts';
import { errorOfReply, errorText, failedParts } from '../error-reply.ts';
import { fileAt } from '../files/foreign-file.ts';
import { modernParts } from './ui-parts.ts';

export const isUiMessage = (value: unknown): boolean =>
  isPlainObject(value) && typeof value['role'] === 'string' && Array.isArray(value['parts']);

type Part = Omit<ForeignMessage, 'parentKey'>;

/** A conversation of an application built on the AI SDK. Signatures are taken from the providers' metadata. */
export function readUiMessages(values: readonly unknown[], holder: Fields, name: string): ForeignConversation {
  const notes = new Notes();
  const systems: string[] = [];
  const parts: Part[] = [];
  values.forEach((value, index) => {
    const id = isPlainObject(value) ? textOrNull(value['id']) || null : null;
    const read = notes.attempt(`message ${id ?? index + 1}`, () =>
      partsOfUiMessage(objectOf(value, 'A message'), id ?? String(index), notes),
    );
    for (const part of read ?? []) {
      if (part.role === 'system' && parts.length === 0) systems.push(deriveTextFromBlocks(part.blocks));
      else parts.push(part);
    }
  });
  const first = parts.find(({ role }) => role === 'user');
  return {
    format: 'ui-messages',
    key: textOrNull(holder['id']) || idFrom(name, parts[0]?.key ?? '', JSON.stringify(parts[0]?.blocks ?? [])),
    title: textOrNull(holder['title']) ?? deriveTextFromBlocks(first?.blocks ?? []),
    createdAt: timeOrNull(holder['createdAt']),
    systemPrompt: systems.length === 0 ? null : systems.join('\n\n'),
    messages: inLine(parts),
    leftOut: notes.leftOut,
    problems: notes.problems,
  };
}

/** One message of the AI SDK, as the nodes that it becomes. */
export function partsOfUiMessage(fields: Fields, key: string, notes: Notes): readonly Part[] {
  const { role } = fields;
  if (role !== 'system' && role !== 'user' && role !== 'assistant') {
    throw new MalformedError(`The role "${textForm(role)}" is unknown.`);
  }
  const metadata = isPlainObject(fields['metadata']) ? fields['metadata'] : {};
  const shared = {
    createdAt: timeOrNull(fields['createdAt'] ?? metadata['createdAt']),
    provider: role === 'assistant' ? textOrNull(metadata['provider']) : null,
    model: role === 'assistant' ? textOrNull(metadata['model']) : null,
  };
  const messages: Part[] = [];
  let error: ForeignError | null = null;
  let open: ContentBlock[] | null = null;
  const add = (message: Omit<Part, 'key' | 'createdAt'>): void => {
    messages.push({ ...shared, ...message, key: messages.length === 0 ? key : `${key}#${messages.length}` });
  };
  const block = (...blocks: readonly ContentBlock[]): void => {
    if (open === null) {
      open = [];
      add({ role, blocks: open });
    }
    open.push(...blocks);
  };
  let results: Omit<Part, 'key' | 'createdAt'>[] = [];
  // The results of a step come after all of its calls: the calls of one reply are one message.
  const closeStep = (): void => {
    for (const result of results) add(result);
    if (results.length > 0) open = null;
    results = [];
  };
  for (const [place, entry] of modernParts(listOf(fields['parts'], 'parts')).entries()) {
    const part = objectOf(entry, `parts[${place}]`);
    const type = textOf(part['type'], `parts[${place}].type`);
    if (type === 'step-start') closeStep();
    else if (type === 'text') {
      if (results.length > 0) closeStep();
      const signature = signatureOf(part['providerMetadata']);
      const text = textOf(part['text'], `parts[${place}].text`);
      if (text !== '') block({ type: 'text', text });
      if (signature !== null && role === 'assistant') block({ type: 'thinking_signature', signature });
    } else if (type === 'reasoning') {
      if (results.length > 0) closeStep();
      block(...reasoningOf(part));
    } else if (type === 'dynamic-tool' || type.startsWith('tool-')) {
      const { call, result } = toolOf(part, type);
      block(call);
      const signature = signatureOf(part['callProviderMetadata']);
      if (signature !== null) block({ type: 'thinking_signature', signature });
      if (result !== null) results.push(result);
    } else if (type === 'file' && textOrNull(part['url']) !== null) {
      const name = textOrNull(part['filename']);
      block(fileAt('file', textForm(part['url']), name === null ? {} : { name }));
    } else if (type === 'error' || type === 'data-error') {
      error = {
        message: errorText(part['errorText'] ?? part['error'] ?? part['data'] ?? part['text']) ?? 'Unknown error',
      };
    } else {
      notes.leftOut.push(type);
      if (role === 'assistant') block({ ...part, type: `ui_${type}` });
    }
  }
  closeStep();
  error ??= role === 'assistant' ? (errorOfReply(fields) ?? errorOfReply(metadata)) : null;
  if (error !== null) return failedParts(messages, error, key).map((part) => ({ ...part, ...shared }));
  if (messages.length === 0) throw new MalformedError('It holds nothing that can be imported.');
  return messages;
}

function reasoningOf(part: Fields): readonly ContentBlock[] {
  const metadata = isPlainObject(part['providerMetadata']) ? part['providerMetadata'] : {};
  const thinking = wordsIn(part, 'text');
  const anthropic = isPlainObject(metadata['anthropic']) ? metadata['anthropic'] : {};
  const redacted = textOrNull(anthropic['redactedData']);
  if (redacted !== null) return [{ type: 'redacted_thinking', data: redacted }];
  const signature = textOrNull(anthropic['signature']);
  if (signature !== null) return [{ type: 'thinking', thinking, signature }];
  const openai = isPlainObject(metadata['openai']) ? metadata['openai'] : {};
  const carried = textOrNull(openai['reasoningEncryptedContent']) ?? signatureOf(metadata);
  return [
    ...(thinking === '' ? [] : [{ type: 'thinking' as const, thinking }]),
    ...(carried === null ? [] : [{ type: 'thinking_signature' as const, signature: carried }]),
  ];
}

/** Gemini may sign any kind of part. */
function signatureOf(metadata: unknown): string | null {
  const google = isPlainObject(metadata) ? metadata['google'] : undefined;
  return isPlainObject(google) ? textOrNull(google['thoughtSignature']) : null;
}

function toolOf(
  part: Fields,
  type: string,
): { readonly call: ContentBlock; readonly result: Omit<Part, 'key' | 'createdAt'> | null } {
  const id = textOf(part['toolCallId'], 'toolCallId');
  const name = type === 'dynamic-tool' ? textOf(part['toolName'], 'toolName') : type.slice('tool-'.length);
  const call: ContentBlock = { type: 'tool-use', id, name, parameters: parametersOf(part['input']) };
  if (part['state'] !== undefined) textOf(part['state'], 'state');
  const isError = part['state'] === 'output-error';
  if (!isError && part['state'] !== 'output-available') return { call, result: null };
  const text = isError ? wordsIn(part, 'errorText') : textForm(part['output']);
  return { call, result: { role: 'tool', blocks: [{ type: 'text', text }], toolCallId: id, isError } };
}
