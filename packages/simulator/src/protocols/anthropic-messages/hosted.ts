import { isPlainObject } from '@bough/core';
import { pdfBytes } from '@bough/providers';
import type { Script } from '../../commands/index.ts';
import { lists, listing } from '../../given-files/index.ts';
import type { World } from '../../world.ts';
import type { Played } from './programs.ts';
import { containerFor } from './programs.ts';
import { sealed } from './found.ts';
import type { Block, Turn } from './turns.ts';
import { isThought, list } from './turns.ts';
import { uploadsIn } from './uploads.ts';

type Json = Readonly<Record<string, unknown>>;

// Tools that the provider runs itself: calls and results are both in its reply. What a search found comes encrypted,
// and goes back that way.

/** A tool that is offered, and what it is asked to do. */
interface Hosted {
  readonly name: string;
  readonly server: string | null;
  readonly words: string;
}

const KINDS = [
  { type: /^web_search_/, tool: 'web_search', name: 'web_search', words: 'trees' },
  { type: /^web_fetch_/, tool: 'web_fetch', name: 'web_fetch', words: 'https://example.com/trees' },
  { type: /^code_execution_20250825$/, tool: 'code_execution', name: 'bash_code_execution', words: 'echo 42' },
  { type: /^mcp_toolset$/, tool: 'remote_mcp', name: 'lookup', words: 'trees' },
] as const;

/** The tools that this reply uses: those that the message names, or else all that are offered. */
function hostedIn(body: Json, { hosted }: Script): readonly Hosted[] {
  const tools = list(body['tools']).filter(isPlainObject);
  // Code that may call tools of the client is played as a program.
  const isCalledFrom = tools.some((tool) => list(tool['allowed_callers']).length > 0);
  return tools.flatMap((tool) => {
    const kind = KINDS.find(({ type }) => type.test(String(tool['type'])));
    if (kind === undefined || (kind.tool === 'code_execution' && isCalledFrom)) return [];
    const words = hosted === undefined ? kind.words : hosted[kind.tool];
    if (words === undefined) return [];
    return [{ name: kind.name, words, server: kind.tool === 'remote_mcp' ? String(tool['mcp_server_name']) : null }];
  });
}

export interface HostedReply extends Played {
  readonly isPaused: boolean;
}

/** A reply with what the provider's own tools did before the first word, or null if none of them does anything. */
export function playHosted(
  spoken: readonly Json[],
  body: Json,
  turns: readonly Turn[],
  script: Script,
  world: World,
): HostedReply | null {
  const choice = body['tool_choice'];
  const last = turns.at(-1);
  const open = openCalls(last);
  const isAsked = last?.role === 'user' && last.blocks.every(({ type }) => type !== 'tool_result');
  if (open.length === 0 && (!isAsked || (isPlainObject(choice) && choice['type'] === 'none'))) return null;
  const wanted = hostedIn(body, script);
  if (wanted.length === 0 && open.length === 0) return null;
  const made = open.length === 0 ? 0 : callsIn(last).length;
  const pauses = Math.min(script.pauses ?? 0, wanted.length);
  const isPaused = made < pauses;
  const calls = wanted.slice(made, isPaused ? made + 1 : undefined).map((each) => callOf(each, world));
  const container = [...open, ...calls].some(({ name }) => name === 'bash_code_execution')
    ? containerFor(body, world)
    : null;
  const found = container === null ? '' : listing(String(container['id']), uploadsIn(turns), world);
  const results = open.map((call) => resultOf(call, found, world));
  if (isPaused) {
    const thoughts = made === 0 ? spoken.slice(0, firstWord(spoken)) : [];
    return { content: [...results, ...thoughts, ...calls], container, isPaused };
  }
  const done = [...results, ...calls.flatMap((call) => [call, resultOf(call, found, world)])];
  const words = open.length === 0 ? spoken : spoken.filter((block) => !isThought({ type: String(block['type']) }));
  const at = firstWord(words);
  const cited = withCitation(words.slice(at), done, world);
  return { content: [...words.slice(0, at), ...done, ...cited], container, isPaused };
}

const isCall = ({ type }: Pick<Block, 'type'>): boolean => type === 'server_tool_use' || type === 'mcp_tool_use';

