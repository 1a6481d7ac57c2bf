import { isPlainObject } from '@bough/core';
import type { Script } from '../../commands/index.ts';
import type { World } from '../../world.ts';
import type { Refusal } from './history.ts';
import type { Turn } from './turns.ts';
import { list } from './turns.ts';

type Json = Readonly<Record<string, unknown>>;

// Code that runs at the provider and calls tools of the client. The simulator runs no code: it plays the calls.

const PURPOSE = 'anthropic container';
const CODE_TOOL = /^code_execution_20(?:250825|26\d{4})$/;

/** The kind of code execution that is offered, and the tools that its code may call. */
function callable(body: Json): { readonly kind: string; readonly tools: ReadonlySet<unknown> } | null {
  const tools = list(body['tools']).filter(isPlainObject);
  const kind = tools.map(({ type }) => String(type)).find((type) => CODE_TOOL.test(type));
  if (kind === undefined) return null;
  const callers = tools.filter((tool) => list(tool['allowed_callers']).includes(kind));
  return { kind, tools: new Set(callers.map(({ name }) => name)) };
}

/** The code whose calls the request answers, or null if none waits. */
function runningProgram(turns: readonly Turn[]): string | null {
  const blocks = turns.flatMap((turn) => turn.blocks);
  const done = new Set(blocks.map(({ value }) => value['tool_use_id']));
  const open = blocks.findLast(({ type, value }) => type === 'server_tool_use' && !done.has(value['id']));
  return open?.value['name'] === 'code_execution' ? String(open.value['id']) : null;
}

function containerId({ container }: Json): string | null {
  if (typeof container === 'string') return container;
  return isPlainObject(container) && typeof container['id'] === 'string' ? container['id'] : null;
}

/** The vendor keeps a container for thirty days. */
const LIFETIME_MS = 30 * 24 * 60 * 60 * 1_000;
const TIME_LETTERS = 9;

/** A container carries its own proof and its age: one that was made before a restart is known after it. */
function newContainer(world: World): string {
  const born = world.now().toString(36).padStart(TIME_LETTERS, '0');
  const name = `${world.newId('container_011C', 12)}${born}`;
  return `${name}${world.sign(PURPOSE, name).slice(0, 8)}`;
}

const isOurs = (id: string, world: World): boolean => world.sign(PURPOSE, id.slice(0, -8)).slice(0, 8) === id.slice(-8);

function isTooOld(id: string, world: World): boolean {
  const born = Number.parseInt(id.slice(-8 - TIME_LETTERS, -8), 36);
  return world.now() - born > LIFETIME_MS || world.recall(EXPIRED, id) === true;
}

const EXPIRED = 'anthropic expired';

export function judgeContainer(
  body: Json,
  turns: readonly Turn[],
  { expired = false }: Pick<Script, 'expired'>,
  world: World,
): Refusal | null {
  const id = containerId(body);
  if (id === null) return null;
  if (expired) world.remember(EXPIRED, id, true);
  if (!isOurs(id, world) || isTooOld(id, world))
    return { rule: 'ANT-SIM-8', message: `container: ${id} was not found or has expired` };
  const program = runningProgram(turns);
  const home = program === null ? undefined : world.recall(PURPOSE, program);
  return home === undefined || home === id
    ? null
    : { rule: 'ANT-SIM-8', message: `container: the pending code execution runs in another container` };
}

export interface Played {
  readonly content: readonly Json[];
  /** What the reply says about its container. */
  readonly container: Json | null;
}

const EXPIRES = '2026-12-01T00:00:00Z';

/** What a reply says about the container that its code ran in: the one that was asked for, or a new one. */
export function containerFor(body: Json, world: World): Json {
  return { id: containerId(body) ?? newContainer(world), expires_at: EXPIRES, skills: null };
}

/** A reply in which calls of tools are made by code, if code execution is offered and may call them. */
export function playProgram(content: readonly Json[], body: Json, turns: readonly Turn[], world: World): Played {
  const offered = callable(body);
  const running = runningProgram(turns);
  if (offered === null || (running === null && offered.tools.size === 0)) return { content, container: null };
  const calls = content.filter(({ type, name }) => type === 'tool_use' && offered.tools.has(name));
  if (running === null && calls.length === 0) return { content, container: null };
  const id = containerId(body) ?? newContainer(world);
  const container = { id, expires_at: EXPIRES, skills: null };
  if (calls.length === 0) return { content: [resultOf(String(running)), ...content], container };
  const program = running ?? world.newId('srvtoolu_01', 22);
  world.remember(PURPOSE, program, id);
  const caller = { type: offered.kind, tool_id: program };
  const made = calls.map((call) => ({ ...call, caller }));
  // While code runs, nobody thinks and nobody speaks.
  if (running !== null) return { content: made, container };
  const before = content.filter((block) => !calls.includes(block) && block['type'] !== 'tool_use');
  return { content: [...before, programOf(program, calls), ...made], container };
}

function programOf(id: string, calls: readonly Json[]): Json {
  const code = calls.map(({ name, input }) => `await ${String(name)}(${JSON.stringify(input)})`).join('\n');
  return { type: 'server_tool_use', id, name: 'code_execution', input: { code }, caller: { type: 'direct' } };
}

function resultOf(id: string): Json {
  const content = { type: 'code_execution_result', stdout: 'done', stderr: '', return_code: 0, content: [] };
  return { type: 'code_execution_tool_result', tool_use_id: id, content };
}
