import { isNestedTooDeep, isPlainObject } from '@bough/core';

/** Deeper than any conversation is long. */
const MOST = 100_000;

/**
 * LibreChat writes a conversation as messages that hold the messages below them: a long one is nested as deep as it is
 * long. The same as a list, in which each message names the one above it; null for anything else that is too deep.
 */
export function flattened(text: string): unknown {
  if (!text.includes('"messageId"') || isNestedTooDeep(text, MOST)) return null;
  const value: unknown = JSON.parse(text);
  if (!isPlainObject(value)) return null;
  const { messagesTree, messages, ...record } = value;
  const roots = messagesTree ?? messages;
  if (!Array.isArray(roots)) return null;
  const flat: unknown[] = [];
  const waiting: { readonly message: unknown; readonly above: unknown }[] = below(roots, undefined);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { message, above } = next;
    if (!isPlainObject(message)) {
      flat.push(message);
      continue;
    }
    const { children, ...fields } = message;
    flat.push(above === undefined ? fields : { ...fields, parentMessageId: above });
    if (Array.isArray(children)) waiting.push(...below(children, fields['messageId']));
  }
  const shallow = { ...record, messages: flat };
  return isNestedTooDeep(JSON.stringify(shallow)) ? null : shallow;
}

/** The first one last: it is taken from the end. */
function below(messages: readonly unknown[], above: unknown): { readonly message: unknown; readonly above: unknown }[] {
  return messages.map((message) => ({ message, above })).reverse();
}
