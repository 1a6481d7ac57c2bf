import { openPostgresStore } from '@bough/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ServerProcess } from './testing/process.ts';
import { spawnServer } from './testing/process.ts';
import { expectStored, readUntil, untilClosed } from './testing/screen.ts';
import { allLines, endOf, say } from './testing/start.ts';
import type { Wire } from './testing/wire.ts';
import { startWire } from './testing/wire.ts';

// An external database, reached over a wire that can be cut.
let dataDir: string;
let database: Awaited<ReturnType<typeof openPostgresStore>>;
let wire: Wire;
let running: ServerProcess[];
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'bough-wire-'));
  database = await openPostgresStore({ dataDir });
  wire = await startWire(dataDir);
});
beforeEach(() => {
  running = [];
});
afterEach(async () => {
  wire.delay(0);
  wire.mend();
  await Promise.all(running.map((server) => server.terminate()));
});
afterAll(async () => {
  await wire.close();
  await database.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Through the wire, or directly. */
async function start(url?: string): Promise<ServerProcess> {
  const address = url === undefined ? {} : { DATABASE_URL: url };
  const server = await spawnServer({ BOUGH_DATA_DIR: dataDir, BOUGH_SIMULATOR_PACE_MS: '2', ...address });
  running.push(server);
  return server;
}

describe('connections that are cut', () => {
  it.each([
    ['commit_turn', 5],
    ['commit_turn', 30],
    ['append_log', 30],
  ] as const)(
    'EN-40: under %s, %i times: what was shown is in the history, and the next message works',
    async (statement, times) => {
      const server = await start(wire.url);
      const { project } = await server.client.createProject({ tools: ['calculator', 'current_time'] });
      const message = '/sim think 1 /sim tools calculator current_time steps 3 /sim long 500';
      const response = await server.client.chat(project.id, { ref: 'main', message });
      let results = 0;
      const lines = await readUntil(response, (line) => {
        results += line.type === 'tool_result' ? 1 : 0;
        // In the middle: the first results are stored, and the next reply or its results are not yet.
        if (line.type === 'tool_call' && results === 2) wire.refuse(statement, times);
        return false;
      });
      expect(results).toBeGreaterThanOrEqual(2);
      await untilClosed(server.client, project.id);
      const isStored = lines.at(-1)?.type === 'done';
      await expectStored(server.client, project.id, isStored ? lines : lines.filter((line) => line.type !== 'error'));
      wire.refuse(statement, 0);
      expect(endOf(await say(server.client, project.id, 'main', 'And now?')).status).toBe('complete');
    },
  );
});

describe('a database that is away or slow', () => {
  it('EN-41: readiness and writes are 503 with the reason, and all is well once it is back', async () => {
    const server = await start(wire.url);
    const ready = async (): Promise<unknown> => {
      const response = await fetch(`${server.url}/api/healthz/ready`);
      return { code: response.status, ...((await response.json()) as object) };
    };
    expect(await ready()).toMatchObject({ code: 200 });
    wire.cut();
    const refused = server.client.createProject({}).catch((error: unknown) => error);
    await expect.poll(ready, { timeout: 30_000 }).toMatchObject({ code: 503, status: 'failing' });
    expect(await refused).toMatchObject({
      status: 503,
      code: 'store_unreachable',
      message: expect.stringContaining('cannot be reached'),
    });
    wire.mend();
    await expect.poll(ready, { timeout: 30_000 }).toMatchObject({ code: 200, status: 'ok' });
    await server.client.createProject({});
  });

  it('EN-39: a turn whose owner gets no answer for a second and a half stays its own', async () => {
    const owner = await start(wire.url);
    const other = await start();
    const { project } = await owner.client.createProject({});
    const response = await owner.client.chat(project.id, {
      ref: 'main',
      message: '/sim slow 30 /sim think 1 /sim long 3000',
    });
    const lines = allLines(response);
    await sleep(500);
    wire.delay(1_500);
    await sleep(1_500);
    wire.delay(0);
    expect(endOf(await lines).status).toBe('complete');
    await expectStored(other.client, project.id, await lines);
  });
});
