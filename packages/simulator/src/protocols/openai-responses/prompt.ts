import { isPlainObject } from '@bough/core';
import type { ResponsesTraits } from '@bough/providers';
import type { Prompt } from '../../reply.ts';
import type { Json } from './wire.ts';
import { isWritten, kindOf, records, saidIn, text } from './wire.ts';

/** Reads from a request what a reply is planned from. `items` is everything that the model reads. */
export function promptOf(body: Json, items: readonly Json[], model: string, traits: ResponsesTraits): Prompt {
  const start = items.findLastIndex((item) => kindOf(item) === 'message' && item['role'] === 'user');
  const user = items[start];
  const tools = records(body['tools']).filter((tool) => tool['type'] === 'function');
  const names = new Map(
    items.filter((item) => kindOf(item) === 'function_call').map((item) => [text(item['call_id']), text(item['name'])]),
  );
  return {
    model,
    system: [text(body['instructions']), ...items.filter(isInstruction).map(saidIn)]
      .filter((part) => part !== '')
      .join('\n'),
    userText: user === undefined ? '' : saidIn(user),
    toolResults: items
      .slice(start + 1)
      .filter((item) => kindOf(item) === 'function_call_output')
      .map((item) => ({ name: names.get(text(item['call_id'])) ?? '', content: resultText(item['output']) })),
    toolNames: tools.map((tool) => text(tool['name'])),
    tools: tools.map((tool) => ({
      name: text(tool['name']),
      inputSchema: isPlainObject(tool['parameters']) ? tool['parameters'] : {},
    })),
    toolsAllowed: body['tool_choice'] !== 'none',
    thinking: traits.efforts.length > 0 && effortOf(body) !== 'none',
    turn: repliesIn(items),
  };
}

function isInstruction(item: Json): boolean {
  return kindOf(item) === 'message' && (item['role'] === 'system' || item['role'] === 'developer');
}

function effortOf(body: Json): string {
  const reasoning = body['reasoning'];
  return isPlainObject(reasoning) ? text(reasoning['effort']) : '';
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
