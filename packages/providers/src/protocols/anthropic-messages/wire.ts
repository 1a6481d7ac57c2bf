import { isPlainObject, memoized } from '@bough/core';
import type { ClaudeTraits } from './traits.ts';

// A tolerant view of a request body: anything malformed is absent here, and the shape rules report it.

/** A parsed request body. Nothing in it is trusted: the simulator checks what arbitrary clients send. */
export type Body = Readonly<Record<string, unknown>>;

/** The objects of a list. */
export const listOf = (value: unknown): readonly Body[] => (Array.isArray(value) ? value.filter(isPlainObject) : []);

export interface WireBlock {
  readonly value: Body;
  readonly type: string;
  /** Its place in the body, such as `messages.3.content.0`. */
  readonly path: string;
}

export interface WireMessage {
  /** The position in `messages`, which is what the provider's error texts name. */
  readonly index: number;
  readonly role: string;
  readonly blocks: readonly WireBlock[];
  /** A system message that only sets the effort: it says nothing, and may stand anywhere. */
  readonly isEffortOnly: boolean;
}

// Bodies never change, and every rule looks at them: each view is made once.

export const messagesOf = memoized((body: Body): readonly WireMessage[] => {
  const messages: unknown = body['messages'];
  if (!Array.isArray(messages)) return [];
  const list: readonly unknown[] = messages;
  const views: WireMessage[] = [];
  for (const [index, message] of list.entries()) {
    const view = isPlainObject(message) ? messageAt(message, index) : null;
    if (view !== null) views.push(view);
  }
  return views;
});

function messageAt(message: Body, index: number): WireMessage | null {
  const { role, content } = message;
  if (typeof role !== 'string') return null;
  const blocks = blocksOf(content, `messages.${index}.content`);
  return { index, role, blocks, isEffortOnly: isEffortOnly(message) };
}

/** True for a system message without content that carries an output configuration: its effort counts from there on. */
export function isEffortOnly({ role, content, output_config: output }: Body): boolean {
  const isSilent = content === undefined || content === null || (Array.isArray(content) && content.length === 0);
  return role === 'system' && isSilent && isPlainObject(output) && Object.keys(output).length > 0;
}

export function blocksOf(content: unknown, path: string): WireBlock[] {
  if (typeof content === 'string')
    return content === '' ? [] : [{ value: { type: 'text', text: content }, type: 'text', path }];
  if (!Array.isArray(content)) return [];
  const blocks: WireBlock[] = [];
  for (const [index, block] of content.entries()) {
    if (isPlainObject(block) && typeof block['type'] === 'string')
      blocks.push({ value: block, type: block['type'], path: `${path}.${index}` });
  }
  return blocks;
}

/** Every block of every message, in order. */
export const allBlocksOf = memoized((body: Body): readonly WireBlock[] => {
  const all: WireBlock[] = [];
  for (const { blocks } of messagesOf(body)) for (const block of blocks) all.push(block);
  return all;
});

/**
 * Neighbours of the same role are one turn: the API joins them before it looks at anything. A message that only sets
 * the effort separates nothing.
 */
export interface WireTurn {
  readonly role: string;
  readonly messages: readonly WireMessage[];
  readonly blocks: readonly WireBlock[];
}

export const turnsOf = memoized((body: Body): readonly WireTurn[] => {
  const turns: WireTurn[] = [];
  for (const message of messagesOf(body)) {
    if (message.isEffortOnly) continue;
    const last = turns.at(-1);
    if (last?.role === message.role) turns[turns.length - 1] = joined(last, message);
    else turns.push({ role: message.role, messages: [message], blocks: message.blocks });
  }
  return turns;
});

/** The turns of the two speakers, without the system messages between and behind them. */
export const spokenTurns = memoized((body: Body): readonly WireTurn[] => {
  const turns = turnsOf(body);
  return turns.some(({ role }) => role === 'system') ? turns.filter(({ role }) => role !== 'system') : turns;
});

function joined({ role, messages, blocks }: WireTurn, message: WireMessage): WireTurn {
  return { role, messages: [...messages, message], blocks: [...blocks, ...message.blocks] };
}

export const isReasoning = (block: Pick<WireBlock, 'type'>): boolean =>
  block.type === 'thinking' || block.type === 'redacted_thinking' || block.type === 'connector_text';

/** Calls that the provider runs itself, and their results: both live in the assistant's message. */
export const isServerCall = (block: Pick<WireBlock, 'type'>): boolean =>
  block.type === 'server_tool_use' || block.type === 'mcp_tool_use';

export const isServerResult = (block: Pick<WireBlock, 'type'>): boolean =>
  block.type.endsWith('_tool_result') && block.type !== 'tool_result';

/** The call of the provider's own tool from inside which a tool was called, or null if the model called it directly. */
export function callerOf({ value }: Pick<WireBlock, 'value'>): string | null {
  const caller = value['caller'];
  const id = isPlainObject(caller) ? caller['tool_id'] : undefined;
  return typeof id === 'string' ? id : null;
}

export function textOf(block: WireBlock, key: string): string {
  const value = block.value[key];
  return typeof value === 'string' ? value : '';
}

/** The opaque part of a thought, by which it is recognised. */
export function tokenOf(block: WireBlock): string {
  return textOf(block, block.type === 'redacted_thinking' ? 'data' : 'signature');
}

export type ThinkingMode = 'off' | 'manual' | 'adaptive' | 'between_tools';

/** How the request makes the model think; without a setting, the model's default counts. */
export function thinkingMode(body: Body, traits: ClaudeTraits): ThinkingMode {
  const thinking = body['thinking'];
  const type = isPlainObject(thinking) ? thinking['type'] : undefined;
  if (type === 'enabled') return 'manual';
  if (type === 'adaptive' || type === 'between_tools') return type;
  if (type === 'disabled') return 'off';
  return traits.thinkingDefault === 'on' ? 'adaptive' : 'off';
}

/**
 * The assistant messages that open the tool loop which the request continues: the one after the last message from a
 * person, and the one after the last message that holds more than results. Empty if no loop is open.
 */
export function openLoop(body: Body): readonly WireTurn[] {
  const turns = spokenTurns(body);
  const last = turns.at(-1);
  if (last?.role !== 'user' || !last.blocks.some(isResult)) return [];
  const openers: WireTurn[] = [];
  for (let at = turns.length - 2; at >= 0; at -= 2) {
    const reply = turns[at];
    const before = turns[at - 1];
    if (reply?.role !== 'assistant') break;
    const continued = before?.role === 'user' && before.blocks.some(isResult);
    if (!continued || before.blocks.some((block) => !isResult(block))) openers.push(reply);
    if (!continued) break;
  }
  return openers;
}

export const isResult = (block: Pick<WireBlock, 'type'>): boolean => block.type === 'tool_result';
