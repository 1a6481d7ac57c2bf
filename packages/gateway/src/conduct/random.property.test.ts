import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProjectId, ProtocolId, StreamEvent, TreeNode } from '@bough/core';
import { projectId } from '@bough/core';
import { createEngine, createToolBox, DEFAULT_LIMITS, randomIds } from '@bough/engine';
import type { Provider } from '@bough/providers';
import { createProvider, simulatedDeployments } from '@bough/providers';
import type { Store } from '@bough/store';
import { openFilesStore } from '@bough/store';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWriter } from '../dialects/write.ts';
import type { Arrival, ConversationHook, Outcome } from '../pass/hook.ts';
import { rebuildBody } from '../record/rebuild.ts';
import type { Manner, Said } from '../testing/conversations.ts';
import { bodyOf } from '../testing/conversations.ts';
import { createConductor } from './index.ts';

const PROTOCOLS: readonly ProtocolId[] = ['anthropic-messages', 'openai-responses', 'openai-chat', 'gemini'];
const PROVIDERS = simulatedDeployments('http://127.0.0.1:9').map((each) => createProvider(each, { key: null }));

let directory: string;
let store: Store;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bough-random-'));
  store = await openFilesStore({ directory });
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

type Step =
  | { readonly do: 'ask'; readonly calls: number }
  /** Fails, or breaks off, and is asked again. */
  | { readonly do: 'fail'; readonly how: 'refused' | 'left' | 'unreachable' }
  | { readonly do: 'regenerate' }
  | { readonly do: 'rewind'; readonly to: number }
  | { readonly do: 'restart' };

