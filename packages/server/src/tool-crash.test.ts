import type { StreamLine } from '@bough/core';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { writeHands } from './testing/hands.ts';
import type { ServerProcess } from './testing/process.ts';
import { spawnServer } from './testing/process.ts';
import { expectStored, readUntil, untilClosed } from './testing/screen.ts';
import { endOf, say } from './testing/start.ts';

const PROTOCOLS = ['simulated', 'simulated_responses', 'simulated_chat', 'simulated_gemini'] as const;
const TOOLS = ['hands__quick', 'hands__slow', 'calculator'];
const isResult = (line: StreamLine): boolean => line.type === 'tool_result';

let dataDir: string;
let running: ServerProcess[];
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'bough-tool-crash-'));
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((server) => server.terminate()));
  await rm(dataDir, { recursive: true, force: true });
});

async function start(config: string, store = 'files'): Promise<ServerProcess> {
  const server = await spawnServer({
    BOUGH_DATA_DIR: dataDir,
    BOUGH_STORE: store,
    BOUGH_CONFIG: config,
    BOUGH_SIMULATOR_PACE_MS: '1',
  });
  running.push(server);
  await vi.waitFor(
    async () => {
      const { tools } = await server.client.listTools();
      expect(tools.find((tool) => tool.name === 'hands__slow')?.available).toBe(true);
    },
    { timeout: 20_000, interval: 50 },
  );
  return server;
}

async function expectNextWorks({ client }: ServerProcess, project: string): Promise<void> {
  const next = await say(client, project, 'main', 'And now?');
  expect(endOf(next), JSON.stringify(next.filter((line) => line.type === 'error'))).toMatchObject({
    status: 'complete',
  });
  expect((await client.diagnostics()).rejections).toBe(0);
}

describe('kill -9 while tools run', () => {
  it.each(['files', 'git', 'postgres'])(
    'EN-33: with the %s store, the result that was shown is there, and the call that had none is open',
    async (store) => {
      const config = await writeHands(dataDir);
      const dying = await start(config, store);
      const { project } = await dying.client.createProject({ tools: TOOLS });
      const response = await dying.client.chat(project.id, {
        ref: 'main',
        message: 'Both. /sim think 1 /sim tools hands__slow hands__quick calculator',
      });
      const lines = await readUntil(response, (_, soFar) => soFar.filter(isResult).length === 2);
      await dying.kill();
      const heir = await start(config, store);
      await untilClosed(heir.client, project.id);
      await expectStored(heir.client, project.id, lines);
      const [group] = (await heir.client.history(project.id, { ref: 'main' })).groups;
      // The reply that called the tools, then the two results in the order of the calls.
      expect(group?.status).toBe('interrupted');
      expect(group?.reply.map((node) => node.content)).toEqual([expect.any(String), 'quick 1', expect.any(String)]);
      await expectNextWorks(heir, project.id);
    },
  );

  it('EN-33: the next message works on every protocol', async () => {
    const config = await writeHands(dataDir);
    const dying = await start(config);
    const turns = await Promise.all(
      PROTOCOLS.map(async (provider) => {
        const { project } = await dying.client.createProject({ provider, tools: TOOLS });
        const message = 'Twice. /sim think 1 /sim tools hands__quick calculator hands__quick hands__slow steps 2';
        const response = await dying.client.chat(project.id, { ref: 'main', message });
        return { id: project.id, lines: await readUntil(response, (_, soFar) => soFar.filter(isResult).length === 3) };
      }),
    );
    await dying.kill();
    const heir = await start(config);
    for (const { id, lines } of turns) {
      await untilClosed(heir.client, id);
      await expectStored(heir.client, id, lines);
      await expectNextWorks(heir, id);
    }
  });

  it('EN-34: results before and after an approval are kept, those of declined calls too', async () => {
    const config = await writeHands(dataDir, { approval: { calculator: 'ask', 'hands.slow': 'ask' } });
    const dying = await start(config);
    const { project } = await dying.client.createProject({ tools: TOOLS });
    const response = await dying.client.chat(project.id, {
      ref: 'main',
      message: 'Ask. /sim tools hands__quick calculator hands__slow',
    });
    const paused = await readUntil(response, (_, all) => all.filter(({ type }) => type === 'approval').length === 2);
    const turnId = paused.flatMap((line) => (line.type === 'turn' ? [line.turnId] : []))[0] ?? '';
    for (const line of paused) {
      if (line.type !== 'approval') continue;
      const approve = line.name === 'hands__slow';
      // The second answer lets the turn continue, and it waits for the slow tool.
      await vi.waitFor(
        () => dying.client.approve(project.id, { turnId, toolCallId: line.toolCallId, approve }),
        30_000,
      );
    }
    const after = paused.at(-1)?.seq ?? 0;
    const resumed = await readUntil(await dying.client.turnStream(project.id, turnId, after), isResult);
    await dying.kill();
    const heir = await start(config);
    await untilClosed(heir.client, project.id);
    await expectStored(heir.client, project.id, [...paused, ...resumed]);
    const [group] = (await heir.client.history(project.id, { ref: 'main' })).groups;
    expect(group?.reply.filter((node) => node.role === 'tool').map((node) => node.content)).toEqual([
      'quick 1',
      'The user declined this tool call.',
    ]);
    await expectNextWorks(heir, project.id);
  });
});

describe('a turn that is stopped while tools run', () => {
  it.each(['SIGTERM', 'an interrupt'])('EN-35: %s keeps the results that were shown', async (how) => {
    const config = await writeHands(dataDir);
    const server = await start(config);
    const { project } = await server.client.createProject({ tools: TOOLS });
    const response = await server.client.chat(project.id, {
      ref: 'main',
      message: 'Both. /sim tools hands__slow hands__quick',
    });
    const lines = await readUntil(response, isResult);
    if (how === 'SIGTERM') expect(await server.terminate()).toBe(0);
    else await server.client.interrupt(project.id, { ref: 'main' });
    const after = how === 'SIGTERM' ? await start(config) : server;
    await untilClosed(after.client, project.id);
    await expectStored(after.client, project.id, lines);
    const [group] = (await after.client.history(project.id, { ref: 'main' })).groups;
    expect(group?.status).toBe('interrupted');
    await expectNextWorks(after, project.id);
  });
});
