import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Turn } from '@bough/core';
import { createNode } from '@bough/core';
import { createProvider, simulatedDeployments } from '@bough/providers';
import type { Store } from '@bough/store';
import { openFilesStore } from '@bough/store';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createEngine } from '../engine.ts';
import type { Environment } from '../environment.ts';
import { DEFAULT_LIMITS } from '../environment.ts';
import { randomIds } from '../ids/index.ts';
import { createToolBox } from '../tools/tool-box.ts';
import { closeTurn } from './close.ts';
import type { CallStart } from './record.ts';
import { writeRecord } from './record.ts';

const AT = '2026-01-01T00:00:00.000Z';
const [deployment] = simulatedDeployments('http://127.0.0.1:9');
if (deployment === undefined) throw new Error('Nothing is simulated.');
const provider = createProvider(deployment, { key: null });

let directory: string;
let store: Store;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bough-recover-'));
  store = await openFilesStore({ directory });
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

function environment(): Environment {
  return {
    store,
    providers: {
      get: () => provider,
      list: () => [provider],
      defaults: () => ({ provider: deployment?.id ?? '', model: 'sim-thinker' }),
    },
    tools: createToolBox(),
    ids: randomIds,
    now: () => new Date(AT),
    owner: 'heir',
    limits: DEFAULT_LIMITS,
    observe: () => undefined,
  };
}

const event = (name: string, data: object): string =>
  `event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`;
const delta = (text: string): string => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } });

it('EN-25: a log that ends inside an event gives the reply before it; the torn event is kept, and is no error', async () => {
  const env = environment();
  const { project, branch } = await createEngine(env).createProject({});
  const turn: Turn = {
    id: env.ids.turn(),
    projectId: project.id,
    branchId: branch.id,
    isThinkingMode: false,
    status: 'running',
    createdAt: AT,
  };
  const user = createNode({
    id: env.ids.node(),
    projectId: project.id,
    parentId: null,
    role: 'user',
    contentBlocks: [{ type: 'text', text: 'Hello?' }],
    turnId: turn.id,
    createdAt: AT,
  });
  const tip = { branchId: branch.id, expected: null, next: user.id };
  await store.beginTurn({ turn, owner: 'dead', leaseMs: 60_000, nodes: [user], tip });
  const call: CallStart = {
    callId: env.ids.call(),
    nodeId: env.ids.node(),
    parentId: user.id,
    issuer: provider.issuer('sim-thinker'),
    api: 'anthropic-messages',
    requestHash: '0',
    startedAt: AT,
    madeWith: { prefix: '', previousThinking: null },
  };
  const stream = [
    event('message_start', { message: { id: 'm', content: [] } }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    delta('Hello '),
    delta('you'),
    delta('never seen').slice(0, -20),
  ].join('');
  // Entries end where packets ended, also inside an event.
  const texts = [stream.slice(0, 70), stream.slice(70, 300), stream.slice(300)];
  const records = [{ lines: [], call }, ...texts.map((text) => ({ lines: [], text }))];
  await store.appendLog(
    project.id,
    turn.id,
    records.map((record, at) => ({ seq: at + 1, data: writeRecord(record) })),
  );
  await store.releaseTurn(project.id, turn.id, 'dead', 'awaiting_approval');
  await closeTurn(env, await store.claimTurn(project.id, turn.id, 'heir', 60_000));

  expect(await store.getTurn(project.id, turn.id)).toMatchObject({ status: 'interrupted' });
  const nodes = await store.nodesOfTurn(project.id, turn.id);
  expect(nodes.map(({ role, content, isError, interrupted }) => ({ role, content, isError, interrupted }))).toEqual([
    { role: 'user', content: 'Hello?', isError: false, interrupted: false },
    { role: 'assistant', content: 'Hello you', isError: false, interrupted: true },
  ]);
  const raw = await store.getRaw(project.id, call.nodeId);
  expect(raw).toMatchObject({ complete: false });
  const payload = Array.isArray(raw?.payload) ? (raw.payload as readonly unknown[]) : [];
  expect(payload).toHaveLength(5);
  expect(payload[4]).toMatchObject({ event: 'content_block_delta', data: expect.not.stringMatching(/\}$/) as string });
});
