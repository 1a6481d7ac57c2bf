import type { NodeId } from '@bough/core';
import { isPlainObject } from '@bough/core';
import type { RenderInput } from '../../../protocol.ts';
import type { BodyText } from '../../../render/body-text.ts';
import { withoutLoneSurrogates } from '../../../render/json-text.ts';
import { traitsOf } from '../traits.ts';
import type { Body } from '../wire.ts';
import { cacheParameters, cacheQuestion, markedMessages, markedSystem, markedTools, placeOfMark } from './caching.ts';
import type { History } from './history.ts';
import type { MessageText } from './messages.ts';
import { hostedTools } from './provider-tools.ts';
import type { ThinkingParameters } from './thinking.ts';
import { toolOf } from './tool-changes.ts';

/** A body in two forms: parsed, for the rules, and as text. */
export interface BuiltBody {
  readonly body: Body;
  readonly text: BodyText;
  /** The message that carries a mark for the cache in this request alone. */
  readonly markedNode: NodeId | null;
}

/**
 * The settings come first, then the messages: from `system` on, a request only ever grows at its end. What is another
 * one in each request stands behind them.
 */
export function buildBody(input: RenderInput, history: History, { thinking, effort }: ThinkingParameters): BuiltBody {
  const system = [...new Set([input.systemPrompt ?? '', ...history.system])]
    .filter((text) => text.trim() !== '')
    .join('\n\n');
  const { providerTools = [] } = input;
  const hosted = hostedTools(providerTools);
  const tools = [...markedTools(input.tools.map(toolOf), input), ...hosted.tools];
  const messages = markedMessages(history.messages, input);
  const place = placeOfMark(history.messages, input);
  const settings = {
    model: input.model.id,
    max_tokens: input.maxTokens,
    stream: input.stream,
    ...(thinking && { thinking }),
    ...(effort && { output_config: { effort } }),
    ...(history.container !== null && { container: history.container }),
    ...(input.summarise !== undefined && { compaction: { type: 'summarize', instructions: input.summarise } }),
    ...cacheParameters(input),
    ...(tools.length > 0 && toolChoice(input, thinking)),
    ...(system !== '' && { system: markedSystem(wellFormed(system), tools, input) }),
    ...(hosted.mcp_servers.length > 0 && { mcp_servers: hosted.mcp_servers }),
    ...(tools.length > 0 && { tools: wellFormed(tools) }),
  };
  const question = cacheQuestion(input);
  return {
    body: { ...settings, messages: messages.map(parsed), ...question },
    text: {
      before: `${JSON.stringify(settings).slice(0, -1)},"messages":[`,
      messages: messages.map(({ nodeId, role, blocks }) => ({ nodeId, json: spelled(role, blocks) })),
      behind: Object.keys(question).length === 0 ? ']}' : `],${JSON.stringify(question).slice(1)}`,
    },
    markedNode: place === null ? null : (messages[place]?.nodeId ?? null),
  };
}

function toolChoice({ toolChoice: choice, model }: RenderInput, thinking: ThinkingParameters['thinking']): object {
  if (choice === 'auto') return {};
  if (choice === 'none') return { tool_choice: { type: 'none' } };
  const { forcedToolChoice, thinkingDefault } = traitsOf(model);
  const type = thinking?.['type'] ?? (thinkingDefault === 'off' ? 'disabled' : 'adaptive');
  const isRefused =
    forcedToolChoice === 'rejected' ||
    (forcedToolChoice === 'rejected_in_manual_mode' && type === 'enabled') ||
    (forcedToolChoice === 'rejected_while_thinking' && type !== 'disabled');
  if (isRefused) return {};
  return { tool_choice: choice === 'required' ? { type: 'any' } : { type: 'tool', name: choice.name } };
}

/**
 * The text of a repaired body. Blocks keep their own spelling: a repair that leaves an object untouched leaves its
 * bytes untouched.
 */
export function writeRepaired(body: Body): string {
  const members = Object.entries(body).filter(([, value]) => value !== undefined);
  return `{${members.map(([key, value]) => `${JSON.stringify(key)}:${spell(key, value)}`).join(',')}}`;
}

function spell(key: string, value: unknown): string {
  if (key !== 'messages' || !Array.isArray(value)) return JSON.stringify(value);
  const messages: readonly unknown[] = value;
  return `[${messages.map((message) => (isPlainObject(message) ? messageText(message) : JSON.stringify(message))).join(',')}]`;
}

/** How each block was written. */
const SPELLING = new WeakMap<object, string>();

/** Every key of a message is written, in its order: what an effort or a lifetime says is not in the content. */
function messageText(message: Body): string {
  const members = Object.entries(message).filter(([, value]) => value !== undefined);
  return `{${members.map(([key, value]) => `${JSON.stringify(key)}:${spellMember(key, value)}`).join(',')}}`;
}

function spellMember(key: string, value: unknown): string {
  if (key !== 'content' || !Array.isArray(value)) return JSON.stringify(value);
  const list: readonly unknown[] = value;
  return `[${list.map((block) => (isPlainObject(block) ? SPELLING.get(block) : undefined) ?? JSON.stringify(block)).join(',')}]`;
}

function spelled(role: string, blocks: readonly string[]): string {
  return `{"role":${JSON.stringify(role)},"content":[${blocks.join(',')}]}`;
}

function wellFormed(value: unknown): unknown {
  return JSON.parse(withoutLoneSurrogates(JSON.stringify(value)));
}

function parsed({ role, blocks }: MessageText): Body {
  const content = blocks.map((text): unknown => {
    const block: unknown = JSON.parse(text);
    if (isPlainObject(block)) SPELLING.set(block, text);
    return block;
  });
  return { role, content };
}
