import { readLines } from '@bough/api';
import type { StreamLine } from '@bough/core';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ServerProcess } from './testing/process.ts';
import { spawnServer } from './testing/process.ts';
import { allLines, endOf, say, shown } from './testing/start.ts';

let dataDir: string;
let running: ServerProcess[];
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'bough-crash-'));
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((server) => server.terminate()));
  await rm(dataDir, { recursive: true, force: true });
});

async function start(env: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await spawnServer({ BOUGH_DATA_DIR: dataDir, BOUGH_SIMULATOR_PACE_MS: '2', ...env });
  running.push(server);
  return server;
}

/** Reads a stream until enough lines have come, or it breaks: what a client had on its screen. */
async function readSome(response: Response, enough: number): Promise<readonly StreamLine[]> {
  const lines: StreamLine[] = [];
  if (response.body === null) return lines;
  try {
    for await (const line of readLines(response.body)) {
      if (line.type !== 'heartbeat') lines.push(line);
      if (lines.length >= enough) break;
    }
  } catch (error) {
    // The server died: that is the point.
    if (!(error instanceof TypeError)) throw error;
  }
  return lines;
}

/** Everything that was shown is in the history, no turn is stuck, and the next message works. */
async function expectRecovered(server: ServerProcess, project: string, lines: readonly StreamLine[]): Promise<void> {
  await expect
    .poll(async () => (await server.client.history(project, { ref: 'main' })).groups.at(-1)?.status, {
      timeout: 30_000,
    })
    .not.toBe('running');
  const { groups } = await server.client.history(project, { ref: 'main' });
  const reply = groups.at(-1)?.reply.filter((node) => node.role === 'assistant') ?? [];
  const stored = (key: 'text' | 'thinking'): string =>
    reply
      .flatMap((node) => node.contentBlocks)
      .map((block) => (block.type === key && typeof block[key] === 'string' ? block[key] : ''))
      .join('');
  expect(stored('thinking').startsWith(shown(lines, 'thinking'))).toBe(true);
  expect(stored('text').startsWith(shown(lines, 'text'))).toBe(true);
  const next = await say(server.client, project, 'main', 'And now?');
  expect(endOf(next), JSON.stringify(next.filter((line) => line.type === 'error'))).toMatchObject({
    status: 'complete',
  });
}

describe('two servers on one database', () => {
  it('EN-26: any of them takes, watches and interrupts any turn; when one dies the other closes its turn', async () => {
    // The first one's embedded server is an ordinary PostgreSQL for the second: both join it.
    const one = await start();
    const two = await start();
    const { project } = await one.client.createProject({});
    expect((await two.client.listProjects()).projects.map((each) => each.id)).toContain(project.id);

    // Started on one, watched on two: the same lines.
    const watched = await one.client.chat(project.id, { ref: 'main', message: 'Watch me. /sim slow 10' });
    const turn = (await two.client.listBranches(project.id)).branches[0]?.runningTurnId ?? '';
    const [mine, theirs] = await Promise.all([
      allLines(watched),
      two.client.turnStream(project.id, turn, 0).then(allLines),
    ]);
    expect(theirs).toEqual(mine);

    // Started on one, stopped from two.
    const stopped = await one.client.chat(project.id, {
      ref: 'main',
      message: 'Stop me. /sim slow 20 /sim long 20000',
    });
    await two.client.interrupt(project.id, { ref: 'main' });
    expect(endOf(await allLines(stopped)).status).toBe('interrupted');

    // One dies in the middle: the other carries on.
    const dying = await one.client.chat(project.id, {
      ref: 'main',
      message: 'Outlive me. /sim slow 10 /sim long 20000',
    });
    const lines = await readSome(dying, 8);
    await one.kill();
    await expectRecovered(two, project.id, lines);
  });
});

describe('being told to stop', () => {
  it('EN-27: SIGTERM closes running turns as interrupted, keeps what came, and ends with 0', async () => {
    const server = await start({ BOUGH_STORE: 'files' });
    const { project } = await server.client.createProject({});
    const response = await server.client.chat(project.id, {
      ref: 'main',
      message: 'Long. /sim slow 20 /sim long 20000',
    });
    const lines = await readSome(response, 5);
    expect(await server.terminate()).toBe(0);
    const again = await start({ BOUGH_STORE: 'files' });
    const { groups } = await again.client.history(project.id, { ref: 'main' });
    expect(groups[0]?.status).toBe('interrupted');
    expect(groups[0]?.reply[0]?.contentBlocks.length).toBeGreaterThan(0);
    expect(shown(lines, 'thinking')).not.toBe('');
  });
});
