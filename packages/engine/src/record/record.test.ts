import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Branch, Exchange, ProjectId, RawResponse, StreamEvent, TurnId } from '@bough/core';
import { replyLikeness, trailAfter } from '@bough/core';
import { protocolById, readKept } from '@bough/providers';
import type { Store, StoreSignal } from '@bough/store';
import { openFilesStore, StoreError } from '@bough/store';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Stage } from '../turn/testing.ts';
import { stageOn, watch } from '../turn/testing.ts';
import type { RecordedCall, RecordedMessage, RecordedPlace } from './index.ts';

const NOWHERE = 'http://127.0.0.1:9';
const TRAIL = 'a'.repeat(32);
const EXCHANGE: Exchange = {
  client: 'claude-code/2.1',
  session: 's',
  mode: 'record',
  protocol: 'anthropic-messages',
  path: '/v1/messages',
  came: [],
};

let directory: string;
let store: Store;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bough-record-'));
  store = await openFilesStore({ directory });
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

const event = (data: Readonly<Record<string, unknown>>): string =>
  `event: ${String(data['type'])}\ndata: ${JSON.stringify(data)}\n\n`;
const delta = (index: number, type: string, key: string, value: string): string =>
  event({ type: 'content_block_delta', index, delta: { type, [key]: value } });

/** A reply of Claude, event by event. */
const STREAM = [
  event({ type: 'message_start', message: { id: 'msg_1', model: 'm', usage: { input_tokens: 10, output_tokens: 1 } } }),
  event({ type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } }),
  delta(0, 'thinking_delta', 'thinking', 'Let me see.'),
  delta(0, 'signature_delta', 'signature', 'c2ln'),
  event({ type: 'content_block_stop', index: 0 }),
  event({ type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } }),
  delta(1, 'text_delta', 'text', 'A tree '),
  delta(1, 'text_delta', 'text', 'is a graph.'),
  event({ type: 'content_block_stop', index: 1 }),
  event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 20 } }),
  event({ type: 'message_stop' }),
];
const CALLING = [
  STREAM[0] ?? '',
  event({
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'tool_use', id: 't1', name: 'ls', input: {} },
  }),
  delta(0, 'input_json_delta', 'partial_json', '{}'),
  event({ type: 'content_block_stop', index: 0 }),
  event({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 20 } }),
  event({ type: 'message_stop' }),
];

interface Conversation {
  readonly stage: Stage;
  readonly project: ProjectId;
  readonly branch: Branch;
}

async function start(on: Store = store, owner = 'owner', leaseMs = 60_000): Promise<Conversation> {
  const stage = stageOn(on, NOWHERE, { owner, limits: { leaseMs, heartbeatMs: 20 } });
  const { project, branch } = await stage.engine.createProject({ provider: 'simulated', model: 'claude-sonnet-4-5' });
  return { stage, project: project.id, branch };
}

const message = (stage: Stage, over: Partial<RecordedMessage> = {}): RecordedMessage => ({
  id: stage.env.ids.node(),
  role: 'user',
  contentBlocks: [{ type: 'text', text: 'What is a tree?' }],
  trail: TRAIL,
  turn: 'this',
  ...over,
});

const callOf = ({ env }: Stage): RecordedCall => ({
  id: env.ids.call(),
  issuer: env.providers.get('simulated').issuer('claude-sonnet-4-5'),
  api: 'anthropic-messages',
  requestHash: 'h',
  trail: TRAIL,
  exchange: EXCHANGE,
});

const placeOf = ({ stage, project, branch }: Conversation, over: Partial<RecordedPlace> = {}): RecordedPlace => ({
  projectId: project,
  branch,
  isNewBranch: false,
  parentId: branch.tipId,
  goesOn: null,
  messages: [message(stage)],
  renderings: [],
  ...over,
});

/** What a listener makes of events: the text, what it means, and what is kept of it. */
function listen({ env }: Stage): {
  readonly hear: (text: string) => readonly StreamEvent[];
  readonly stop: (outcome: 'closed' | 'aborted') => readonly StreamEvent[];
  readonly end: { readonly raw: () => RawResponse; readonly providerRequestId: string };
} {
  const issuer = env.providers.get('simulated').issuer('claude-sonnet-4-5');
  const fold = protocolById('anthropic-messages').createFold(issuer);
  const heard: string[] = [];
  const raw = (): RawResponse => ({
    ...issuer,
    api: 'anthropic-messages',
    version: 1,
    capturedAt: '2026-01-01T00:00:00.000Z',
    complete: true,
    payload: readKept(heard).whole,
  });
  return {
    hear: (text) => {
      heard.push(text);
      return readKept([text]).whole.flatMap((each) => fold.push(each));
    },
    stop: (type) => fold.end({ type }),
    end: { raw, providerRequestId: 'req_1' },
  };
}

