import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ImageBlock, ProjectId } from '@bough/core';
import { projectId } from '@bough/core';
import type { Engine } from '@bough/engine';
import { createEngine, createToolBox, DEFAULT_LIMITS, randomIds } from '@bough/engine';
import { createProvider, pngBytes, simulatedDeployments } from '@bough/providers';
import type { Simulator } from '@bough/simulator';
import { startSimulator } from '@bough/simulator';
import type { Store } from '@bough/store';
import { openFilesStore, StoreError } from '@bough/store';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Gateway, GatewayEvent } from '../gateway.ts';
import { createGateway } from '../gateway.ts';
import { rebuildBody } from '../record/rebuild.ts';
import type { Repairer } from './repairer.ts';
import type { ConductorEnvironment } from './index.ts';
import { createConductor } from './index.ts';

let simulator: Simulator;
let directory: string;
let store: Store;
const engines: Engine[] = [];
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'conduct', paceMs: 0 });
});
afterAll(() => simulator.close());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bough-conduct-'));
  store = await openFilesStore({ directory });
});
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.stop(0)));
  await store.close();
  await rm(directory, { recursive: true });
});

interface Stage {
  readonly gateway: Gateway;
  readonly engine: Engine;
  readonly events: readonly GatewayEvent[];
}

type StageOptions = Pick<ConductorEnvironment, 'whenStoreFails' | 'repairer' | 'modeOf' | 'budgets'>;

function stageOn(on: Store, options: StageOptions = {}): Stage {
  const simulated = simulatedDeployments(simulator.url).map((deployment) => createProvider(deployment, { key: null }));
  const providers = {
    get: (id: string) => {
      const found = simulated.find(({ deployment }) => deployment.id === id);
      if (found === undefined) throw new Error(id);
      return found;
    },
    list: () => simulated,
    defaults: () => ({ provider: 'simulated', model: 'sim-thinker' }),
  };
  const tools = createToolBox({ approval: {}, sources: [] });
  const now = (): Date => new Date();
  const events: GatewayEvent[] = [];
  const engine = createEngine({
    store: on,
    providers,
    tools,
    ids: randomIds,
    now,
    owner: 'owner',
    limits: DEFAULT_LIMITS,
    observe: () => undefined,
  });
  engines.push(engine);
  const hook = createConductor({ engine, store: on, ids: randomIds, now, ...options });
  const observe = (event: GatewayEvent): void => void events.push(event);
  return { gateway: createGateway({ providers, isToken: null, hook, observe, ...options }), engine, events };
}

const HEADERS = { 'user-agent': 'claude-cli/2.1.0', 'x-claude-code-session-id': 's', host: '127.0.0.1:1' };

interface Message {
  readonly role: string;
  readonly content: string | readonly unknown[];
}

const bodyOf = (messages: readonly Message[], stream = true): string =>
  JSON.stringify({
    model: 'sim-thinker',
    max_tokens: 1_000,
    messages,
    tools: [{ name: 'ls', input_schema: { type: 'object' } }],
    stream,
  });

interface Asked {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

/** A client's request; `until` lets it leave when it has read that. */
async function ask(
  { gateway }: Stage,
  body: string,
  until?: string,
  headers: Readonly<Record<string, string>> = HEADERS,
  url = '/gateway/simulated/v1/messages',
): Promise<Asked> {
  const leaving = new AbortController();
  const answer = await gateway.handle({
    method: 'POST',
    url,
    headers,
    body: (async function* () {
      yield Buffer.from(body);
    })(),
    signal: leaving.signal,
  });
  let text = '';
  const pieces = answer.body instanceof Uint8Array ? [answer.body] : answer.body;
  for await (const piece of pieces) {
    text += Buffer.from(piece).toString();
    if (until !== undefined && text.includes(until)) {
      leaving.abort();
      break;
    }
  }
  return { status: answer.status, headers: answer.headers, text };
}

function sure<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('It is not there.');
  return value;
}

