import { isPlainObject } from '@bough/core';
import type { Prompt } from '../../reply.ts';
import type { Block, Turn } from './turns.ts';
import { contentBlocks, foundTools, list } from './turns.ts';

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
  const tools = offeredTools(body, turns);
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

/** The client's tools that the model may call now: after all additions and removals, without the deferred ones. */
function offeredTools(body: Json, turns: readonly Turn[]): NonNullable<Prompt['tools']> {
  const defined = new Map<string, Json>();
  const offered = new Set<string>();
  const define = (tool: unknown): void => {
    if (!isPlainObject(tool) || typeof tool['name'] !== 'string' || !isClientTool(tool)) return;
    defined.set(tool['name'], tool);
    if (tool['defer_loading'] !== true) offered.add(tool['name']);
  };
  for (const tool of list(body['tools'])) define(tool);
  for (const { type, tool } of turns.flatMap(changesIn)) {
    define(tool['definition']);
    if (type === 'tool_removal') offered.delete(String(tool['name']));
    else if (tool['type'] === 'tool_reference') offered.add(String(tool['name']));
  }
  for (const name of turns.flatMap(({ blocks }) => blocks.flatMap(foundTools)))
    if (defined.has(name)) offered.add(name);
  return [...offered].map((name) => {
    const schema = defined.get(name)?.['input_schema'];
    return { name, inputSchema: isPlainObject(schema) ? schema : {} };
  });
}

/** What the provider runs itself is not called like a tool of the client. */
const OWN_TOOL = /^(?:web_search|web_fetch|code_execution|tool_search_tool|advisor)_|^mcp_toolset$/;
const isClientTool = ({ type }: Json): boolean => typeof type !== 'string' || !OWN_TOOL.test(type);

function changesIn({ blocks }: Turn): readonly { readonly type: string; readonly tool: Json }[] {
  return blocks
    .flatMap(({ type, value }) => (type === 'compaction' ? list(value['tool_changes']) : [value]))
    .flatMap((change) => {
      if (!isPlainObject(change) || !isPlainObject(change['tool'])) return [];
      return [{ type: String(change['type']), tool: change['tool'] }];
    });
}

const isText = ({ type }: Block) => type === 'text';

function textsOf(blocks: readonly Block[]): string {
  return blocks
    .filter(isText)
    .map(({ value }) => String(value['text']))
    .join('\n');
}