/** The calls of a turn of the assistant that is to be continued. */
function callsIn(turn: Turn | undefined): readonly Json[] {
  return turn?.role === 'assistant' ? turn.blocks.filter(isCall).map(({ value }) => value) : [];
}

function openCalls(turn: Turn | undefined): readonly Json[] {
  const answered = new Set(turn?.blocks.map(({ value }) => value['tool_use_id']));
  return callsIn(turn).filter(({ id }) => !answered.has(id));
}

function firstWord(content: readonly Json[]): number {
  const at = content.findIndex((block) => !isThought({ type: String(block['type']) }));
  return at < 0 ? content.length : at;
}

function callOf({ name, words, server }: Hosted, world: World): Json {
  if (server !== null)
    return { type: 'mcp_tool_use', id: world.newId('mcptoolu_01', 22), name, server_name: server, input: { words } };
  const input = { web_search: { query: words }, web_fetch: { url: words } }[name] ?? { command: words };
  return { type: 'server_tool_use', id: world.newId('srvtoolu_01', 22), name, input, caller: { type: 'direct' } };
}

/** A function of the call and its container: a call that was left open is answered in a later reply. */
function resultOf({ type, id, name, input }: Json, found: string, world: World): Json {
  const said: Json = isPlainObject(input) ? input : {};
  if (type === 'mcp_tool_use') {
    const content = [{ type: 'text', text: `About ${String(said['words'])}: a tree has branches.` }];
    return { type: 'mcp_tool_result', tool_use_id: id, is_error: false, content };
  }
  const result = (content: unknown): Json => ({ type: `${String(name)}_tool_result`, tool_use_id: id, content });
  switch (name) {
    case 'web_search': {
      const pages = pagesAbout(String(said['query']));
      return result(pages.map((page, at) => foundPage(page, [String(id), at, pages.length], world)));
    }
    case 'web_fetch': {
      const { url } = said;
      const document = { type: 'document', source: pageAt(String(url)), title: 'Trees', citations: { enabled: true } };
      return result({ type: 'web_fetch_result', url, content: document, retrieved_at: '2026-11-01T00:00:00Z' });
    }
    default: {
      const code = String(said['command'] ?? said['code']);
      const stdout = `${code}: done\n${lists(code) ? found : ''}`;
      return result({ type: `${String(name)}_result`, stdout, stderr: '', return_code: 0, content: [] });
    }
  }
}

const MOST_PAGES = 1_000;

/** Words, or a PDF, with as many pages as its address asks for. */
function pageAt(url: string): Json {
  if (!/\.pdf(?:$|[?#])/i.test(url))
    return { type: 'text', media_type: 'text/plain', data: `What ${url} says: trees branch.` };
  const pages = Math.min(MOST_PAGES, Number(/[?&]pages=(\d{1,4})/.exec(url)?.[1] ?? 1));
  return { type: 'base64', media_type: 'application/pdf', data: Buffer.from(pdfBytes(pages, url)).toString('base64') };
}

interface Page {
  readonly url: string;
  readonly title: string;
}

function pagesAbout(query: string): readonly Page[] {
  const slug = encodeURIComponent(query.toLowerCase().replaceAll(/\s+/g, '-')).slice(0, 80);
  return [
    { url: `https://example.com/${slug}`, title: `All about ${query}` },
    { url: `https://example.org/${slug}`, title: `${query}, explained` },
  ];
}

type Place = readonly [call: string, at: number, of: number];

function foundPage({ url, title }: Page, place: Place, world: World): Json {
  const encrypted_content = sealed([...place, url, title], world);
  return { type: 'web_search_result', url, title, encrypted_content, page_age: null };
}

/** The first text says where it has its words from. */
function withCitation(content: readonly Json[], done: readonly Json[], world: World): readonly Json[] {
  const found = done.flatMap(({ type, content: pages }) =>
    type === 'web_search_tool_result' ? list(pages).filter(isPlainObject) : [],
  )[0];
  const at = content.findIndex(({ type, text }) => type === 'text' && String(text).trim() !== '');
  if (found === undefined || at < 0) return content;
  const { url, title } = found;
  const cited_text = 'A tree has branches.';
  const encrypted_index = sealed(['cited', url, title, cited_text], world);
  const citations = [{ type: 'web_search_result_location', cited_text, url, title, encrypted_index }];
  return content.map((block, place) => (place === at ? { ...block, citations } : block));
}
