import type { World } from './pool.ts';
import { createPool } from './pool.ts';
import type { Random } from './random.ts';
import { createRandom } from './random.ts';
import type { ApiDocument, FuzzRequest } from './requests.ts';
import { makeRequest, routesOf } from './requests.ts';
import type { FuzzAnswer } from './send.ts';
import { createSender } from './send.ts';
import { hostileText } from './values.ts';

export interface FuzzOptions {
  readonly baseUrl: string;
  readonly token?: string | null;
  readonly seed: number;
  readonly count: number;
  /** How many requests run at once. */
  readonly parallel?: number;
  readonly onProgress?: (sent: number) => void;
}

export interface FuzzReport {
  readonly sent: number;
  readonly byStatus: ReadonlyMap<number, number>;
  /** How often each route was called. */
  readonly byRoute: ReadonlyMap<string, number>;
  /** One line each: what is wrong, and the whole request. */
  readonly failures: readonly string[];
}

const MAX_FAILURES = 100;

/**
 * Sends hostile requests to every route in the server's own description. The same seed makes the same requests, except
 * for ids.
 */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { baseUrl, token = null, seed, count, parallel = 8, onProgress } = options;
  const sender = createSender(baseUrl, parallel, token);
  const pool = createPool();
  const byStatus = new Map<number, number>();
  const byRoute = new Map<string, number>();
  const failures: string[] = [];
  const read = async (path: string): Promise<unknown> => JSON.parse((await sender.send(plain('GET', path))).text);
  const document = (await read('/api/openapi.json')) as ApiDocument;
  const routes = routesOf(document);
  for (const path of ['/api/providers', '/api/tools', '/api/projects']) pool.learn(await read(path));

  const ask = async (index: number, request: FuzzRequest): Promise<void> => {
    add(byRoute, request.route);
    try {
      const answer = await sender.send(request);
      add(byStatus, answer.status);
      const wrong = whatIsWrong(request, answer);
      if (wrong !== null) failures.push(line(seed, index, wrong, request));
      const project = /^\/api\/projects\/([^/?]+)/.exec(request.path)?.[1];
      if (project !== undefined && request.method === 'DELETE' && answer.status === 204) pool.forget(project);
      for (const value of jsonIn(answer)) pool.learn(value, project);
    } catch (error) {
      add(byStatus, 0);
      failures.push(line(seed, index, error instanceof Error ? error.message : String(error), request));
    }
  };
  const one = async (index: number): Promise<void> => {
    const random = createRandom(seed * 1_000_003 + index);
    if (random.chance(0.01)) {
      const bytes = noRequest(random);
      const status = await sender.sendBytes(bytes);
      add(byStatus, status);
      if (status >= 500) failures.push(line(seed, index, `answered ${status}`, { bytes }));
      return;
    }
    const surplus = pool.surplus();
    if (surplus !== undefined) return ask(index, plain('DELETE', `/api/projects/${encodeURIComponent(surplus)}`));
    if (pool.size() < WANTED_PROJECTS) return ask(index, newProject(random));
    const route = routes[index % routes.length];
    if (route === undefined) throw new Error('The server describes no routes.');
    const world = pool.world(random);
    // There must be some messages, or most routes have nothing to work on.
    const isEmpty = (world.get('node') ?? []).length < 2;
    return ask(
      index,
      isEmpty && random.chance(0.5)
        ? firstMessage(world, random)
        : makeRequest(route, { random, world, schemas: document.components.schemas }),
    );
  };
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count && failures.length < MAX_FAILURES) {
      const index = next;
      next += 1;
      await one(index);
      if (index % 1_000 === 999) onProgress?.(index + 1);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  sender.close();
  return { sent: next, byStatus, byRoute, failures };
}

const WANTED_PROJECTS = 12;
const SIMULATED = ['simulated', 'simulated_responses', 'simulated_chat', 'simulated_gemini'] as const;

function newProject(random: Random): FuzzRequest {
  const body = { provider: random.pick(SIMULATED), ...(random.chance(0.7) ? { tools: ['calculator'] } : {}) };
  return withBody('/api/projects', body);
}

function firstMessage(world: World, random: Random): FuzzRequest {
  const [project = ''] = world.get('project') ?? [];
  const message = random.pick(['hello', '/sim tools calculator', '/sim tools calculator x2', '/sim fault cut 4']);
  return withBody(`/api/projects/${project}/chat`, { ref: 'main', message });
}

function withBody(path: string, body: unknown): FuzzRequest {
  const headers = { 'content-type': 'application/json' };
  return { ...plain('POST', path), headers, body: JSON.stringify(body) };
}

function plain(method: string, path: string): FuzzRequest {
  return {
    route: `${method} ${path.replace(/projects\/[^/]+/, 'projects/{id}')}`,
    method,
    path,
    headers: {},
    body: undefined,
  };
}

/** Null where the answer is as it should be: a success, or a refusal with a code and a sentence. */
function whatIsWrong({ method, headers }: FuzzRequest, { status, headers: answered, text }: FuzzAnswer): string | null {
  // `/sim fault` has the provider close the connection, also while it writes a summary: 502 is the truth about that.
  const isProvidersFault = status === 502 && text.includes('"code":"summary_failed"');
  if (status >= 500 && !isProvidersFault) return `answered ${status} ${text.slice(0, 300)}`;
  if (status < 400 || method === 'HEAD') return null;
  const type = answered['content-type'] ?? '';
  const isProblem = type.startsWith('application/problem+json') && /"code":"[a-z_]+"/.test(text);
  // Node's own answer to an `Expect` header that it does not know.
  return isProblem || 'expect' in headers ? null : `answered ${status} as ${type}: ${text.slice(0, 300)}`;
}

function jsonIn({ headers, text }: FuzzAnswer): readonly unknown[] {
  if (!/json/.test(headers['content-type'] ?? '')) return [];
  return text.split('\n').flatMap((part) => {
    try {
      return [JSON.parse(part) as unknown];
    } catch (error) {
      // The end of a stream, or of a long answer, was cut.
      if (error instanceof SyntaxError) return [];
      throw error;
    }
  });
}

const HEADS = [
  'GET /api/projects HTTP/1.1',
  'POST /api/projects HTTP/1.1',
  'GET /%00 HTTP/1.1',
  'BREW / HTCPCP/1.0',
] as const;

function noRequest(random: Random): string {
  const lines = [
    random.chance(0.5) ? random.pick(HEADS) : hostileText(random),
    ...Array.from({ length: random.below(4) }, () => `${hostileText(random)}: ${hostileText(random)}`),
    random.chance(0.5) ? 'host: localhost' : '',
    random.chance(0.3) ? `content-length: ${hostileText(random)}` : 'transfer-encoding: chunked',
    '',
    hostileText(random),
  ];
  return lines.join('\r\n').slice(0, 60_000);
}

function line(seed: number, index: number, wrong: string, request: FuzzRequest | { readonly bytes: string }): string {
  const body =
    'body' in request && request.body instanceof Uint8Array
      ? { base64: Buffer.from(request.body).toString('base64') }
      : {};
  return JSON.stringify({ seed, index, wrong, ...request, ...body });
}

function add<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