const manner: fc.Arbitrary<Manner> = fc.record({
  plain: fc.boolean(),
  marks: fc.boolean(),
  thoughts: fc.boolean(),
  ids: fc.constantFrom('a', 'b'),
  around: fc.constantFrom('', ' ', '\n'),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('ask' as const), calls: fc.nat(2) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('fail' as const),
      how: fc.constantFrom('refused' as const, 'left' as const, 'unreachable' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('regenerate' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rewind' as const), to: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
);

function conductorOn(): ConversationHook {
  const now = (): Date => new Date();
  const providers = {
    get: (id: string): Provider => {
      const found = PROVIDERS.find(({ deployment }) => deployment.id === id);
      if (found === undefined) throw new Error(id);
      return found;
    },
    list: () => PROVIDERS,
    defaults: () => ({ provider: 'simulated', model: 'm' }),
  };
  const tools = createToolBox({ approval: {}, sources: [] });
  const observe = (): void => undefined;
  const env = { store, providers, tools, ids: randomIds, now, owner: 'owner', limits: DEFAULT_LIMITS, observe };
  return createConductor({ engine: createEngine(env), store, ids: randomIds, now });
}

/** A client of one protocol, its history, and what it knows of its last reply. */
class Player {
  readonly #protocol: ProtocolId;
  readonly #session: string;
  #hook = conductorOn();
  #said: readonly Said[] = [];
  #count = 0;
  readonly bodies: string[] = [];
  project: ProjectId | null = null;
  /** Every history that was answered, each as its texts. */
  readonly answered: string[][] = [];

  constructor(protocol: ProtocolId, session: string) {
    this.#protocol = protocol;
    this.#session = session;
  }

  async play(now: Step, how: Manner): Promise<void> {
    switch (now.do) {
      case 'restart':
        this.#hook = conductorOn();
        return;
      case 'rewind':
        this.#said = this.#said.slice(0, now.to);
        return;
      case 'regenerate':
        if (this.#said.at(-1)?.who === 'model') this.#said = this.#said.slice(0, -1);
        if (this.#mayAsk()) await this.#ask(how, 0, null);
        return;
      case 'fail':
        this.#makeAskable();
        await this.#ask(how, 0, now.how);
        await this.#ask(how, 0, null);
        return;
      case 'ask':
        this.#makeAskable();
        await this.#ask(how, now.calls, null);
    }
  }

  #mayAsk(): boolean {
    const last = this.#said.at(-1);
    return last !== undefined && (last.who === 'user' || last.calls.length > 0);
  }

  #makeAskable(): void {
    if (this.#mayAsk()) return;
    this.#count += 1;
    this.#said = [...this.#said, { who: 'user', text: `question ${this.#count}` }];
  }

  async #ask(how: Manner, calls: number, failure: 'refused' | 'left' | 'unreachable' | null): Promise<void> {
    const text = JSON.stringify({ ...bodyOf(this.#protocol, this.#said, how), ...tools(this.#protocol) });
    this.bodies.push(text);
    const plan = await this.#hook(this.#arrival(text));
    if (plan?.type !== 'forward') throw new Error('The request was not recorded.');
    const { tap } = plan;
    let outcome: Outcome = { type: 'complete' };
    if (failure === 'unreachable') {
      outcome = { type: 'failed', error: { code: 'network', message: 'Gone.', retryable: true } };
    } else if (failure === 'refused') {
      await tap.head?.({ status: 529, headers: {}, refusal: Buffer.from('{"error":{"message":"Busy."}}') });
    } else {
      this.#count += 1;
      const reply: Said = {
        who: 'model',
        thought: 'hm',
        text: `answer ${this.#count}`,
        calls: Array.from({ length: calls }, (_, at) => ({
          name: 'shell',
          args: { at },
          result: `result ${this.#count}.${at}`,
        })),
      };
      await tap.head?.({ status: 200, headers: { 'content-type': 'text/event-stream' }, refusal: null });
      const pieces = stream(this.#protocol, reply);
      const heard = failure === 'left' ? pieces.slice(0, Math.ceil(pieces.length / 2)) : pieces;
      for (const piece of heard) await tap.piece(Buffer.from(piece));
      if (failure === 'left') outcome = { type: 'left' };
      else {
        this.#said = [...this.#said, reply];
        this.answered.push(textsOf(this.#said));
      }
    }
    await tap.end(outcome);
    // Known once the request is stored, which may be after it left.
    this.project = projectId(tap.headers?.['x-bough-project'] ?? '');
  }

  #arrival(text: string): Arrival {
    const provider = PROVIDERS.find(({ deployment }) => deployment.protocol === this.#protocol);
    if (provider === undefined) throw new Error(this.#protocol);
    return {
      provider,
      protocol: this.#protocol,
      operation: 'conversation',
      project: null,
      model: this.#protocol === 'gemini' ? 'gemini-x' : null,
      streamed: true,
      method: 'POST',
      path: '/v1/anything',
      headers: { 'x-bough-session': this.#session },
      body: Buffer.from(text),
      signal: new AbortController().signal,
    };
  }
}

const tools = (protocol: ProtocolId): object =>
  ({
    'anthropic-messages': { tools: [{ name: 'shell', input_schema: { type: 'object' } }] },
    'openai-responses': { tools: [{ type: 'function', name: 'shell', parameters: { type: 'object' } }] },
    'openai-chat': { tools: [{ type: 'function', function: { name: 'shell', parameters: { type: 'object' } } }] },
    gemini: { tools: [{ functionDeclarations: [{ name: 'shell' }] }] },
  })[protocol];

function stream(protocol: ProtocolId, reply: Extract<Said, { who: 'model' }>): readonly string[] {
  const writer = createWriter(protocol, {
    id: 'r',
    model: 'm',
    created: 0,
    inputTokens: 1,
    token: 'sealed',
    toolOf: (name) => ({ name, kind: 'function', namespace: null }),
  });
  const events: StreamEvent[] = [
    { type: 'start' },
    { type: 'thinking', index: 0, text: reply.thought },
    { type: 'text', index: 1, text: reply.text },
    ...reply.calls.map(
      ({ name, args }, at) => ({ type: 'tool_call', index: at + 2, id: `id_${at}`, name, parameters: args }) as const,
    ),
    { type: 'usage', usage: { inputTokens: 3, outputTokens: 4 } },
    { type: 'stop', reason: reply.calls.length > 0 ? 'tool_use' : 'end_turn' },
  ];
  return events.map((event) => writer.push(event)).filter((piece) => piece !== '');
}

/** The texts of a history, node by node. */
const textsOf = (said: readonly Said[]): string[] =>
  said.flatMap((one, at) =>
    one.who === 'user'
      ? [one.text]
      : // The results of the newest reply are not said yet.
        [one.text, ...(at === said.length - 1 ? [] : one.calls.map(({ result }) => result))],
  );

const nodesText = (path: readonly TreeNode[]): string[] => path.map(({ content }) => content.trim());

it.each(PROTOCOLS)(
  'GW-21: random clients of %s: every history that was answered is a path, nothing is stored twice, every body is rebuilt',
  async (protocol) => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(step, manner), { minLength: 2, maxLength: 10 }), async (steps) => {
        runs += 1;
        const player = new Player(protocol, `session ${runs}`);
        for (const [now, how] of steps) await player.play(now, how);
        const { project, bodies, answered } = player;
        if (project === null) return;
        const branches = await store.listBranches(project);
        const { nodes } = await store.graph(project);
        const all = await store.getNodes(
          project,
          nodes.map(({ id }) => id),
        );
        const paths = new Set<string>();
        for (const node of all) paths.add(JSON.stringify(nodesText(await store.path(project, node.id))));
        for (const history of answered) expect([...paths]).toContain(JSON.stringify(history));
        // A history is stored once, unless a reply was made again.
        const said = all.filter(({ role, trail }) => role !== 'assistant' && trail !== undefined);
        expect(new Set(said.map(({ trail }) => trail)).size).toBe(said.length);
        // A client that only fails and tries again stays on its branch.
        const forks = steps.filter(([each]) => each.do === 'regenerate' || each.do === 'rewind');
        expect(branches.length).toBeLessThanOrEqual(1 + forks.length);
        const turns = new Set(all.flatMap(({ turnId }) => (turnId === null ? [] : [turnId])));
        const rebuilt: (string | null)[] = [];
        for (const turn of turns) {
          for (const call of await store.callsOfTurn(project, turn))
            rebuilt.push(await rebuildBody(store, project, call, 'came'));
        }
        const inOrder = (texts: readonly (string | null)[]): readonly string[] =>
          texts.map(String).toSorted((a, b) => (a < b ? -1 : 1));
        expect(inOrder(rebuilt)).toEqual(inOrder(bodies));
        expect(await store.openTurns(project)).toEqual([]);
      }),
      { numRuns: 20, seed: 17 },
    );
  },
  120_000,
);
