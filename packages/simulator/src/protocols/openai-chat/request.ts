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
      .map((call) => [
        textOf(call, 'id') ?? '',
        isPlainObject(call['function']) ? textOf(call['function'], 'name') : null,
      ]),
  );
  const tools = listOf(body, 'tools').flatMap((tool) => (isPlainObject(tool['function']) ? [tool['function']] : []));
  return {
    model: model.id,
    system: messages
      .filter((message) => message['role'] === 'system')
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
    toolNames: tools.map((tool) => textOf(tool, 'name') ?? ''),
    tools: tools.map((tool) => ({
      name: textOf(tool, 'name') ?? '',
      inputSchema: isPlainObject(tool['parameters']) ? tool['parameters'] : {},
    })),
    toolsAllowed: body['tool_choice'] !== 'none',
    thinking: wantsThinking(body, vendor, model),
    turn: messages.filter((message) => message['role'] === 'assistant').length,
  };
}