const projectOf = ({ headers }: Asked): ProjectId => projectId(headers['x-bough-project'] ?? '');
const wordsOf = (text: string): string =>
  [...text.matchAll(/"text_delta","text":("(?:[^"\\]|\\.)*")/g)].map(([, json = '""']) => JSON.parse(json)).join('');

describe('a client', () => {
  it('GW-33: that goes away ends its call; what it saw is kept, and its next message goes on from there', async () => {
    const stage = stageOn(store);
    const hello = { role: 'user', content: '/sim slow 5 /sim long 4000' };
    const left = await ask(stage, bodyOf([hello]), '"text_delta"');
    const project = projectOf(left);
    await vi.waitFor(async () => expect(await store.openTurns(project)).toEqual([]));
    const [, partial] = (await store.graph(project)).nodes;
    expect(partial).toMatchObject({ role: 'assistant', interrupted: true });
    const [stored] = await store.getNodes(project, [sure(partial?.id)]);
    expect(stored?.content.startsWith(wordsOf(left.text))).toBe(true);
    const history = [hello, { role: 'assistant', content: stored?.content ?? '' }, { role: 'user', content: 'Go on.' }];
    expect((await ask(stage, bodyOf(history))).status).toBe(200);
    expect(await store.listBranches(project)).toHaveLength(1);
    expect((await store.graph(project)).nodes.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
  });

  it('GW-33: whose turn somebody stops on the page loses its connection; what came is kept', async () => {
    const stage = stageOn(store);
    const asking = ask(stage, bodyOf([{ role: 'user', content: '/sim slow 10 /sim long 20000' }]));
    await vi.waitFor(async () => expect(await store.openTurns()).toHaveLength(1));
    const [turn] = await store.openTurns();
    if (turn === undefined) throw new Error('no turn');
    await sleep(100);
    await stage.engine.interrupt(turn.projectId, { turnId: turn.id });
    await asking.catch(() => undefined);
    await vi.waitFor(async () =>
      expect(await store.getTurn(turn.projectId, turn.id)).toMatchObject({ status: 'interrupted' }),
    );
    expect(await store.callsOfTurn(turn.projectId, turn.id)).toMatchObject([{ errorCode: 'stopped' }]);
  });

  it('GW-34: that asks on as soon as it has read the last word finds its reply stored', async () => {
    const stage = stageOn({
      ...store,
      // Storing takes a while.
      commitTurn: async (commit) => {
        await sleep(50);
        await store.commitTurn(commit);
      },
    });
    let messages: readonly Message[] = [];
    let project: ProjectId | null = null;
    for (const content of ['One', 'Two', 'Three']) {
      messages = [...messages, { role: 'user', content }];
      const answer = await ask(stage, bodyOf(messages), 'event: message_stop');
      project = projectOf(answer);
      messages = [...messages, { role: 'assistant', content: wordsOf(answer.text) }];
    }
    if (project === null) throw new Error('nothing was asked');
    expect(await store.listBranches(project)).toHaveLength(1);
    await vi.waitFor(async () => expect(await store.openTurns()).toEqual([]));
    expect((await store.graph(project)).nodes).toHaveLength(6);
  });

  it('GW-34: that sees the last event of a reply could ask any server: the turn has ended, and the reply is there', async () => {
    const { gateway } = stageOn(store);
    const answer = await gateway.handle({
      method: 'POST',
      url: '/gateway/simulated/v1/messages',
      headers: HEADERS,
      body: (async function* () {
        yield Buffer.from(bodyOf([{ role: 'user', content: 'Hello?' }]));
      })(),
      signal: new AbortController().signal,
    });
    if (answer.body instanceof Uint8Array) throw new Error('It does not stream.');
    let text = '';
    let isStored: boolean | null = null;
    for await (const piece of answer.body) {
      text += Buffer.from(piece).toString();
      if (!text.includes('event: message_stop')) continue;
      const { nodes } = await store.graph(projectId(answer.headers['x-bough-project'] ?? ''));
      isStored ??= nodes.length === 2 && (await store.openTurns()).length === 0;
    }
    expect(isStored).toBe(true);
  });

  it.each([true, false])(
    'GW-300: the last words of its reply and their end are one entry of the log, stored with its turn (%s)',
    async (streamed) => {
      const entries: string[] = [];
      const ended: string[] = [];
      const stage = stageOn({
        ...store,
        appendLog: (project, turn, given) => {
          entries.push(...given.map(({ data }) => data));
          return store.appendLog(project, turn, given);
        },
        commitTurn: (commit) => {
          entries.push(...(commit.log ?? []).map(({ data }) => data));
          ended.push(entries.at(-1) ?? '');
          return store.commitTurn(commit);
        },
      });
      await ask(stage, bodyOf([{ role: 'user', content: 'Hello? /sim slow 3' }], streamed));
      const last = entries.at(-1) ?? '';
      expect(ended).toEqual([last]);
      expect(last).toContain(streamed ? 'event: message_stop' : '"stop_reason":"end_turn"');
      expect(last).toContain('"stop":"end_turn"');
      expect(entries.filter((data) => data.includes('"stop":"'))).toHaveLength(1);
    },
  );

  it('GW-34: that asks the same several times at once gets as many replies, each on a branch of its own', async () => {
    const stage = stageOn(store);
    const first = await ask(stage, bodyOf([{ role: 'user', content: 'Hello?' }]));
    const history = [
      { role: 'user', content: 'Hello?' },
      { role: 'assistant', content: wordsOf(first.text) },
      { role: 'user', content: 'And? /sim slow 3' },
    ];
    const answers = await Promise.all([1, 2, 3].map(() => ask(stage, bodyOf(history))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(stage.events.filter(({ type }) => type === 'unrecorded')).toEqual([]);
    const project = projectOf(first);
    const branches = await store.listBranches(project);
    expect(branches).toHaveLength(3);
    for (const { tipId } of branches) {
      const path = await store.path(project, sure(tipId));
      expect(path.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    }
  });

  it('GW-34: whose history is known need not wait for the store; it sees nothing before what it said is stored', async () => {
    let hold: Promise<void> = Promise.resolve();
    const slow: Store = {
      ...store,
      findTrail: async (...given) => {
        await hold;
        return store.findTrail(...given);
      },
    };
    const repairer: Repairer = {
      requestFirms: ({ messages }) => messages.map((_, at) => String(at)),
      replyFirm: (before) => String(Number(before) + 1),
      repairBody: () => null,
      retryBody: () => null,
    };
    const stage = stageOn(slow, { repairer });
    const first = await ask(stage, bodyOf([{ role: 'user', content: 'Hello?' }]));
    let letGo: () => void = () => undefined;
    hold = new Promise((resolve) => (letGo = resolve));
    const before = simulator.log().length;
    let isShown = false;
    const history = [
      { role: 'user', content: 'Hello?' },
      { role: 'assistant', content: wordsOf(first.text) },
    ];
    const asking = ask(stage, bodyOf([...history, { role: 'user', content: 'And?' }])).then((answer) => {
      isShown = true;
      return answer;
    });
    await vi.waitFor(() => expect(simulator.log().length).toBe(before + 1));
    await sleep(50);
    expect(isShown).toBe(false);
    letGo();
    const answer = await asking;
    expect(projectOf(answer)).toBe(projectOf(first));
    expect((await store.graph(projectOf(first))).nodes).toHaveLength(4);
  });

  it('GW-34: is looked for in the store while it is judged', async () => {
    const steps: string[] = [];
    const watched: Store = {
      ...store,
      findTrail: async (...given) => {
        steps.push('looked for');
        return store.findTrail(...given);
      },
    };
    const repairer: Repairer = {
      requestFirms: ({ messages }) => {
        steps.push('judged');
        return messages.map((_, at) => String(at));
      },
      replyFirm: (before) => String(Number(before) + 1),
      repairBody: () => null,
      retryBody: () => null,
    };
    const stage = stageOn(watched, { repairer });
    const first = await ask(stage, bodyOf([{ role: 'user', content: 'Hello?' }]));
    steps.splice(0);
    const history = [
      { role: 'user', content: 'Hello?' },
      { role: 'assistant', content: wordsOf(first.text) },
      { role: 'user', content: 'And?' },
    ];
    expect((await ask(stage, bodyOf(history))).status).toBe(200);
    expect(steps).toEqual(['looked for', 'judged']);
  });

  it('GW-34: that does not stream is recorded all the same', async () => {
    const stage = stageOn(store);
    const answer = await ask(stage, bodyOf([{ role: 'user', content: 'Hello?' }], false));
    const { nodes } = await store.graph(projectOf(answer));
    expect(nodes.map(({ role }) => role)).toEqual(['user', 'assistant']);
    const raw = await store.getRaw(projectOf(answer), sure(nodes[1]?.id));
    expect(raw?.payload).toEqual({ response: answer.text });
  });
});

describe('what is said', () => {
  it('GW-21: pictures are kept once, apart from the messages', async () => {
    const stage = stageOn(store);
    const data = Buffer.from(pngBytes(3, 2)).toString('base64');
    const source = { type: 'base64', media_type: 'image/png', data };
    const picture = {
      role: 'user',
      content: [
        { type: 'image', source },
        { type: 'text', text: 'What is this?' },
      ],
    };
    const first = await ask(stage, bodyOf([picture]));
    const project = projectOf(first);
    const said = [picture, { role: 'assistant', content: wordsOf(first.text) }, { role: 'user', content: 'Sure?' }];
    await ask(stage, bodyOf(said));
    const { nodes } = await store.graph(project);
    expect(nodes).toHaveLength(4);
    const [user] = await store.getNodes(project, [sure(nodes[0]?.id)]);
    expect(user?.contentBlocks).toMatchObject([{ type: 'image', width: 3, height: 2 }, { type: 'text' }]);
    const file = user?.contentBlocks[0] as ImageBlock;
    const read = await store.blobs.read(project, file.file.hash);
    const pieces: Uint8Array[] = [];
    for await (const piece of read?.bytes ?? []) pieces.push(piece);
    expect(Buffer.concat(pieces).toString('base64')).toBe(data);
  });

  it('GW-21: a request that names the response before and brings only what is new goes on there', async () => {
    const stage = stageOn(store);
    const send = (body: object): Promise<Asked> =>
      ask(
        stage,
        JSON.stringify({ model: 'sim-thinker', stream: true, ...body }),
        undefined,
        { host: HEADERS.host },
        '/gateway/simulated_responses/v1/responses',
      );
    const first = await send({ input: [{ role: 'user', content: 'Hello?' }] });
    const [, id = ''] = /"id":"(resp_[^"]+)"/.exec(first.text) ?? [];
    const second = await send({ previous_response_id: id, input: [{ role: 'user', content: 'And?' }] });
    expect([second.status, projectOf(second)]).toEqual([200, projectOf(first)]);
    const { nodes, branches } = await store.graph(projectOf(first));
    expect([nodes.map(({ role }) => role), branches.length]).toEqual([['user', 'assistant', 'user', 'assistant'], 1]);
  });

  it('GW-21: so does one that comes to another server, which has to find that response first', async () => {
    const servers = [stageOn(store), stageOn(store)];
    let count = 0;
    const send = (body: object): Promise<Asked> =>
      ask(
        sure(servers[count++ % 2]),
        JSON.stringify({ model: 'sim-thinker', stream: true, ...body }),
        undefined,
        { host: HEADERS.host },
        '/gateway/simulated_responses/v1/responses',
      );
    const idOf = ({ text }: Asked): string => /"id":"(resp_[^"]+)"/.exec(text)?.[1] ?? '';
    const other = await send({ input: 'Something else?' });
    const first = await send({ input: 'Hello?' });
    const second = await send({ previous_response_id: idOf(first), input: 'And?' });
    const third = await send({ previous_response_id: idOf(second), input: 'And then?' });
    const nobodys = await send({ previous_response_id: 'resp_of_nobody', input: 'And then?' });
    expect([second, third].map(projectOf)).toEqual([projectOf(first), projectOf(first)]);
    expect(projectOf(other)).not.toBe(projectOf(first));
    expect(nobodys.status).toBe(400);
    const { nodes, branches } = await store.graph(projectOf(first));
    expect([nodes.length, branches.length]).toEqual([6, 1]);
  });

  it('GW-25: an agent without sessions that asks in passing before each message has one conversation, in all modes', async () => {
    const stage = stageOn(store);
    const context = (day: string) => ({
      text: `<session_context>\nToday is ${day}.\n- **Workspace Directories:**\n  - /home/a\n</session_context>`,
    });
    const send = async (system: string, contents: readonly object[], isInPassing = false) => {
      const tools = isInPassing ? {} : { tools: [{ functionDeclarations: [{ name: 'ls' }] }] };
      const url = '/gateway/simulated_gemini/v1beta/models/sim-plain:generateContent';
      const headers = { 'user-agent': 'GeminiCLI-tui/0.61.0/x', host: HEADERS.host };
      const body = JSON.stringify({ contents, systemInstruction: { parts: [{ text: system }] }, ...tools });
      const asked = await ask(stage, body, undefined, headers, url);
      const { candidates } = JSON.parse(asked.text) as { candidates: { content: object }[] };
      return { project: projectOf(asked), reply: sure(candidates[0]).content };
    };
    const user = (...parts: readonly object[]) => ({ role: 'user', parts });
    const first = user(context('Monday'), { text: 'Hello?' });
    const passing = await send('You route.', [user(context('Monday')), user({ text: 'Hello?' })], true);
    const main = await send('You are an agent. You are in **Default** mode.', [first]);
    const history = [first, main.reply, user({ text: 'And?' })];
    const again = await send('You route.', history, true);
    const next = await send('You are an agent. You are in **Plan** mode.', history);
    expect([main, again, next].map(({ project }) => project)).toEqual(Array(3).fill(passing.project));
    const branches = await store.listBranches(passing.project);
    expect(branches.map(({ name, recorded }) => [name, recorded?.kind])).toEqual([
      ['Hello?', 'aside'],
      ['main', 'main'],
      [expect.any(String), 'aside'],
    ]);
    const path = await store.path(passing.project, sure(branches[1]?.tipId));
    expect(path.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect((await store.getProject(passing.project)).name).toBe('Hello?');
  });

  it('GW-25: what an agent without sessions asks about its conversation, without tools, lies beside that', async () => {
    const stage = stageOn(store);
    const headers = { 'user-agent': 'GeminiCLI-tui/0.61.0/x', host: HEADERS.host };
    const history = [{ role: 'user', content: 'Hello?' }];
    const first = await ask(stage, bodyOf(history), undefined, headers);
    const whole = [
      ...history,
      { role: 'assistant', content: wordsOf(first.text) },
      { role: 'user', content: 'Who speaks next?' },
    ];
    const { tools: _, ...plain } = JSON.parse(bodyOf(whole)) as Record<string, unknown>;
    const second = await ask(stage, JSON.stringify(plain), undefined, headers);
    expect(projectOf(second)).toBe(projectOf(first));
    const branches = await store.listBranches(projectOf(first));
    expect(branches.map(({ recorded }) => recorded?.kind)).toEqual(['main', 'aside']);
    expect(branches[1]?.recorded?.beside).toBe(branches[0]?.tipId);
  });
});

describe('a store that is away', () => {
  const trouble = new StoreError('store_unreachable', 'store', 'Away.');
  const away = (): Promise<never> => Promise.reject(trouble);

  it.each(['findTrail', 'beginTurn', 'createProject'] as const)(
    'GW-35: before a request (%s): it passes to the byte, and is counted',
    async (method) => {
      const stage = stageOn({ ...store, [method]: away });
      const body = bodyOf([{ role: 'user', content: 'Hello?' }]);
      const answer = await ask(stage, body);
      expect(answer.status).toBe(200);
      expect(answer.text).toContain('event: message_stop');
      expect(stage.events.filter(({ type }) => type === 'unrecorded')).toMatchObject([{ why: 'store' }]);
    },
  );

  it('GW-35: after a request left at once: the client gets its reply, and it is counted once', async () => {
    let isAway = false;
    const stage = stageOn(
      { ...store, findTrail: (...given) => (isAway ? away() : store.findTrail(...given)) },
      { modeOf: () => 'record' },
    );
    const first = await ask(stage, bodyOf([{ role: 'user', content: 'Hello?' }]));
    expect(first.headers['x-bough-project']).toBeDefined();
    isAway = true;
    const second = await ask(stage, bodyOf([{ role: 'user', content: 'Another.' }]));
    expect([second.status, second.headers['x-bough-project']]).toEqual([200, undefined]);
    expect(second.text).toContain('event: message_stop');
    expect(stage.events.filter(({ type }) => type === 'unrecorded')).toHaveLength(1);
  });

  it('GW-35: while a reply comes: the client gets all of it; it is stored, if the store is back at its end', async () => {
    let isAway = false;
    const stage = stageOn({
      ...store,
      appendLog: (...given) => {
        isAway = true;
        return given[2].some(({ data }) => data.includes('"call"')) ? store.appendLog(...given) : away();
      },
    });
    const answer = await ask(stage, bodyOf([{ role: 'user', content: 'Hello? /sim slow 3' }]));
    expect(isAway).toBe(true);
    expect(answer.text).toContain('event: message_stop');
    expect(stage.events.filter(({ type }) => type === 'unrecorded')).toEqual([]);
    const { nodes } = await store.graph(projectOf(answer));
    const [, reply] = await store.getNodes(
      projectOf(answer),
      nodes.map(({ id }) => id),
    );
    expect(reply?.content).toBe(wordsOf(answer.text));
  });

  it('GW-35: at its end: the client gets all of it, and it is counted once', async () => {
    const stage = stageOn({
      ...store,
      appendLog: away,
      commitTurn: away,
    });
    const answer = await ask(stage, bodyOf([{ role: 'user', content: 'Hello?' }]));
    expect(answer.text).toContain('event: message_stop');
    expect(stage.events.filter(({ type }) => type === 'unrecorded')).toHaveLength(1);
  });

  it('GW-36: refuses where that is wanted, in the words of the protocol', async () => {
    const stage = stageOn({ ...store, findTrail: away }, { whenStoreFails: 'refuse' });
    const answer = await ask(stage, bodyOf([{ role: 'user', content: 'Hello?' }]));
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([503, { type: 'error' }]);
  });

  it('GW-224: a budget that cannot be asked for stops nobody, unless nothing may pass unrecorded', async () => {
    const body = bodyOf([{ role: 'user', content: 'Hello?' }]);
    const passed = await ask(stageOn(store, { budgets: { admit: away } }), body);
    expect([passed.status, passed.headers['x-bough-budget']]).toEqual([200, undefined]);
    expect(passed.text).toContain('event: message_stop');
    const strict = await ask(stageOn(store, { budgets: { admit: away }, whenStoreFails: 'refuse' }), body);
    expect([strict.status, JSON.parse(strict.text)]).toMatchObject([503, { type: 'error' }]);
  });
});

describe('repair', () => {
  /** Says what it was asked, and changes a word. */
  function spy(retryBody: Repairer['retryBody'] = () => null): {
    readonly repairer: Repairer;
    readonly asked: readonly boolean[];
    readonly missing: readonly number[];
  } {
    const asked: boolean[] = [];
    const missing: number[] = [];
    const repairer: Repairer = {
      requestFirms: (body) => body.messages.map((_, at) => `firm ${at}`),
      replyFirm: (before) => `firm ${Number(before.slice(5)) + 1}`,
      repairBody: ({ body, isIntact, nodeOf, rawOf }) => {
        asked.push(isIntact);
        const found = nodeOf(1);
        if (!isIntact && body.messages.length > 1 && (found === null || rawOf(found) === undefined)) missing.push(1);
        if (!body.text.includes('mend me')) return null;
        return {
          text: body.text.replace('mend me', 'mended'),
          repairs: [{ rule: 'X-1', at: 'messages.0', what: 'a word' }],
        };
      },
      retryBody,
    };
    return { repairer, asked, missing };
  }

  it('GW-37: what is changed leaves changed, is told, and both bodies can be rebuilt', async () => {
    const { repairer } = spy();
    const stage = stageOn(store, { repairer });
    const body = bodyOf([{ role: 'user', content: 'Please mend me' }]);
    const answer = await ask(stage, body);
    expect(answer.headers['x-bough-repairs']).toBe('X-1');
    const project = projectOf(answer);
    const { nodes } = await store.graph(project);
    const [call] = await store.callsOfTurn(project, sure(nodes[0]?.turnId));
    if (call === undefined) throw new Error('no call');
    expect(call.exchange?.repairs).toEqual([{ rule: 'X-1', at: 'messages.0', what: 'a word' }]);
    expect(await rebuildBody(store, project, call, 'came')).toBe(body);
    expect(await rebuildBody(store, project, call, 'sent')).toBe(body.replace('mend me', 'mended'));
  });

  it('GW-37: a client that changed nothing costs no reading; after a restart the stored replies are at hand', async () => {
    const { repairer, asked } = spy();
    const stage = stageOn(store, { repairer });
    const first = await ask(stage, bodyOf([{ role: 'user', content: 'Hello?' }]));
    const history = [
      { role: 'user', content: 'Hello?' },
      { role: 'assistant', content: wordsOf(first.text) },
      { role: 'user', content: 'And?' },
    ];
    await ask(stage, bodyOf(history));
    expect(asked).toEqual([false, true]);
    const again = spy();
    await ask(
      stageOn(store, { repairer: again.repairer }),
      bodyOf([...history.slice(0, 2), { role: 'user', content: 'Or?' }]),
    );
    expect(again.asked).toEqual([false]);
    expect(again.missing).toEqual([]);
  });

  it('GW-246: what the provider took is not judged again, unless something else is asked or somebody else spoke', async () => {
    const judged: (readonly [from: number | undefined, isTaken: boolean | undefined])[] = [];
    const { repairer } = spy();
    const stage = stageOn(store, {
      repairer: {
        ...repairer,
        repairBody: (input) => {
          judged.push([input.body.resumed?.from, input.isTaken]);
          return repairer.repairBody(input);
        },
      },
    });
    const history: { role: string; content: string }[] = [];
    const say = async (content: string, more: object = {}): Promise<void> => {
      history.push({ role: 'user', content });
      const answer = await ask(stage, JSON.stringify({ ...JSON.parse(bodyOf(history)), ...more }));
      expect(answer.status).toBe(200);
      history.push({ role: 'assistant', content: wordsOf(answer.text) });
    };
    for (const content of ['One?', 'Two?', 'Three?', 'Four?']) await say(content);
    expect(judged.splice(0)).toEqual([
      [undefined, false],
      [undefined, false],
      [undefined, false],
      [3, true],
    ]);
    // Another setting may forbid what was allowed; with the same one again, what it was told is taken.
    await say('Five?', { temperature: 0.5 });
    await say('Six?', { temperature: 0.5 });
    expect(judged.splice(0)).toEqual([
      [5, false],
      [7, true],
    ]);
    // Words in the model's mouth, and what had to be mended.
    history.push({ role: 'user', content: 'Seven?' }, { role: 'assistant', content: 'I said this.' });
    await say('Eight?');
    await say('Please mend me');
    await say('Nine?');
    expect(judged.splice(0).map(([, isTaken]) => isTaken)).toEqual([false, true, false]);
  });

  it('GW-37: repair that fails costs nobody anything: the request leaves as it came, and is recorded', async () => {
    const fails = (): never => {
      throw new Error('a mistake');
    };
    const repairer = { requestFirms: fails, replyFirm: fails, repairBody: fails, retryBody: fails };
    const stage = stageOn(store, { repairer });
    const answer = await ask(stage, bodyOf([{ role: 'user', content: 'Hello?' }]));
    expect([answer.status, answer.headers['x-bough-repairs']]).toEqual([200, undefined]);
    expect((await store.graph(projectOf(answer))).nodes).toHaveLength(2);
  });

  it('GW-38: a refusal for history gets one more try; both calls are recorded in one turn', async () => {
    const call = '{"type":"tool_use","id":"toolu_1","name":"ls","input":{}}';
    const { repairer } = spy(({ body: { text } }, { code }) =>
      code === 'history_rejected'
        ? {
            text: text.replace(call, '{"type":"text","text":"I look."}'),
            repairs: [{ rule: 'X-2', at: 'messages.1', what: 'a call without a result' }],
          }
        : null,
    );
    const stage = stageOn(store, { repairer: { ...repairer, repairBody: () => null } });
    const body = bodyOf([
      { role: 'user', content: 'Hello?' },
      { role: 'assistant', content: [JSON.parse(call)] },
      { role: 'user', content: 'And?' },
    ]);
    const answer = await ask(stage, body);
    expect(answer.status).toBe(200);
    expect(answer.headers['x-bough-repairs']).toBe('X-2');
    const project = projectOf(answer);
    const { nodes } = await store.graph(project);
    const calls = await store.callsOfTurn(project, sure(nodes.at(-1)?.turnId));
    expect(calls).toMatchObject([
      { status: 'error', nodeId: null, errorCode: 'history_rejected' },
      { status: 'complete', nodeId: nodes.at(-1)?.id },
    ]);
    for (const each of calls) expect(await rebuildBody(store, project, each, 'came')).toBe(body);
    expect(await rebuildBody(store, project, sure(calls[1]), 'sent')).toContain('I look.');
  });

  it('GW-221: what a budget warns of is told with the second try as well', async () => {
    const call = '{"type":"tool_use","id":"toolu_1","name":"ls","input":{}}';
    const { repairer } = spy(({ body: { text } }) => ({
      text: text.replace(call, '{"type":"text","text":"I look."}'),
      repairs: [{ rule: 'X-2', at: 'messages.1', what: 'a call without a result' }],
    }));
    const budget = {
      name: 'b',
      project: null,
      client: null,
      per: 'total',
      unit: 'usd',
      limit: 1,
      warnAt: 0.1,
    } as const;
    const state = { project: null, client: null, used: 0.5, level: 'warn', unpriced: [], uncounted: 0, endsAt: null };
    const told = [{ ...state, level: 'warn' as const, budget: { ...budget, from: 'file' as const } }];
    const budgets = { admit: () => Promise.resolve({ refusedBy: null, told }) };
    const stage = stageOn(store, { repairer: { ...repairer, repairBody: () => null }, budgets });
    const answer = await ask(
      stage,
      bodyOf([
        { role: 'user', content: 'Hello?' },
        { role: 'assistant', content: [JSON.parse(call)] },
        { role: 'user', content: 'And?' },
      ]),
    );
    expect(answer.headers).toMatchObject({ 'x-bough-repairs': 'X-2', 'x-bough-budget': 'b 50% (0.50 of 1.00 USD)' });
  });
});
