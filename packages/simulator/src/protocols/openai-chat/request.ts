import { isPlainObject } from '@bough/core';
import type { ModelInfo } from '@bough/providers';
import type { Prompt } from '../../reply.ts';
import type { Vendor } from './vendors.ts';

export type Json = Readonly<Record<string, unknown>>;

export const listOf = (json: Json, key: string): readonly Json[] => {
  const value = json[key];
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
};

export const textOf = (json: Json, key: string): string | null => {
  const value = json[key];
  return typeof value === 'string' ? value : null;
};

/** The text of a message, whether it is a string or a list of parts. */
export function contentText(message: Json): string {
  return (
    textOf(message, 'content') ??
    listOf(message, 'content')
      .map((part) => textOf(part, 'text') ?? '')
      .join('')
  );
}

/** Whether this request makes the model think, read from the parameters as a server would. */
export function wantsThinking(body: Json, vendor: Vendor, model: ModelInfo): boolean {
  const thinking = body['thinking'];
  const reasoning = body['reasoning'];
  if (model.alwaysThinks) return true;
  if (isPlainObject(thinking)) return thinking['type'] !== 'disabled';
  if (isPlainObject(reasoning)) return reasoning['effort'] !== 'none' && reasoning['enabled'] !== false;
  if (typeof body['reasoning_effort'] === 'string') return body['reasoning_effort'] !== 'none';
  if (typeof body['enable_thinking'] === 'boolean') return body['enable_thinking'];
  return vendor.thinksByDefault && model.canThink;
}

export function promptOf(body: Json, vendor: Vendor, model: ModelInfo): Prompt {
  const messages = listOf(body, 'messages');
  const question = messages.findLastIndex((message) => message['role'] === 'user');
  const names = new Map(
    messages
      .flatMap((message) => listOf(message, 'tool_calls'))
      .map((call) => [textOf(call, 'id') ?? '', textOf(calledIn(call), 'name')]),
  );
  const tools = offeredTools(body);
  const answerSchema = answerSchemaOf(body);
  return {
    model: model.id,
    system: messages
      .filter((message) => message['role'] === 'system' || message['role'] === 'developer')
      .map(contentText)
      .join('\n'),
    userText: question < 0 ? '' : contentText(messages[question] ?? {}),
    toolResults: messages
      .slice(question + 1)
      .filter((message) => message['role'] === 'tool')
      .map((message) => ({
        name: names.get(textOf(message, 'tool_call_id') ?? '') ?? '',
        content: contentText(message),
      })),
    toolNames: tools.map(({ name }) => name),
    tools,
    toolsAllowed: body['tool_choice'] !== 'none',
    forcedTools: forcedTools(body, tools),
    parallelCalls: body['parallel_tool_calls'] !== false,
    ...(answerSchema !== null && { answerSchema }),
    thinking: wantsThinking(body, vendor, model),
    turn: messages.filter((message) => message['role'] === 'assistant').length,
  };
}

interface OfferedTool {
  readonly name: string;
  readonly inputSchema: Json;
  /** A custom tool takes plain text instead of JSON. */
  readonly takesText: boolean;
}

const TEXT_INPUT = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };

export function offeredTools(body: Json): readonly OfferedTool[] {
  return listOf(body, 'tools').flatMap((tool): readonly OfferedTool[] => {
    const { function: fn, custom } = tool;
    if (isPlainObject(custom))
      return [{ name: textOf(custom, 'name') ?? '', inputSchema: TEXT_INPUT, takesText: true }];
    if (!isPlainObject(fn)) return [];
    const inputSchema = isPlainObject(fn['parameters']) ? fn['parameters'] : {};
    return [{ name: textOf(fn, 'name') ?? '', inputSchema, takesText: false }];
  });
}

/** What a call calls: a function, or a custom tool. */
export function calledIn(call: Json): Json {
  if (isPlainObject(call['custom'])) return call['custom'];
  return isPlainObject(call['function']) ? call['function'] : {};
}

function forcedTools(body: Json, tools: readonly OfferedTool[]): readonly string[] {
  const choice = body['tool_choice'];
  if (choice === 'required' || choice === 'any') return tools.map(({ name }) => name);
  return isPlainObject(choice) ? [textOf(calledIn(choice), 'name') ?? ''] : [];
}

/** The schema that the answer must have, an empty one for any JSON, or null for a text. */
function answerSchemaOf(body: Json): Json | null {
  const format = body['response_format'];
  if (!isPlainObject(format)) return null;
  if (format['type'] === 'json_object') return {};
  const schema = isPlainObject(format['json_schema']) ? format['json_schema']['schema'] : null;
  return format['type'] === 'json_schema' && isPlainObject(schema) ? schema : null;
}
