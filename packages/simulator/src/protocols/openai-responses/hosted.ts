import type { ProviderToolName } from '@bough/core';
import { isPlainObject } from '@bough/core';
import type { Script } from '../../commands/index.ts';
import { listing, lists } from '../../given-files/index.ts';
import { drawnPicture } from '../../picture/index.ts';
import type { World } from '../../world.ts';
import { filesOfTool } from './container-files.ts';
import { isContainer, rememberContainer } from './memory.ts';
import type { OfferedTool } from './tools.ts';
import { hasTool } from './tools.ts';
import type { Json } from './wire.ts';
import { kindOf, records, strings, text } from './wire.ts';

// Tools that the provider runs itself: they appear in a reply whole, and nobody answers them.

/** What the provider's own tools did for this reply: once for each message of the user. */
export function hostedItems(
  body: Json,
  items: readonly Json[],
  { hosted }: Pick<Script, 'hosted'>,
  world: World,
): readonly Json[] {
  const start = items.findLastIndex((item) => kindOf(item) === 'message' && item['role'] === 'user');
  const done = new Set(items.slice(start + 1).map(kindOf));
  const question = text(body['input']) || 'the question';
  if (body['tool_choice'] === 'none') return [];
  const wordsFor = (tool: ProviderToolName, usual: string): string | undefined =>
    hosted === undefined ? usual : hosted[tool];
  const once = (kind: string, words: string | undefined, make: (words: string) => Json): readonly Json[] =>
    words === undefined || done.has(kind) ? [] : [make(words)];
  return records(body['tools']).flatMap((tool) => {
    switch (text(tool['type'])) {
      case 'web_search':
      case 'web_search_preview':
        return once('web_search_call', wordsFor('web_search', question), (words) => webSearch(body, words, world));
      case 'file_search':
        return once('file_search_call', wordsFor('file_search', question), (words) => fileSearch(body, words, world));
      case 'code_interpreter':
        return once('code_interpreter_call', wordsFor('code_execution', 'print(1 + 1)'), (code) =>
          codeInterpreter(body, tool, code, items, world),
        );
      case 'image_generation':
        return once('image_generation_call', wordsFor('image_generation', question), (words) => picture(words, world));
      case 'mcp':
        return wordsFor('remote_mcp', question) === undefined ? [] : mcp(tool, items, start, world);
      default:
        return [];
    }
  });
}

/** Only what the request asks for by `include` is in the item. */
const wants = (body: Json, what: string): boolean => strings(body['include']).includes(what);

function webSearch(body: Json, query: string, world: World): Json {
  const sources = [{ type: 'url', url: 'https://example.com/trees' }];
  const more = wants(body, 'web_search_call.action.sources') ? { sources } : {};
  const id = world.newId('ws_', 48);
  return { id, type: 'web_search_call', status: 'completed', action: { type: 'search', query, ...more } };
}

function fileSearch(body: Json, query: string, world: World): Json {
  const found = [{ file_id: 'file-1', filename: 'trees.md', score: 0.9, text: 'A tree has branches.', attributes: {} }];
  const results = wants(body, 'file_search_call.results') ? found : null;
  return { id: world.newId('fs_', 48), type: 'file_search_call', status: 'completed', queries: [query], results };
}

function picture(words: string, world: World): Json {
  const id = world.newId('ig_', 48);
  return { id, type: 'image_generation_call', status: 'completed', revised_prompt: words, result: drawnPicture(words) };
}

/** Code runs in the container that the request names, or where it ran before, or in a new one. */
function codeInterpreter(body: Json, tool: Json, code: string, items: readonly Json[], world: World): Json {
  const before = items.map((item) => text(item['container_id'])).findLast((id) => isContainer(world, id));
  const container_id = text(tool['container']) || before || world.newId('cntr_', 48);
  rememberContainer(world, container_id);
  // Code that plots brings its picture along.
  const plot = { type: 'image', url: `data:image/png;base64,${drawnPicture(code)}` };
  const found = listing(container_id, filesOfTool(tool), world);
  const all = [{ type: 'logs', logs: lists(code) ? found : '2' }, ...(code.includes('plot') ? [plot] : [])];
  const outputs = wants(body, 'code_interpreter_call.outputs') ? all : null;
  const id = world.newId('ci_', 48);
  return { id, type: 'code_interpreter_call', status: 'completed', container_id, code, outputs };
}

