import { isPlainObject } from '@bough/core';
import type { ModelInfo } from '../../../models/model.ts';
import type { Finding, Rule } from '../../../rulebook/rule.ts';
import type { Quirks } from '../traits.ts';
import type { Json } from '../response/json.ts';
import { listAt, objectsAt, stringAt } from '../response/json.ts';

export interface ChatContext {
  readonly quirks: Quirks;
  readonly model: ModelInfo;
}

export type ChatRule = Rule<Json, ChatContext>;

/** A message with its place. A body may hold anything: what is not an object is not a message. */
export interface Placed {
  readonly index: number;
  readonly message: Json;
  readonly role: string;
}

export function messagesOf(body: Json): readonly Placed[] {
  return listAt(body, 'messages').flatMap((message, index) =>
    isPlainObject(message) ? [{ index, message, role: stringAt(message, 'role') ?? '' }] : [],
  );
}

export function assistants(body: Json): readonly Placed[] {
  return messagesOf(body).filter(({ role }) => role === 'assistant');
}

export const callsOf = (message: Json): readonly Json[] => objectsAt(message, 'tool_calls');

/** The provider's error message for a place in the body. */
export function finding(path: string, message: string, more: { status?: number; errorCode?: string } = {}): Finding {
  return {
    path,
    message,
    status: more.status ?? 400,
    ...(more.errorCode !== undefined && { errorCode: more.errorCode }),
  };
}

/** The body with other messages; `change` returns null to drop one, or a list to replace it with several. */
export function mapMessages(
  body: Json,
  change: (placed: Placed, all: readonly Placed[]) => Json | readonly Json[] | null,
): Json {
  const all = messagesOf(body);
  return {
    ...body,
    messages: all.flatMap((placed) => {
      const changed = change(placed, all);
      return changed === null ? [] : changed;
    }),
  };
}

export function without(json: Json, ...keys: readonly string[]): Json {
  return Object.fromEntries(Object.entries(json).filter(([key]) => !keys.includes(key)));
}

/** The text of a message that contains only text; null for any other. */
export function plainTextOf(message: Json): string | null {
  const keys = Object.keys(message).filter((key) => key !== 'role' && key !== 'content');
  return keys.length === 0 ? stringAt(message, 'content') : null;
}
