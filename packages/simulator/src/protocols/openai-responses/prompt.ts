import { isPlainObject } from '@bough/core';
import type { ResponsesTraits } from '@bough/providers';
import type { Prompt } from '../../reply.ts';
import type { Json } from './wire.ts';
import { forcedTools, offeredTools } from './tools.ts';
import { isWritten, kindOf, saidIn, text } from './wire.ts';

/** Reads from a request what a reply is planned from. `items` is everything that the model reads. */
export function promptOf(body: Json, items: readonly Json[], model: string, traits: ResponsesTraits): Prompt {
  const start = items.findLastIndex((item) => kindOf(item) === 'message' && item['role'] === 'user');
  const user = items[start];
  const tools = offeredTools(body, items);
  const answerSchema = answerSchemaOf(body);
  const names = new Map(
    items
      .filter((item) => kindOf(item).endsWith('_call') && text(item['call_id']) !== '')
      .map((item) => [text(item['call_id']), text(item['name']) || kindOf(item).replace(/_call$/, '')]),
  );
  return {
    model,
    system: [text(body['instructions']), ...items.filter(isInstruction).map(saidIn)]
      .filter((part) => part !== '')
      .join('\n'),
    userText: user === undefined ? '' : saidIn(user),
    toolResults: items
      .slice(start + 1)
      .filter((item) => kindOf(item).endsWith('_call_output'))
      .map((item) => ({ name: names.get(text(item['call_id'])) ?? '', content: resultText(item['output']) })),
    toolNames: tools.map(({ name }) => name),
    tools,
    toolsAllowed: body['tool_choice'] !== 'none',
    forcedTools: forcedTools(body, tools),
    parallelCalls: body['parallel_tool_calls'] !== false,
    ...(answerSchema !== null && { answerSchema }),
    thinking: traits.efforts.length > 0 && effortOf(body, items) !== 'none',
    turn: repliesIn(items),
  };
}

function isInstruction(item: Json): boolean {
  return kindOf(item) === 'message' && (item['role'] === 'system' || item['role'] === 'developer');
}

/** The newest setting: that of an update inside the conversation, or else the parameter. */
function effortOf(body: Json, items: readonly Json[]): string {
  const updates = items.filter((item) => kindOf(item) === 'configuration_update');
  const settings = [body, ...updates].map(({ reasoning }) =>
    isPlainObject(reasoning) ? text(reasoning['effort']) : '',
  );
  return settings.findLast((effort) => effort !== '') ?? '';
}

/** The schema that the answer must have, an empty one for any JSON, or null for a text. */
function answerSchemaOf(body: Json): Json | null {
  const format = isPlainObject(body['text']) ? body['text']['format'] : null;
  if (!isPlainObject(format)) return null;
  if (format['type'] === 'json_object') return {};
  return format['type'] === 'json_schema' && isPlainObject(format['schema']) ? format['schema'] : null;
}

function resultText(output: unknown): string {
  return typeof output === 'string' ? output : saidIn({ content: output });
}

/** A reply is several items: each run of them counts once. */
function repliesIn(items: readonly Json[]): number {
  return items.filter((item, at) => {
    const before = items[at - 1];
    return isWritten(item) && (before === undefined || !isWritten(before));
  }).length;
}
