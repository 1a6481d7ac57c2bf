import type { ProtocolId } from '@bough/core';
import { isPlainObject } from '@bough/core';
import type { ClientBody, ClientMessage } from '../dialect.ts';

const LIST: Readonly<Record<ProtocolId, string>> = {
  'anthropic-messages': 'messages',
  'openai-responses': 'input',
  'openai-chat': 'messages',
  gemini: 'contents',
};

/** The member of a body that holds its messages. */
export const listKey = (protocol: ProtocolId): string => LIST[protocol];

/** The elements of a body that are its messages; one element of the list may be a part of a message. */
export function listOf(protocol: ProtocolId, body: unknown): readonly unknown[] {
  const list: unknown = isPlainObject(body) ? body[LIST[protocol]] : undefined;
  return Array.isArray(list) ? list : [];
}

/** The elements of each message of a client. */
export function elementsOfMessages(body: ClientBody): readonly (readonly unknown[])[] {
  return body.messages.map((message) => elementsOf(body, message));
}

export function elementsOf({ text }: Pick<ClientBody, 'text'>, { from, to }: ClientMessage): readonly unknown[] {
  return parsedList(text.slice(from, to));
}

/** A Responses request may be a text alone, and is no list then. */
function parsedList(text: string): readonly unknown[] {
  const list: unknown = JSON.parse(`[${text}]`);
  return Array.isArray(list) ? list : [];
}

export function isReplyMessage({ parts }: ClientMessage): boolean {
  return parts.some(({ role }) => role === 'assistant');
}

const NOT_MADE = /_output$|_response$|_trigger$|^additional_tools$|^item_reference$/;

/** Whether an element of a list was made by the model. */
export function isReplyElement(element: unknown): boolean {
  if (!isPlainObject(element)) return false;
  const { role, type } = element;
  if (role !== undefined) return role === 'assistant' || role === 'model';
  return typeof type === 'string' && !NOT_MADE.test(type);
}
