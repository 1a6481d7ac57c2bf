import { estimateTokens } from '@bough/core';
import { CLAUDE_MARKS } from '../../../models/cache-habits.ts';
import type { RenderInput } from '../../../protocol.ts';
import type { Body } from '../wire.ts';
import type { MessageText } from './messages.ts';

/**
 * Where the prompt cache is told to keep what it has read. The top-level mark moves by itself and changes no byte of
 * the messages; marks on the system prompt and the tools let other conversations read them, and stay where they are.
 * Writing costs by the token, so a second mark in front of the last one costs nothing.
 */
const MARK = { cache_control: { type: 'ephemeral' } } as const;
const MARK_JSON = ',"cache_control":{"type":"ephemeral"}}';

export function isCaching({ deployment: { quirks } }: Pick<RenderInput, 'deployment'>): boolean {
  return quirks['automaticCaching'] === true;
}

/** The top-level mark. */
export function cacheParameters(input: RenderInput): Body {
  return isCaching(input) ? MARK : {};
}

/** Which earlier reply the cache is asked to compare with: another one each time, so it stands behind the rest. */
export function cacheQuestion(input: RenderInput): Body {
  const { comparedWith, deployment } = input;
  const asks = isCaching(input) && comparedWith !== undefined && deployment.quirks['cacheDiagnostics'] === true;
  return asks ? { diagnostics: { previous_message_id: comparedWith } } : {};
}

/** A long system prompt gets a mark of its own; a short one stays the plain text that it is. */
export function markedSystem(system: unknown, tools: readonly object[], input: RenderInput): unknown {
  const tokens = estimateTokens(JSON.stringify([tools, system]));
  if (!isCaching(input) || typeof system !== 'string' || tokens < CLAUDE_MARKS.startTokens) return system;
  return [{ type: 'text', text: system, ...MARK }];
}

/** Long tools get one, too: they stand before the system prompt, and other prompts are used with the same tools. */
export function markedTools(tools: readonly object[], input: RenderInput): readonly object[] {
  const last = tools.findLastIndex((tool) => !('defer_loading' in tool) && 'input_schema' in tool);
  if (
    !isCaching(input) ||
    last < 0 ||
    estimateTokens(JSON.stringify(tools.slice(0, last + 1))) < CLAUDE_MARKS.startTokens
  )
    return tools;
  return tools.map((tool, at) => (at === last ? { ...tool, ...MARK } : tool));
}

/**
 * Behind a long reply, or a step with many calls, the request before ended farther back than the provider looks: a mark
 * in that place finds it again. It stands there in this request alone.
 */
export function markedMessages(messages: readonly MessageText[], input: RenderInput): readonly MessageText[] {
  const place = placeOfMark(messages, input);
  return messages.map((message, at) =>
    at === place
      ? {
          ...message,
          blocks: [...message.blocks.slice(0, -1), (message.blocks.at(-1) ?? '').replace(/\}$/, MARK_JSON)],
        }
      : message,
  );
}

/** The message that carries the mark, by its place; null where the automatic mark is enough. */
export function placeOfMark(messages: readonly MessageText[], input: RenderInput): number | null {
  const reply = messages.findLastIndex(({ role }) => role === 'assistant');
  if (!isCaching(input) || reply < 1) return null;
  const behind = messages.slice(reply).reduce((count, { blocks }) => count + blocks.length, 0);
  const last = messages[reply - 1]?.blocks.at(-1);
  return behind < CLAUDE_MARKS.lookback || last === undefined || !canBeMarked(last) ? null : reply - 1;
}

/** Thoughts and empty texts carry no mark. */
function canBeMarked(block: string): boolean {
  return (
    !/^\{"type":"(?:thinking|redacted_thinking)"/.test(block) && !block.includes('"text":""') && block.endsWith('}')
  );
}
