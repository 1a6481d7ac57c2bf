import { isPlainObject } from '@bough/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Simulator } from './server.ts';
import { startSimulator } from './server.ts';

type Json = Readonly<Record<string, unknown>>;

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'provider tools' });
});
afterAll(() => simulator.close());

async function ask(body: Json): Promise<{ readonly status: number; readonly reply: Json }> {
  const response = await fetch(`${simulator.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: 'sim-thinker', max_tokens: 4_000, ...body }),
  });
  const reply: unknown = await response.json();
  return { status: response.status, reply: isPlainObject(reply) ? reply : {} };
}

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
const question = user('/sim search elm trees');

const changed = (content: unknown, change: (text: string) => string): unknown => {
  const value: unknown = JSON.parse(change(JSON.stringify(content)));
  return value;
};

it('SIM-30: what a search found comes encrypted, with a citation, and is taken back as it was', async () => {
  const { reply } = await ask({ tools, messages: [question] });
  const text = JSON.stringify(reply['content']);
  expect(text).toContain('"query":"elm trees"');
  expect(text).toContain('"encrypted_index"');
  expect((await ask({ tools, messages: [question, assistant(reply['content']), user('Thanks.')] })).status).toBe(200);
});

it('SIM-30: a search of Gemini names the words that it found', async () => {
  const body = {
    contents: [{ role: 'user', parts: [{ text: '/sim say Elms grow.' }] }],
    tools: [{ googleSearch: {} }],
  };
  const response = await fetch(`${simulator.url}/v1beta/models/sim-summary:generateContent`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(await response.json()).toMatchObject({
    candidates: [
      {
        groundingMetadata: {
          groundingChunks: [{ web: { uri: 'https://example.com/trees' } }],
          groundingSupports: [{ segment: { text: 'Elms grow.', endIndex: 10 }, groundingChunkIndices: [0] }],
        },
      },
    ],
  });
});

it.each([
  ['stripped results', (text: string) => text.replaceAll(/"encrypted_content":"[^"]*",/g, '')],
  ['another page', (text: string) => text.replace('https://example.com/elm-trees', 'https://example.com/oaks')],
  ['a stripped citation', (text: string) => text.replace(/,"encrypted_index":"[^"]*"/, '')],
  ['a changed citation', (text: string) => text.replace('A tree has branches.', 'A tree has none.')],
])('SIM-30: %s: refused', async (_, change) => {
  const { reply } = await ask({ tools, messages: [question] });
  const content = changed(reply['content'], change);
  const answer = await ask({ tools, messages: [question, assistant(content), user('Thanks.')] });
  expect(answer.status).toBe(400);
  expect(JSON.stringify(answer.reply)).toMatch(
    /encrypted_(?:content|index): (?:Invalid encrypted content|Field required)/,
  );
});

it('SIM-33: a PDF that was fetched counts among the pages of later requests', async () => {
  const fetches = [{ type: 'web_fetch_20250910', name: 'web_fetch' }];
  const wanted = (pages: number) => user(`/sim fetch https://example.com/elm.pdf?pages=${pages}`);
  const read = async (pages: number) => {
    const { reply } = await ask({ tools: fetches, messages: [wanted(pages)] });
    expect(JSON.stringify(reply['content'])).toContain('"media_type":"application/pdf"');
    return [wanted(pages), assistant(reply['content'])];
  };
  const [short, long] = [await read(40), await read(61)];
  expect((await ask({ messages: [...short, user('Thanks.')] })).status).toBe(200);
  const refused = await ask({ messages: [...short, ...long, user('Thanks.')] });
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.reply)).toContain('A maximum of 100 PDF pages may be provided');
});

it('SIM-31: a pause leaves a call open; sent back as it is, it goes on', async () => {
  const paused = user('/sim pause');
  const { reply } = await ask({ tools, messages: [paused] });
  expect(reply['stop_reason']).toBe('pause_turn');
  const again = await ask({ tools, messages: [paused, assistant(reply['content'])] });
  expect(again.reply['stop_reason']).toBe('end_turn');
  expect(JSON.stringify(again.reply['content'])).toContain('web_search_tool_result');
});

