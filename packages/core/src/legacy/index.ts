import type { ContentBlock } from '../blocks/index.ts';
import { isPlainObject } from '../blocks/index.ts';
import { BoughError } from '../errors/index.ts';
import type { Message } from '../messages/index.ts';
import { InvalidMessageError, parseMessage } from '../messages/index.ts';

export interface LegacyToolCall {
  readonly id: string;
  readonly type?: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** The older node form kept the reasoning in a trace next to the text. */
export interface LegacyThinking {
  readonly content?: string | readonly ContentBlock[] | null;
}

/**
 * The arguments of an old tool call are not a JSON object. Names the call, so that the record can be found and fixed.
 */
export class ToolArgumentParseError extends BoughError {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly excerpt: string;

  constructor(toolCallId: string, toolName: string, argumentsText: string, options?: { cause?: unknown }) {
    const excerpt = argumentsText.length > 80 ? `${argumentsText.slice(0, 80)}…` : argumentsText;
    super(
      'tool_argument_parse',
      `The arguments of the call ${toolCallId} to the tool "${toolName}" are not a JSON object: ${excerpt}`,
      options,
    );
    this.toolCallId = toolCallId;
    this.toolName = toolName;
    this.excerpt = excerpt;
  }
}

/** Text first, then the calls in order, as the senders of the old format meant them. */
export function legacyToContentBlocks(
  content: string | null,
  toolCalls: readonly LegacyToolCall[] = [],
): readonly ContentBlock[] {
  const calls = toolCalls.map(toToolUse);
  // An empty text next to calls says nothing; alone, it is all that the message has and is kept.
  const hasText = content !== null && (content !== '' || calls.length === 0);
  return hasText ? [{ type: 'text', text: content }, ...calls] : calls;
}

/** The blocks of a thinking trace, which hold thoughts and signatures but sometimes repeat the text too. */
export function thinkingTraceToBlocks(thinking: LegacyThinking | null | undefined): readonly ContentBlock[] {
  const content = thinking?.content;
  if (content == null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'thinking', thinking: content }];
  return content.filter((block) => block.type !== 'text');
}

/** Any stored message in canonical form. One that is already canonical comes back as the same object. */
export function normalizeMessage(value: unknown): Message {
  if (!isPlainObject(value)) throw new InvalidMessageError('message', 'must be an object.');
  if (Array.isArray(value['content']) && value['tool_calls'] === undefined) return parseMessage(value);

  const { role, content, contentBlocks, thinking, tool_calls: toolCalls, tool_call_id: toolCallId } = value;
  const blocks = isBlockList(contentBlocks)
    ? contentBlocks
    : [...thinkingTraceToBlocks(readThinking(thinking)), ...readContent(content, readToolCalls(toolCalls))];
  return parseMessage(
    toolCallId == null ? { role, content: blocks } : { role, content: blocks, tool_call_id: toolCallId },
  );
}

function readContent(content: unknown, calls: readonly LegacyToolCall[]): readonly ContentBlock[] {
  if (content === undefined || content === null) return legacyToContentBlocks(null, calls);
  if (typeof content === 'string') return legacyToContentBlocks(content, calls);
  // Blocks with `tool_calls` next to them: both count, in that order.
  if (isBlockList(content)) return [...content, ...legacyToContentBlocks(null, calls)];
  throw new InvalidMessageError('content', 'must be a text, null or an array of blocks.');
}

function readToolCalls(value: unknown): readonly LegacyToolCall[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new InvalidMessageError('tool_calls', 'must be an array.');
  return value.map((call: unknown, index) => {
    const fn = isPlainObject(call) ? call['function'] : undefined;
    if (
      !isPlainObject(call) ||
      typeof call['id'] !== 'string' ||
      !isPlainObject(fn) ||
      typeof fn['name'] !== 'string'
    ) {
      throw new InvalidMessageError(`tool_calls[${index}]`, 'must have an id and a function with a name.');
    }
    const text = fn['arguments'];
    if (text !== undefined && typeof text !== 'string') {
      throw new InvalidMessageError(`tool_calls[${index}].function.arguments`, 'must be a JSON text.');
    }
    return { id: call['id'], function: { name: fn['name'], arguments: text ?? '' } };
  });
}

function readThinking(value: unknown): LegacyThinking | null {
  if (!isPlainObject(value)) return null;
  const content = value['content'];
  return typeof content === 'string' || isBlockList(content) ? { content } : null;
}

function isBlockList(value: unknown): value is readonly ContentBlock[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((block: unknown) => isPlainObject(block) && typeof block['type'] === 'string')
  );
}

function toToolUse(call: LegacyToolCall): ContentBlock {
  const { name, arguments: text } = call.function;
  return { type: 'tool-use', id: call.id, name, parameters: parseArguments(call.id, name, text) };
}

function parseArguments(id: string, name: string, text: string): Record<string, unknown> {
  // Some servers send an empty text for a call without arguments.
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ToolArgumentParseError(id, name, text, { cause });
  }
  if (!isPlainObject(value)) throw new ToolArgumentParseError(id, name, text);
  return value;
}
