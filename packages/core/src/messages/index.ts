import type {
  AttachedBlock,
  CanvasBlock,
  ContentBlock,
  NonEmptyArray,
  TextBlock,
  ToolChangeBlock,
} from '../blocks/index.ts';
import {
  isAttachedBlock,
  isCanvasBlock,
  isNonEmpty,
  isPlainObject,
  isTextBlock,
  isToolChangeBlock,
} from '../blocks/index.ts';
import { BoughError } from '../errors/index.ts';

export type Role = 'system' | 'user' | 'assistant' | 'tool';

/** Instructions, and changes of tools. */
export interface SystemMessage {
  readonly role: 'system';
  readonly content: NonEmptyArray<TextBlock | ToolChangeBlock>;
}

export interface UserMessage {
  readonly role: 'user';
  readonly content: NonEmptyArray<TextBlock | AttachedBlock | CanvasBlock>;
}

/** Any block, in the provider's order; possibly nothing but `tool-use`. */
export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: NonEmptyArray<ContentBlock>;
}

/** The answer to one tool call. */
export interface ToolMessage {
  readonly role: 'tool';
  readonly content: NonEmptyArray<TextBlock | AttachedBlock | CanvasBlock>;
  readonly tool_call_id: string;
}

export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

export const isSystemMessage = (message: Message): message is SystemMessage => message.role === 'system';
export const isUserMessage = (message: Message): message is UserMessage => message.role === 'user';
export const isAssistantMessage = (message: Message): message is AssistantMessage => message.role === 'assistant';
export const isToolMessage = (message: Message): message is ToolMessage => message.role === 'tool';

/** A message that no role allows. `field` is the path of the offending part, such as `content[1].type`. */
export class InvalidMessageError extends BoughError {
  readonly field: string;

  constructor(field: string, problem: string) {
    super('invalid_message', `${field}: ${problem}`);
    this.field = field;
  }
}

const ROLES: ReadonlySet<unknown> = new Set<Role>(['system', 'user', 'assistant', 'tool']);

/**
 * Checks an unknown value against the rules of its role and returns it, the same object, typed.
 * Never repairs: what does not fit is an error that names the field.
 */
export function parseMessage(value: unknown): Message {
  requireMessage(value);
  return value;
}

function requireMessage(value: unknown): asserts value is Message {
  if (!isPlainObject(value)) throw new InvalidMessageError('message', 'must be an object.');
  const { role, content, tool_call_id: toolCallId } = value;
  if (!ROLES.has(role)) throw new InvalidMessageError('role', 'must be system, user, assistant or tool.');
  const blocks = parseBlocks(content);
  if (role !== 'assistant') requireFitting(role as Role, blocks);
  if (role === 'tool') {
    if (typeof toolCallId !== 'string' || toolCallId === '') {
      throw new InvalidMessageError('tool_call_id', 'a tool message must name the call that it answers.');
    }
  } else if (toolCallId !== undefined) {
    throw new InvalidMessageError('tool_call_id', `only a tool message answers a call, not a ${String(role)} message.`);
  }
}

/** A message made from a node's parts, checked like any other. */
export function messageOf(role: Role, content: readonly ContentBlock[], toolCallId?: string | null): Message {
  return parseMessage(toolCallId == null ? { role, content } : { role, content, tool_call_id: toolCallId });
}

export function textMessage(role: 'system' | 'user' | 'assistant', text: string): Message {
  return parseMessage({ role, content: [{ type: 'text', text }] });
}

function parseBlocks(content: unknown): NonEmptyArray<ContentBlock> {
  if (!Array.isArray(content)) throw new InvalidMessageError('content', 'must be an array of blocks.');
  const blocks: readonly unknown[] = content;
  blocks.forEach((block, index) => {
    if (!isPlainObject(block)) throw new InvalidMessageError(`content[${index}]`, 'must be an object.');
    if (typeof block['type'] !== 'string' || block['type'] === '') {
      throw new InvalidMessageError(`content[${index}].type`, 'must be a non-empty string.');
    }
  });
  // Each element was checked to be an object with a string type, which is all that a custom block requires.
  const checked = blocks as readonly ContentBlock[];
  if (!isNonEmpty(checked)) throw new InvalidMessageError('content', 'must hold at least one block.');
  return checked;
}

function requireFitting(role: Role, blocks: readonly ContentBlock[]): void {
  const [fits, allowed] =
    role === 'system' ? ([isToolChangeBlock, 'text blocks'] as const) : ([isAttachedBlock, 'text and files'] as const);
  blocks.forEach((block, index) => {
    const isVersion = role !== 'system' && isCanvasBlock(block);
    if (!isTextBlock(block) && !fits(block) && !isVersion) {
      throw new InvalidMessageError(
        `content[${index}].type`,
        `a ${role} message holds ${allowed} only, not "${block.type}".`,
      );
    }
  });
}
