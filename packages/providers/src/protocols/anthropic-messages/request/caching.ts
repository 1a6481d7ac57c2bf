import { estimateTokens } from '@bough/core';
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

/** What is shorter is cached by no older model; some newer ones cache less, and the automatic mark covers them. */
const LEAST_TOKENS = 1_024;
/** How many blocks the provider looks back from a mark, the marked one included. */
const LOOKBACK = 20;

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
  if (!isCaching(input) || typeof system !== 'string' || tokens < LEAST_TOKENS) return system;
  return [{ type: 'text', text: system, ...MARK }];
}

/** Long tools get one, too: they stand before the system prompt, and other prompts are used with the same tools. */
export function markedTools(tools: readonly object[], input: RenderInput): readonly object[] {
  const last = tools.findLastIndex((tool) => !('defer_loading' in tool) && 'input_schema' in tool);
  if (!isCaching(input) || last < 0 || estimateTokens(JSON.stringify(tools.slice(0, last + 1))) < LEAST_TOKENS)
    return tools;
  return tools.map((tool, at) => (at === last ? { ...tool, ...MARK } : tool));
}

/**
 * In a step of a running turn with many calls the request before ended farther back than the provider looks: a mark in
 * that place finds it again. Only messages of the running turn are marked: those of closed turns are sent byte for byte
 * as they are stored.
 */
export function markedMessages(messages: readonly MessageText[], input: RenderInput): readonly MessageText[] {
  const reply = messages.findLastIndex(({ role }) => role === 'assistant');
  const end = reply - 1;
  if (!isCaching(input) || reply < 1 || !isRunning(messages, reply)) return messages;
  const behind = messages.slice(reply).reduce((count, { blocks }) => count + blocks.length, 0);
  const marked = messages[end]?.blocks.at(-1);
  if (behind < LOOKBACK || marked === undefined || !canBeMarked(marked)) return messages;
  return messages.map((message, at) =>
    at === end ? { ...message, blocks: [...message.blocks.slice(0, -1), marked.replace(/\}$/, MARK_JSON)] } : message,
  );
}

/** Whether the newest message answers calls, so that the reply before it belongs to the same turn. */
function isRunning(messages: readonly MessageText[], reply: number): boolean {
  const answers = (message: MessageText | undefined): boolean =>
    message?.role === 'user' && message.blocks.every((block) => block.startsWith('{"type":"tool_result"'));
  return reply < messages.length - 1 && messages.slice(reply + 1).every(answers);
}

/** Thoughts and empty texts carry no mark. */
function canBeMarked(block: string): boolean {
  return (
    !/^\{"type":"(?:thinking|redacted_thinking)"/.test(block) && !block.includes('"text":""') && block.endsWith('}')
  );
}