/** Lists the tools of a server once in a conversation, asks before a call if it must, and calls. */
function mcp(tool: Json, items: readonly Json[], start: number, world: World): readonly Json[] {
  const server_label = text(tool['server_label']);
  const isOwn = (item: Json): boolean => item['server_label'] === server_label;
  const call = { server_label, name: 'lookup', arguments: '{"query":"trees"}' };
  const listed = items.some((item) => kindOf(item) === 'mcp_list_tools' && isOwn(item));
  const listing = {
    id: world.newId('mcpl_', 48),
    type: 'mcp_list_tools',
    server_label,
    tools: [
      { name: 'lookup', description: 'Looks something up.', input_schema: { type: 'object' }, annotations: null },
    ],
  };
  const list = listed ? [] : [listing];
  const current = items.slice(start + 1);
  if (current.some((item) => kindOf(item) === 'mcp_call' && isOwn(item))) return list;
  const request = current.findLast((item) => kindOf(item) === 'mcp_approval_request' && isOwn(item));
  const answer = items.find(
    (item) => kindOf(item) === 'mcp_approval_response' && item['approval_request_id'] === request?.['id'],
  );
  if (tool['require_approval'] !== 'never' && request === undefined) {
    return [...list, { id: world.newId('mcpr_', 48), type: 'mcp_approval_request', ...call }];
  }
  if (request !== undefined && answer?.['approve'] !== true) return list;
  return [
    ...list,
    {
      id: world.newId('mcp_', 48),
      type: 'mcp_call',
      status: 'completed',
      ...call,
      approval_request_id: request?.['id'] ?? null,
      output: 'A tree has branches.',
      error: null,
    },
  ];
}

/** A tool that is not loaded yet is found by a search, which the provider runs. */
export function toolSearch(
  body: Json,
  called: readonly OfferedTool[],
  items: readonly Json[],
  world: World,
): readonly Json[] {
  const loaded = new Set(
    items
      .filter((item) => kindOf(item) === 'tool_search_output')
      .flatMap((item) => records(item['tools']))
      .map((tool) => text(tool['name'])),
  );
  const found = called.filter(({ deferred, name }) => deferred && !loaded.has(name));
  if (found.length === 0 || !hasTool(body, 'tool_search')) return [];
  const shared = { execution: 'server', call_id: null, status: 'completed' };
  const tools = found.map(({ name, inputSchema }) => ({
    type: 'function',
    name,
    parameters: inputSchema,
    defer_loading: true,
  }));
  return [
    {
      id: world.newId('tsc_', 48),
      type: 'tool_search_call',
      arguments: { paths: found.map(({ name }) => name) },
      ...shared,
    },
    { id: world.newId('tso_', 48), type: 'tool_search_output', tools, ...shared },
  ];
}

const STEPS: Readonly<Record<string, readonly string[]>> = {
  web_search_call: ['in_progress', 'searching', 'completed'],
  file_search_call: ['in_progress', 'searching', 'completed'],
  image_generation_call: ['in_progress', 'generating', 'completed'],
  mcp_call: ['in_progress', 'completed'],
  mcp_list_tools: ['in_progress', 'completed'],
};

/** What a stream reports while such a tool runs; only the item itself is complete. */
export function progressOf(item: Json, place: Json): readonly Json[] {
  const kind = kindOf(item);
  const step = (name: string): Json => ({ type: `response.${kind}.${name}`, ...place });
  if (kind !== 'code_interpreter_call') return (STEPS[kind] ?? []).map(step);
  return [
    step('in_progress'),
    { type: 'response.code_interpreter_call_code.delta', ...place, delta: item['code'] },
    { type: 'response.code_interpreter_call_code.done', ...place, code: item['code'] },
    step('interpreting'),
    step('completed'),
  ];
}

/** Less of an item than the provider gave: what is left of it is its id, which is unknown where nothing is stored. */
export function isReduced(item: Json, given: Json): boolean {
  const kind = kindOf(item);
  if (!HOSTED.has(kind)) return false;
  return Object.keys(given).some((key) => key !== 'status' && given[key] !== null && !isSame(item[key], given[key]));
}

const HOSTED: ReadonlySet<string> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_list_tools',
  'mcp_call',
  'mcp_approval_request',
  'tool_search_call',
  'tool_search_output',
]);

/** The same value, whatever the order of its keys. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(ordered(a)) === JSON.stringify(ordered(b));
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, entry]) => [key, ordered(entry)]));
}
