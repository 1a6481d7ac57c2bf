import type { AssistantMessage, ContextItem, Issuer, NodeId, ToolMessage } from '@bough/core';
import { isPlainObject, sha256, textNamingFiles } from '@bough/core';
import type { Deployment } from '../../../deployment.ts';
import { deploymentKey } from '../../../deployment.ts';
import { resultText } from '../../../files/text-part.ts';
import type { PreparedRequest, RenderInput, RenderNote, Settings } from '../../../protocol.ts';
import type { BodyText } from '../../../render/body-text.ts';
import { joinBody } from '../../../render/body-text.ts';
import { preflight } from '../../../rulebook/rule.ts';
import type { Quirks } from '../traits.ts';
import { quirksOf } from '../traits.ts';
import { listAt, objectsAt, parseObject, stringAt } from '../response/json.ts';
import { RULES } from '../rules/index.ts';
import type { UserContent, WireMessage, WireTool } from '../schema.ts';
import { isThinking, thinkingParameters } from './thinking.ts';
import { wellFormedJson } from '../../../render/well-formed.ts';
import { renderAssistant, textOf } from './assistant.ts';
import { broughtContent, hasFiles, userContent } from './files.ts';
import type { OrderedMessage } from './order.ts';
import { ordered } from './order.ts';
import type { Target } from './target.ts';

/** Raised when the bytes of a rendering would change for the same input: older renderings are then not reused. */
const RENDERING_VERSION = 1;

export function renderingKeys(deployment: Deployment): string {
  return `openai-chat/${RENDERING_VERSION} ${deploymentKey(deployment)} `;
}

/** Builds the exact request. Pure: the same input gives the same bytes. */
export function prepare(input: RenderInput): PreparedRequest {
  const { deployment, model } = input;
  const quirks = quirksOf(deployment, model);
  const issuer: Issuer = { provider: deployment.id, deployment: deploymentKey(deployment), model: model.id };
  const tools = model.canUseTools ? input.tools.map(wireTool) : [];
  const parameters = thinkingParameters(input.thinking, quirks, model, tools.length > 0);
  const target: Target = {
    quirks,
    issuer,
    thinking: isThinking(parameters, quirks, model),
    hasTools: tools.length > 0,
  };
  const rendering = new Rendering(input, target);
  const messages = ordered(rendering.messages(), quirks);
  const before = { model: model.id, ...(tools.length > 0 && { tools }), messages: [] };
  // What may differ from request to request follows the messages: before them it would shift the whole prefix.
  const behind = {
    [quirks.tokens]: input.maxTokens,
    ...parameters,
    ...(tools.length > 0 && toolChoice(input, target)),
    // Only OpenAI knows it; the others cache by themselves, and strict ones refuse it.
    ...(quirks.dialect === 'openai' && input.cacheKey !== undefined && { prompt_cache_key: input.cacheKey }),
    ...(input.stream && { stream: true }),
    ...(input.stream && quirks.streamUsage && { stream_options: { include_usage: true } }),
  };
  const text: BodyText = {
    before: `${wellFormedJson(before).json.slice(0, -']}'.length)}${systemMessage(input.systemPrompt, quirks, messages.length > 0)}`,
    messages,
    behind: `],${JSON.stringify(behind).slice(1)}`,
  };
  const body = joinBody(text);
  const checked = preflight(RULES, parseObject(body) ?? {}, { quirks, model });
  const isRepaired = checked.violations.some(({ repaired }) => repaired);
  return {
    protocol: 'openai-chat',
    issuer,
    method: 'POST',
    url: `${deployment.baseUrl.replace(/\/+$/, '')}/chat/completions`,
    headers: {
      'content-type': 'application/json',
      accept: input.stream ? 'text/event-stream' : 'application/json',
      ...deployment.headers,
    },
    body: isRepaired ? JSON.stringify(checked.body) : body,
    text: isRepaired ? null : text,
    stream: input.stream,
    notes: rendering.notes,
    violations: checked.violations,
    renderings: rendering.renderings,
  };
}

