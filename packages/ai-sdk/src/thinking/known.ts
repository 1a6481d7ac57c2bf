import type { SharedV3ProviderOptions } from '@ai-sdk/provider';
import { sha256, stableDeepEqual } from '@bough/core';
import type { ModelMessage } from 'ai';

/** A part of a reply, as far as restoring needs it. The AI SDK's own parts fit. */
export interface ReplyPart {
  readonly type: string;
  readonly text?: string;
  readonly toolCallId?: string;
  readonly providerOptions?: SharedV3ProviderOptions | undefined;
}

export type ReasoningPart = ReplyPart & { readonly type: 'reasoning'; readonly text: string };

/** Replies as they were made, by `replyKeys`. A `Map` fits; so does anything backed by a database. */
export interface KnownReplies {
  readonly get: (key: string) => readonly ReplyPart[] | undefined;
}

/** The keys under which a reply is found again: its calls, or its words if it called nothing. */
export function replyKeys(content: readonly ReplyPart[]): readonly string[] {
  const calls = content.flatMap((part) => (part.type === 'tool-call' ? (part.toolCallId ?? []) : []));
  if (calls.length > 0) return calls.map((id) => `call:${id}`);
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return text.trim() === '' ? [] : [`text:${sha256(text)}`];
}

/**
 * Remembers the replies among messages, such as `result.response.messages`. If the application keeps it, it restores
 * what its UI loses.
 */
export function rememberReplies(
  messages: readonly ModelMessage[],
  known: Map<string, readonly ReplyPart[]> = new Map(),
): Map<string, readonly ReplyPart[]> {
  for (const message of messages) {
    if (message.role !== 'assistant' || typeof message.content === 'string') continue;
    for (const key of replyKeys(message.content)) known.set(key, message.content);
  }
  return known;
}

/**
 * The reply with the reasoning and the metadata that it was made with; null if it is not known, or if it says something
 * else by now: a signature covers what was said with it. `reasoning` creates a part of the caller's own kind.
 */
export function restoreReply<Part extends ReplyPart>(
  content: readonly Part[],
  known: KnownReplies,
  reasoning: (part: ReasoningPart) => Part,
): readonly Part[] | null {
  const [key] = replyKeys(content);
  const real = key === undefined ? undefined : known.get(key);
  if (real === undefined) return null;
  const said = content.filter((part) => part.type !== 'reasoning');
  const really = real.filter((part) => part.type !== 'reasoning');
  if (said.length !== really.length || !said.every((part, at) => saysTheSame(part, really[at]))) return null;
  let next = 0;
  const restored = real.flatMap((part): Part[] => {
    if (isReasoning(part)) return [reasoning(part)];
    const own = said[next];
    next += 1;
    return own === undefined ? [] : [{ ...own, providerOptions: part.providerOptions }];
  });
  return stableDeepEqual(restored, content) ? null : restored;
}

function isReasoning(part: ReplyPart): part is ReasoningPart {
  return part.type === 'reasoning' && typeof part.text === 'string';
}

function saysTheSame(part: ReplyPart, real: ReplyPart | undefined): boolean {
  return part.type === real?.type && part.text === real.text && part.toolCallId === real.toolCallId;
}