/** Records a whole reply. */
async function recordAll(
  conversation: Conversation,
  place: RecordedPlace,
  stream: readonly string[],
): Promise<{ readonly turn: TurnId }> {
  const { stage } = conversation;
  const recorded = await stage.engine.record(place, callOf(stage));
  const { hear, end } = listen(stage);
  for (const text of stream) await recorded.write(text, hear(text));
  await recorded.end(end);
  return { turn: recorded.turn.id };
}

describe('a recorded turn', () => {
  it('EN-200: is a turn like any other: its nodes, its call with what it cost, its raw, its end', async () => {
    const conversation = await start();
    const { project } = conversation;
    const user = message(conversation.stage);
    const renderings = [{ nodeId: user.id, key: 'gateway/x', bytes: '{}' }];
    const { turn } = await recordAll(conversation, placeOf(conversation, { messages: [user], renderings }), STREAM);
    expect(await store.getTurn(project, turn)).toMatchObject({ status: 'complete', isThinkingMode: true });
    const nodes = await store.nodesOfTurn(project, turn);
    expect(nodes).toMatchObject([
      { id: user.id, role: 'user', trail: TRAIL },
      { role: 'assistant', content: 'A tree is a graph.', modelUsed: 'claude-sonnet-4-5', madeWith: null },
    ]);
    const reply = nodes[1];
    expect(reply?.trail).toBe(trailAfter(TRAIL, 'assistant', replyLikeness(reply?.contentBlocks ?? [])));
    const [call] = await store.callsOfTurn(project, turn);
    expect(call).toMatchObject({
      status: 'complete',
      nodeId: reply?.id,
      exchange: EXCHANGE,
      providerRequestId: 'req_1',
    });
    expect(call?.cost).toBeGreaterThan(0);
    expect((await store.getRaw(project, reply?.id ?? user.id))?.payload).toEqual(readKept(STREAM).whole);
    expect((await store.getBranch(project, 'main')).tipId).toBe(reply?.id);
    const context = await store.readContext(project, user.id, 'gateway/');
    expect(context.renderings.get(user.id)?.get('gateway/x')).toBe('{}');
    expect(conversation.stage.engine.runningTurns()).toBe(0);
  });

  it('EN-200: whoever watches sees it while it comes, and every piece is durable before it is written', async () => {
    const conversation = await start();
    const { stage, project } = conversation;
    const recorded = await stage.engine.record(placeOf(conversation), callOf(stage));
    const lines = watch(stage.engine, project, recorded.turn.id);
    const { hear, end } = listen(stage);
    for (const text of STREAM) {
      await recorded.write(text, hear(text));
      const log = await store.readLog(project, recorded.turn.id, 0, 1_000);
      expect(log.map(({ data }) => data).join('')).toContain(text);
    }
    await recorded.end(end);
    const shown = await lines;
    expect(shown.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['turn', 'node', 'thinking', 'text', 'usage', 'done']),
    );
    expect(shown.map((line) => (line.type === 'text' ? line.content : '')).join('')).toBe('A tree is a graph.');
  });

  it('EN-201: whose server dies is closed by another with what its client had seen, its trail and its exchange', async () => {
    let isDead = false;
    const dead = (): Promise<never> => Promise.reject(new Error('dead'));
    const dying: Store = {
      ...store,
      appendLog: (...given) => (isDead ? dead() : store.appendLog(...given)),
      commitTurn: (commit) => (isDead ? dead() : store.commitTurn(commit)),
      renewLeases: (...given) => (isDead ? dead() : store.renewLeases(...given)),
    };
    const conversation = await start(dying, 'dies', 30);
    const { stage, project } = conversation;
    const recorded = await stage.engine.record(placeOf(conversation), callOf(stage));
    const { hear } = listen(stage);
    for (const text of STREAM.slice(0, 7)) await recorded.write(text, hear(text));
    isDead = true;
    const heir = stageOn(store, NOWHERE, { owner: 'heir', limits: { leaseMs: 40, heartbeatMs: 10 } });
    await heir.engine.start();
    const id = recorded.turn.id;
    await vi.waitFor(async () => expect((await store.getTurn(project, id)).status).toBe('interrupted'), {
      timeout: 20_000,
    });
    const [, reply] = await store.nodesOfTurn(project, id);
    expect(reply).toMatchObject({ content: 'A tree ', interrupted: true });
    // The client gives back what it saw.
    expect(reply?.trail).toBe(trailAfter(TRAIL, 'assistant', replyLikeness([{ type: 'text', text: 'A tree' }])));
    expect(await store.callsOfTurn(project, id)).toMatchObject([{ status: 'interrupted', exchange: EXCHANGE }]);
    expect((await store.getBranch(project, 'main')).tipId).toBe(reply?.id);
    await heir.engine.stop(0);
  });

  it('EN-202: goes on with the results of its tools: the same turn, another call, a log of its own', async () => {
    const conversation = await start();
    const { stage, project } = conversation;
    const { turn } = await recordAll(conversation, placeOf(conversation), CALLING);
    const branch = await store.getBranch(project, 'main');
    const result = message(stage, { role: 'tool', toolCallId: 't1', contentBlocks: [{ type: 'text', text: 'a.ts' }] });
    const place = placeOf(conversation, {
      branch,
      parentId: branch.tipId,
      goesOn: { turnId: turn, endedAs: 'complete' },
      messages: [result],
    });
    const again = await recordAll({ ...conversation, branch }, place, STREAM);
    expect(again.turn).toBe(turn);
    const nodes = await store.nodesOfTurn(project, turn);
    expect(nodes.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    nodes.slice(1).forEach((node, at) => expect(node.parentId).toBe(nodes[at]?.id));
    expect(await store.callsOfTurn(project, turn)).toHaveLength(2);
    expect(await store.getTurn(project, turn)).toMatchObject({ status: 'complete' });
    const log = await store.readLog(project, turn, 0, 1_000);
    expect(log.filter(({ data }) => data.includes('"type":"turn"'))).toHaveLength(1);
    expect(log.map(({ data }) => data).join('')).toContain('"type":"tool_result"');
  });

  it('EN-202: a turn that cannot go on, because its branch moved, ends as it did before', async () => {
    const conversation = await start();
    const { stage, project } = conversation;
    const { turn } = await recordAll(conversation, placeOf(conversation), CALLING);
    const result = message(stage, { role: 'tool', toolCallId: 't1' });
    const stale = placeOf(conversation, { goesOn: { turnId: turn, endedAs: 'complete' }, messages: [result] });
    const tip = (await store.getBranch(project, 'main')).tipId;
    await expect(stage.engine.record({ ...stale, parentId: tip }, callOf(stage))).rejects.toMatchObject({
      code: 'tip_moved',
    });
    expect(await store.getTurn(project, turn)).toMatchObject({ status: 'complete' });
    expect(await store.nodesOfTurn(project, turn)).toHaveLength(2);
  });

  it('EN-203: an interruption aborts its signal, and what came is kept as stopped', async () => {
    const conversation = await start();
    const { stage, project } = conversation;
    const recorded = await stage.engine.record(placeOf(conversation), callOf(stage));
    const { hear, stop, end } = listen(stage);
    for (const text of STREAM.slice(0, 7)) await recorded.write(text, hear(text));
    await stage.engine.interrupt(project, { turnId: recorded.turn.id });
    expect(recorded.signal.aborted).toBe(true);
    await recorded.write('', stop('aborted'));
    await recorded.end(end);
    expect(await store.getTurn(project, recorded.turn.id)).toMatchObject({ status: 'interrupted' });
    expect(await store.callsOfTurn(project, recorded.turn.id)).toMatchObject([{ errorCode: 'stopped' }]);
    expect((await store.nodesOfTurn(project, recorded.turn.id))[1]).toMatchObject({ content: 'A tree ' });
  });

  it('EN-204: a store that is away for a while costs nothing: nobody is interrupted, and all is stored at the end', async () => {
    let isAway = false;
    const trouble = new StoreError('store_unreachable', 'store', 'Away.');
    const away: Store = {
      ...store,
      appendLog: (...given) => (isAway ? Promise.reject(trouble) : store.appendLog(...given)),
    };
    const conversation = await start(away);
    const { stage, project } = conversation;
    const recorded = await stage.engine.record(placeOf(conversation), callOf(stage));
    const { hear, end } = listen(stage);
    const failures: unknown[] = [];
    for (const [at, text] of STREAM.entries()) {
      isAway = at === 4;
      await recorded.write(text, hear(text)).catch((error: unknown) => failures.push(error));
    }
    expect(failures.length).toBeGreaterThan(0);
    expect(recorded.signal.aborted).toBe(false);
    await recorded.end(end);
    expect(await store.getTurn(project, recorded.turn.id)).toMatchObject({ status: 'complete' });
    expect((await store.nodesOfTurn(project, recorded.turn.id))[1]).toMatchObject({ content: 'A tree is a graph.' });
  });

  it('EN-204: a store that is still away at the end is tried again behind the client’s back', async () => {
    let isAway = false;
    const trouble = new StoreError('store_unreachable', 'store', 'Away.');
    const away: Store = {
      ...store,
      appendLog: (...given) => (isAway ? Promise.reject(trouble) : store.appendLog(...given)),
      commitTurn: (...given) => (isAway ? Promise.reject(trouble) : store.commitTurn(...given)),
    };
    const conversation = await start(away);
    const { stage, project } = conversation;
    const recorded = await stage.engine.record(placeOf(conversation), callOf(stage));
    const { hear, end } = listen(stage);
    for (const text of STREAM) await recorded.write(text, hear(text));
    isAway = true;
    await expect(recorded.end(end)).rejects.toMatchObject({ code: 'store_unreachable' });
    isAway = false;
    await vi.waitFor(
      async () => expect(await store.getTurn(project, recorded.turn.id)).toMatchObject({ status: 'complete' }),
      { timeout: 10_000 },
    );
    await vi.waitFor(() => expect(stage.engine.runningTurns()).toBe(0));
  });

  it.each([false, true])(
    'EN-207: the last words are stored with the end, and shown once they are (a first try fails: %s)',
    async (isAway) => {
      const appended: string[] = [];
      const ended: string[][] = [];
      const counting: Store = {
        ...store,
        appendLog: (project, turn, entries) => {
          appended.push(...entries.map(({ data }) => data));
          return store.appendLog(project, turn, entries);
        },
        commitTurn: (commit) => {
          ended.push((commit.log ?? []).map(({ data }) => data));
          const trouble = new StoreError('store_unreachable', 'store', 'Away.');
          return isAway && ended.length === 1 ? Promise.reject(trouble) : store.commitTurn(commit);
        },
      };
      const conversation = await start(counting);
      const { stage, project } = conversation;
      const recorded = await stage.engine.record(placeOf(conversation), callOf(stage));
      const lines = watch(stage.engine, project, recorded.turn.id);
      const { hear, end } = listen(stage);
      for (const text of STREAM.slice(0, 7)) await recorded.write(text, hear(text));
      const before = appended.length;
      const rest = STREAM.slice(7).join('');
      const written = recorded.write(rest, hear(rest)).catch(() => undefined);
      await recorded.end(end).catch(() => undefined);
      await written;
      const shown = await lines;
      expect(appended).toHaveLength(before);
      expect(ended.map((log) => log.join(''))).toEqual(ended.map(() => expect.stringContaining(rest)));
      expect(ended.at(-1)?.join('')).toContain('"stop":"end_turn"');
      const log = await store.readLog(project, recorded.turn.id, 0, 1_000);
      expect(log.map(({ seq }) => seq)).toEqual(log.map((_, at) => at + 1));
      expect(log.at(-1)?.data).toBe(ended.at(-1)?.at(-1));
      expect(shown.at(-1)).toMatchObject({ type: 'done', status: 'complete' });
      if (!isAway)
        expect(shown.map((line) => (line.type === 'text' ? line.content : '')).join('')).toBe('A tree is a graph.');
    },
  );

  it('EN-208: the others are told that a turn began and ended before the engine has stopped', async () => {
    const told: StoreSignal[] = [];
    const telling: Store = {
      ...store,
      publish: async (signal) => {
        await store.publish(signal);
        told.push(signal);
      },
    };
    const conversation = await start(telling);
    const { stage, project } = conversation;
    told.length = 0;
    const { turn } = await recordAll(conversation, placeOf(conversation), [STREAM.join('')]);
    await stage.engine.stop(0);
    expect(told.at(-1)).toEqual({ type: 'changed', projectId: project, turnId: turn });
    expect(told.length).toBeLessThanOrEqual(2);
  });

  it('EN-205: a refused call is recorded beside the one that took its place, in one turn', async () => {
    const conversation = await start();
    const { stage, project } = conversation;
    const recorded = await stage.engine.record(placeOf(conversation), callOf(stage));
    const refused = listen(stage);
    const error = { code: 'history_rejected', message: 'No.', retryable: false } as const;
    await recorded.write('', [
      { type: 'error', error },
      { type: 'stop', reason: 'error' },
    ]);
    await recorded.next(callOf(stage), [], 'history_rejected', refused.end);
    const { hear, end } = listen(stage);
    for (const text of STREAM) await recorded.write(text, hear(text));
    await recorded.end(end);
    expect(await store.callsOfTurn(project, recorded.turn.id)).toMatchObject([
      { status: 'error', nodeId: null, errorCode: 'history_rejected' },
      { status: 'complete' },
    ]);
    expect(await store.nodesOfTurn(project, recorded.turn.id)).toHaveLength(2);
  });

  it('EN-206: a place that somebody else has is refused, and nothing is stored', async () => {
    const conversation = await start();
    const { stage, project } = conversation;
    const first = await stage.engine.record(placeOf(conversation), callOf(stage));
    const branch = await store.getBranch(project, 'main');
    const second = placeOf({ ...conversation, branch });
    await expect(stage.engine.record(second, callOf(stage))).rejects.toMatchObject({ code: 'turn_running' });
    await first.end(listen(stage).end);
    expect(await store.getTurn(project, first.turn.id)).toMatchObject({ status: 'interrupted' });
    expect((await store.graph(project)).nodes).toHaveLength(1);
  });
});