function toolChoice({ toolChoice: choice }: RenderInput, { quirks, thinking }: Target): object {
  if (choice === 'auto') return {};
  if (choice === 'none') return { tool_choice: 'none' };
  if (quirks.forcedToolChoice === 'rejected' && thinking) return {};
  return { tool_choice: choice === 'required' ? choice : { type: 'function', function: { name: choice.name } } };
}

/** Renders the items one after the other; results depend on the calls that were sent before them. */
class Rendering {
  readonly notes: RenderNote[] = [];
  readonly renderings: { nodeId: NodeId; key: string; bytes: string }[] = [];
  readonly #input: RenderInput;
  readonly #target: Target;
  /** Calls of the newest assistant message that were sent as calls, and those that were described in its text. */
  #callIds: ReadonlyMap<string, string> = new Map();
  #told: ReadonlySet<string> = new Set();

  constructor(input: RenderInput, target: Target) {
    this.#input = input;
    this.#target = target;
  }

  messages(): readonly OrderedMessage[] {
    return this.#input.items.flatMap((item, index) => {
      const message = this.#message(item, index);
      return [...(message === null ? [] : [message]), ...this.#broughtBehind(index)];
    });
  }

  /** The files of the results that end here: results take text only, and nothing may stand between them. */
  #broughtBehind(index: number): readonly OrderedMessage[] {
    const { items } = this.#input;
    const last = items[index];
    const next = items[index + 1];
    if (last === undefined || !isTool(last) || (next !== undefined && isTool(next))) return [];
    const start = items.slice(0, index).findLastIndex((item) => !isTool(item)) + 1;
    const answered = items.slice(start, index + 1).filter(isTool);
    const sent = answered.filter(({ message }) => this.#callIds.has(message.tool_call_id));
    const content = broughtContent(sent.flatMap(({ message }) => message.content));
    return content === null ? [] : [this.#keep(last, { role: 'user', content }, 'brought')];
  }

  #message(item: ContextItem, index: number): OrderedMessage | null {
    const [nodeId] = item.nodeIds;
    if (isAssistant(item)) {
      const raw = item.source === 'raw' ? this.#input.rawOf(nodeId) : undefined;
      const rendered = renderAssistant(item, raw, this.#target, (callId) => this.#resultOf(callId, index));
      this.#callIds = rendered.callIds;
      this.#told = rendered.told;
      for (const note of rendered.notes) this.notes.push({ ...note, nodeId });
      if (rendered.message !== null) return this.#keep(item, rendered.message, rendered.how);
      this.notes.push({ nodeId, reason: 'repaired', detail: 'Nothing of this reply can be sent: it was left out.' });
      return null;
    }
    if (isTool(item)) return this.#result(item);
    const content = hasFiles(item) ? userContent(item.message.content) : textOf(item);
    const role = item.message.role === 'system' ? this.#target.quirks.systemRole : 'user';
    return this.#keep(item, { role, content }, 'text');
  }

  #result(item: ContextItem & { readonly message: ToolMessage }): OrderedMessage | null {
    const id = this.#callIds.get(item.message.tool_call_id);
    if (id !== undefined) {
      const content = resultText(item.message.content);
      return this.#keep(item, { role: 'tool', tool_call_id: id, content }, `tool,${id}`);
    }
    if (this.#told.has(item.message.tool_call_id) && hasFiles(item)) {
      const detail = 'Its call is sent as text, in which its files are named.';
      this.notes.push({ nodeId: item.nodeIds[0], reason: 'repaired', detail });
    }
    if (!this.#told.has(item.message.tool_call_id)) {
      const detail = 'No tool call before this result asks for it: it was left out.';
      this.notes.push({ nodeId: item.nodeIds[0], reason: 'repaired', detail });
    }
    return null;
  }

  /** The text that answers a call, for a call that is sent as text. */
  #resultOf(callId: string, index: number): string {
    for (const item of this.#input.items.slice(index + 1)) {
      if (!isTool(item)) break;
      if (item.message.tool_call_id === callId) return textNamingFiles(item.message.content);
    }
    return '';
  }

  /** What was sent once is sent again byte for byte; what is new is stored. */
  #keep(item: ContextItem, message: WireMessage, how: string): OrderedMessage {
    const [nodeId] = item.nodeIds;
    const { json: fresh, replaced } = wellFormedJson(message);
    if (replaced) this.#noteAll(item, 'Half of a character was replaced.');
    const key = this.#key(item, how, fresh);
    const stored = this.#input.renderingOf?.(nodeId, key);
    if (stored !== undefined && sameShape(stored, fresh)) return messageOf(nodeId, message, stored);
    this.renderings.push({ nodeId, key, bytes: fresh });
    return messageOf(nodeId, message, fresh);
  }

  /** It is unknown which of the joined messages it was: every one of them gets the note. */
  #noteAll(item: ContextItem, detail: string): void {
    for (const nodeId of item.nodeIds) this.notes.push({ nodeId, reason: 'repaired', detail });
  }

  /** Names everything that the bytes depend on. A raw reply never changes, so its content need not be included. */
  #key(item: ContextItem, how: string, fresh: string): string {
    const { quirks, issuer } = this.#target;
    const content = how.startsWith('raw') && !how.endsWith('told') ? '' : fresh;
    const form = [
      quirks.reasoning,
      quirks.toolIds,
      quirks.toolOnlyContent,
      quirks.blankReasoning,
      quirks.callSignatures,
    ];
    const digest = sha256(JSON.stringify([item.nodeIds.slice(1), item.answeredCalls, item.partial, form, content]));
    return `${renderingKeys(this.#input.deployment)}${issuer.model} ${how} ${digest.slice(0, 16)}`;
  }
}

