import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectId } from '@bough/core';
import { protocolById, readKept } from '@bough/providers';
import { rebuildBody } from '@bough/gateway';
import type { Simulator } from '@bough/simulator';
import { startSimulator } from '@bough/simulator';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../config/index.ts';
import { openStore } from '../open-store.ts';
import { STORES } from '../testing/on-each-store.ts';
import type { ServerProcess } from '../testing/process.ts';
import { spawnServer } from '../testing/process.ts';
import { startTestServer } from '../testing/start.ts';
import { miniClient } from './client.ts';

const KEY = 'sk-the-vendors-key-0123456789';
const CLIENT = { 'user-agent': 'claude-cli/2.1.325', 'x-claude-code-session-id': 'crash' };

let simulator: Simulator;
let dataDir: string;
let running: ServerProcess[];
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'gateway crash', keys: [KEY] });
});
afterAll(() => simulator.close());
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'bough-gateway-crash-'));
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((server) => server.terminate()));
  await rm(dataDir, { recursive: true, force: true });
});

const vendor = (): Readonly<Record<string, string>> => ({
  ANTHROPIC_BASE_URL: simulator.url,
  ANTHROPIC_API_KEY: KEY,
  BOUGH_DATA_DIR: dataDir,
});

async function start(store: string): Promise<ServerProcess> {
  const server = await spawnServer({ ...vendor(), BOUGH_STORE: store });
  running.push(server);
  return server;
}

const bodyOf = (messages: readonly object[]): string =>
  JSON.stringify({
    model: 'sim-thinker',
    max_tokens: 4_000,
    messages,
    tools: [{ name: 'ls', input_schema: { type: 'object' } }],
    stream: true,
  });

/** Reads a stream until enough came or it broke: what a client had on its screen. */
async function readSome(response: Response, enough: number): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece, { stream: true });
      if (text.length >= enough) break;
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  return text;
}

function wordsIn(stream: string): string {
  const fold = protocolById('anthropic-messages').createFold({ provider: 'p', deployment: 'd', model: 'm' });
  const events = readKept([stream]).whole.flatMap((event) => fold.push(event));
  return events.map((event) => (event.type === 'text' || event.type === 'thinking' ? event.text : '')).join('');
}

describe.each(STORES)('kill -9 with %s', (store) => {
  it('GW-39: in mid-stream: what the client saw is stored, the next server closes the turn, and the client goes on', async () => {
    const one = await start(store);
    const asked = { role: 'user', content: 'Tell me. /sim slow 8 /sim long 20000' };
    const response = await fetch(`${one.url}/gateway/anthropic/v1/messages`, {
      method: 'POST',
      headers: { ...CLIENT, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      body: bodyOf([asked]),
    });
    const project = response.headers.get('x-bough-project') ?? '';
    const seen = await readSome(response, 6_000);
    await one.kill();
    const two = await start(store);
    await expect
      .poll(async () => (await two.client.history(project, { ref: 'main' })).groups.at(-1)?.status, { timeout: 30_000 })
      .toBe('interrupted');
    const { groups } = await two.client.history(project, { ref: 'main' });
    const reply = groups[0]?.reply.find(({ role }) => role === 'assistant');
    const blocks = reply?.contentBlocks ?? [];
    const told = (type: 'thinking' | 'text') => (block: Readonly<Record<string, unknown>>) =>
      block['type'] === type && typeof block[type] === 'string' ? block[type] : '';
    const stored = blocks.map((block) => told('thinking')(block) + told('text')(block)).join('');
    expect(wordsIn(seen).length).toBeGreaterThan(100);
    expect(stored.startsWith(wordsIn(seen))).toBe(true);
    const text = blocks.map(told('text')).join('');
    const next = await fetch(`${two.url}/gateway/anthropic/v1/messages`, {
      method: 'POST',
      headers: { ...CLIENT, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      body: bodyOf([
        asked,
        ...(text === '' ? [] : [{ role: 'assistant', content: text }]),
        { role: 'user', content: 'Go on.' },
      ]),
    });
    expect([next.status, next.headers.get('x-bough-project')]).toEqual([200, project]);
    expect(await next.text()).toContain('message_stop');
    const { branches } = await two.client.listBranches(project);
    expect(branches).toHaveLength(1);
    await two.terminate();
    const opened = await openStore(readConfig({ BOUGH_STORE: store, BOUGH_DATA_DIR: dataDir }, dataDir));
    try {
      const [first] = groups[0]?.calls ?? [];
      const turn = groups[0]?.turnId ?? '';
      const calls = await opened.callsOfTurn(projectId(project), turn as never);
      expect(calls.map(({ status }) => status)).toEqual(['interrupted']);
      expect(first === undefined || first.id === calls[0]?.id).toBe(true);
      expect(await rebuildBody(opened, projectId(project), calls[0] as never, 'came')).toBe(bodyOf([asked]));
    } finally {
      await opened.close();
    }
  });
});

describe('two servers on one database', () => {
  it('GW-39: requests of one conversation may alternate between them: one branch, nothing twice', async () => {
    const env = { ...vendor(), BOUGH_STORE: 'postgres' };
    const one = await startTestServer(env, undefined, dataDir);
    const two = await startTestServer(env, undefined, dataDir);
    try {
      const servers = [one, two];
      let count = 0;
      const at = (provider: string): string => `${servers[count++ % 2]?.url}/gateway/${provider}`;
      const client = miniClient('anthropic-messages', at, { headers: CLIENT, tools: ['ls'] });
      const { headers } = await client.say('Look. /sim tools ls steps 2');
      await client.answer('a.ts');
      await client.answer('b.ts');
      for (const text of ['Two', 'Three', 'Four']) await client.say(text);
      const project = headers.get('x-bough-project') ?? '';
      const { branches } = await two.client.listBranches(project);
      expect(branches).toHaveLength(1);
      const { groups } = await one.client.history(project, { ref: 'main' });
      expect(groups.map(({ status }) => status)).toEqual(['complete', 'complete', 'complete', 'complete']);
      expect(groups[0]?.reply.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant', 'tool', 'assistant']);
      await one.stop();
      await two.stop();
      const opened = await openStore(readConfig({ BOUGH_STORE: 'postgres', BOUGH_DATA_DIR: dataDir }, dataDir));
      try {
        let index = 0;
        for (const { turnId } of groups)
          for (const call of await opened.callsOfTurn(projectId(project), turnId as never)) {
            expect(await rebuildBody(opened, projectId(project), call, 'came')).toBe(client.bodies[index]);
            index += 1;
          }
        expect(index).toBe(client.bodies.length);
      } finally {
        await opened.close();
      }
    } finally {
      await one.stop();
      await two.stop();
    }
  });
});