it('SIM-32: a container is used again by its id until it expires', async () => {
  const code = [{ type: 'code_execution_20250825', name: 'code_execution' }];
  const { reply } = await ask({ tools: code, messages: [user('/sim code echo 1')] });
  const id = isPlainObject(reply['container']) ? String(reply['container']['id']) : '';
  const history = [user('/sim code echo 1'), assistant(reply['content'])];
  const next = await ask({ tools: code, container: id, messages: [...history, user('/sim code echo 2')] });
  expect(next.reply['container']).toMatchObject({ id });
  const expired = await ask({ tools: code, container: id, messages: [...history, user('/sim expire')] });
  expect(expired.status).toBe(400);
  expect(JSON.stringify(expired.reply)).toContain('was not found or has expired');
  expect((await ask({ tools: code, container: id, messages: [...history, user('Again.')] })).status).toBe(400);
  expect((await ask({ tools: code, messages: [...history, user('Again.')] })).status).toBe(200);
});

async function refusal(path: string, body: Json, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const response = await fetch(`${simulator.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const said: unknown = await response.json();
  const error = isPlainObject(said) && isPlainObject(said['error']) ? said['error'] : {};
  return `${response.status} ${String(error['message'])}`;
}

const CLAUDE = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'mcp-client-2025-11-20' };
const claude = (more: Json) => ({ model: 'claude-opus-5', max_tokens: 100, messages: [user('Hello.')], ...more });
const webSearch = (more: Json) => ({ type: 'web_search_20250305', name: 'web_search', ...more });
const server = { type: 'url', url: 'https://mcp.example.com', name: 'wiki' };
const toolset = { type: 'mcp_toolset', mcp_server_name: 'wiki' };
const page = (more: Json) => ({
  type: 'document',
  source: { type: 'text', media_type: 'text/plain', data: 'A tree.' },
  ...more,
});

it.each<[string, Json]>([
  [
    'tools.0: Only one of allowed_domains or blocked_domains may be set.',
    claude({ tools: [webSearch({ allowed_domains: ['a.org'], blocked_domains: ['b.org'] })] }),
  ],
  [
    'tools.0.blocked_domains: Empty list of domains is ambiguous. Provide at least one domain or null.',
    claude({ tools: [webSearch({ blocked_domains: [] })] }),
  ],
  [
    "mcp_servers.0: MCP server 'wiki' must be referenced by exactly one mcp_toolset in tools",
    claude({ mcp_servers: [server], tools: [webSearch({})] }),
  ],
  [
    "mcp_servers.0: MCP server 'wiki' must be referenced by exactly one mcp_toolset in tools",
    claude({ mcp_servers: [server], tools: [toolset, toolset] }),
  ],
  [
    "'claude-haiku-4-5' does not support programmatic tool calling. The following tools have `allowed_callers` that " +
      'require it: web_search. Explicitly set `allowed_callers=["direct"]` on these tools, or use a model that ' +
      'supports programmatic tool calling.',
    claude({ model: 'claude-haiku-4-5', tools: [webSearch({ type: 'web_search_20260209' })] }),
  ],
  [
    'messages.0.content.1.document.citations: citations must be enabled on all or none of the documents in a request',
    claude({ messages: [{ role: 'user', content: [page({ citations: { enabled: true } }), page({})] }] }),
  ],
])('SIM-151: Anthropic: %s', async (text, body) => {
  expect(await refusal('/v1/messages', body, CLAUDE)).toBe(`400 ${text}`);
});

it.each<[string, Json]>([
  [
    "The following tools cannot be used with reasoning.effort 'minimal': image_gen, web_search.",
    {
      model: 'gpt-5',
      reasoning: { effort: 'minimal' },
      tools: [{ type: 'web_search' }, { type: 'image_generation' }],
    },
  ],
  ["Hosted tool 'web_search' is not supported with o3-mini.", { model: 'o3-mini', tools: [{ type: 'web_search' }] }],
  ["Missing required parameter: 'tools[0].container'.", { model: 'gpt-5.5', tools: [{ type: 'code_interpreter' }] }],
  ["Missing required parameter: 'tools[0].vector_store_ids'.", { model: 'gpt-5.5', tools: [{ type: 'file_search' }] }],
])('SIM-151: OpenAI: %s', async (text, body) => {
  expect(await refusal('/v1/responses', { input: 'Hello.', ...body })).toBe(`400 ${text}`);
});

it('SIM-151: Google: files and the web are not searched together', async () => {
  const tools = [{ googleSearch: {} }, { fileSearch: { fileSearchStoreNames: ['fileSearchStores/s'] } }];
  const contents = [{ role: 'user', parts: [{ text: 'Hello.' }] }];
  expect(await refusal('/v1beta/models/gemini-3.8-flash:generateContent', { contents, tools })).toBe(
    '400 Search as a tool and file search tool are not supported together',
  );
});