/** A stored rendering counts as the same message only if it has the same role and calls. */
function sameShape(stored: string, fresh: string): boolean {
  return shapeOf(stored) === shapeOf(fresh);
}

function shapeOf(bytes: string): string {
  const message = parseObject(bytes);
  if (message === null) return 'unreadable';
  const calls = objectsAt(message, 'tool_calls').map((call) => stringAt(call, 'id'));
  return JSON.stringify([
    message['role'],
    message['tool_call_id'] ?? null,
    calls,
    listAt(message, 'tool_calls').length,
  ]);
}

function messageOf(nodeId: NodeId, message: WireMessage, json: string): OrderedMessage {
  return { nodeId, role: message.role, json, content: joinable(message) };
}

function joinable(message: WireMessage): UserContent | null {
  if (Object.keys(message).length > 2) return null;
  if (message.role !== 'assistant') return message.content;
  return typeof message.content === 'string' ? message.content : null;
}

function systemMessage(text: string | null, { systemRole }: Quirks, isFollowed: boolean): string {
  if (text === null || text === '') return '';
  return `${wellFormedJson({ role: systemRole, content: text }).json}${isFollowed ? ',' : ''}`;
}

/** No two reasoning details of a request may have the same id. */
export function uniqueIds(message: unknown): readonly string[] {
  const details = isPlainObject(message) ? objectsAt(message, 'reasoning_details') : [];
  return details.flatMap((detail) => stringAt(detail, 'id') || []);
}

/** Whether a reply must carry a thought depends on whether the model thinks now. */
export function manner({ thinking, tools, deployment, model }: Settings): string {
  const quirks = quirksOf(deployment, model);
  const hasTools = model.canUseTools && tools.length > 0;
  return String(isThinking(thinkingParameters(thinking, quirks, model, hasTools), quirks, model));
}

function isAssistant(item: ContextItem): item is ContextItem & { readonly message: AssistantMessage } {
  return item.message.role === 'assistant';
}

function isTool(item: ContextItem): item is ContextItem & { readonly message: ToolMessage } {
  return item.message.role === 'tool';
}

function wireTool(tool: RenderInput['tools'][number]): WireTool {
  const { name, description, inputSchema } = tool;
  return { type: 'function', function: { name, description, parameters: inputSchema } };
}
