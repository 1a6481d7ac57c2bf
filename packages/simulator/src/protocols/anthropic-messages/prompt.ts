import { isPlainObject } from '@bough/core';
import type { Prompt } from '../../reply.ts';
import type { Block, Turn } from './turns.ts';
import { contentBlocks, list } from './turns.ts';

type Json = Readonly<Record<string, unknown>>;

/** What the simulated model is asked. `thinking` is decided by the caller, who knows the model. */
export function promptOf(body: Json, turns: readonly Turn[], thinks: (hasResults: boolean) => boolean): Prompt {
  const asked = turns.findLastIndex(({ role, blocks }) => role === 'user' && blocks.some(isText));
  const names = new Map(
    turns.flatMap(({ blocks }) => blocks.map(({ value }) => [String(value['id']), String(value['name'])] as const)),
  );
  const toolResults = turns
    .slice(asked + 1)
    .flatMap(({ blocks }) => blocks.filter(({ type }) => type === 'tool_result'))
    .map(({ value }) => ({
      name: names.get(String(value['tool_use_id'])) ?? '',
      content: textsOf(contentBlocks(value['content'], '')),
      isError: value['is_error'] === true,
    }));
  const tools = list(body['tools']).flatMap((tool) =>
    isPlainObject(tool) && typeof tool['name'] === 'string'
      ? [{ name: tool['name'], inputSchema: isPlainObject(tool['input_schema']) ? tool['input_schema'] : {} }]
      : [],
  );
  const choice = body['tool_choice'];
  return {
    model: String(body['model']),
    system: textsOf(contentBlocks(body['system'], '')),
    userText: textsOf(turns[asked]?.blocks ?? []),
    toolResults,
    toolNames: tools.map(({ name }) => name),
    tools,
    toolsAllowed: tools.length > 0 && !(isPlainObject(choice) && choice['type'] === 'none'),
    thinking: thinks(toolResults.length > 0),
    turn: turns.filter(({ role }) => role === 'assistant').length,
  };
}

const isText = ({ type }: Block) => type === 'text';

function textsOf(blocks: readonly Block[]): string {
  return blocks
    .filter(isText)
    .map(({ value }) => String(value['text']))
    .join('\n');
}
