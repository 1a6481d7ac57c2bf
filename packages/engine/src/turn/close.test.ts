import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Turn } from '@bough/core';
import { createNode } from '@bough/core';
import type { Store } from '@bough/store';
import { openFilesStore } from '@bough/store';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { closeTurn } from './close.ts';
import type { CallStart } from './record.ts';
import { writeRecord } from './record.ts';
import { stageOn } from './testing.ts';

const AT = '2026-01-01T00:00:00.000Z';

let directory: string;
let store: Store;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bough-close-'));
  store = await openFilesStore({ directory });
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

/** Closes a turn whose log holds the start of a call and these texts of its reply; returns the call. */
async function closeAfter(texts: readonly string[]): Promise<{ readonly turn: Turn; readonly call: CallStart }> {
  const { env, engine } = stageOn(store, 'http://127.0.0.1:9', { owner: 'heir' });
  const { project, branch } = await engine.createProject({});
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
    issuer: env.providers.get('simulated').issuer('sim-thinker'),
    api: 'anthropic-messages',
    requestHash: '0',
    startedAt: AT,
    madeWith: { prefix: '', previousThinking: null },
    reasoning: 'full',
  };
  const records = [{ lines: [], call }, ...texts.map((text) => ({ lines: [], text }))];
  await store.appendLog(
    project.id,
    turn.id,
    records.map((record, at) => ({ seq: at + 1, data: writeRecord(record) })),
  );
  await store.releaseTurn(project.id, turn.id, 'dead', 'awaiting_approval');
  await closeTurn(env, await store.claimTurn(project.id, turn.id, 'heir', 60_000));
  return { turn, call };
}

const event = (name: string, data: object): string =>
  `event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`;
const delta = (text: string): string => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } });

it('EN-25: a log that ends inside an event gives the reply before it; the torn event is kept, and is no error', async () => {
  const stream = [
    event('message_start', { message: { id: 'm', content: [] } }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    delta('Hello '),
    delta('you'),
    delta('never seen').slice(0, -20),
  ].join('');
  // Entries end where packets ended, even inside an event.
  const { turn, call } = await closeAfter([stream.slice(0, 70), stream.slice(70, 300), stream.slice(300)]);

  expect(await store.getTurn(turn.projectId, turn.id)).toMatchObject({ status: 'interrupted' });
  const nodes = await store.nodesOfTurn(turn.projectId, turn.id);
  expect(nodes.map(({ role, content, isError, interrupted }) => ({ role, content, isError, interrupted }))).toEqual([
    { role: 'user', content: 'Hello?', isError: false, interrupted: false },
    { role: 'assistant', content: 'Hello you', isError: false, interrupted: true },
  ]);
  const raw = await store.getRaw(turn.projectId, call.nodeId);
  expect(raw).toMatchObject({ complete: false });
  const payload = Array.isArray(raw?.payload) ? (raw.payload as readonly unknown[]) : [];
  expect(payload).toHaveLength(5);
  expect(payload[4]).toMatchObject({ event: 'content_block_delta', data: expect.not.stringMatching(/\}$/) as string });
});

it('LN-6: a reply that came as one body is rebuilt as well, with its usage', async () => {
  const content = [{ type: 'text', text: 'All at once.' }];
  const usage = { input_tokens: 3, output_tokens: 4 };
  const body = { id: 'm', type: 'message', role: 'assistant', content, stop_reason: 'end_turn', usage };
  const { turn, call } = await closeAfter([JSON.stringify(body)]);
  const nodes = await store.nodesOfTurn(turn.projectId, turn.id);
  expect(nodes.map((node) => node.content)).toEqual(['Hello?', 'All at once.']);
  expect(nodes[1]).toMatchObject({ id: call.nodeId, interrupted: false });
  const [stored] = await store.callsOfTurn(turn.projectId, turn.id);
  expect(stored).toMatchObject({ status: 'complete', usage: { inputTokens: 3, outputTokens: 4 }, cost: null });
  expect(await store.getRaw(turn.projectId, call.nodeId)).toMatchObject({ complete: true });
});
