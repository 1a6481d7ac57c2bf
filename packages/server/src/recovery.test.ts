import type { StreamLine } from '@bough/core';
import { startSimulator } from '@bough/simulator';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { ServerProcess } from './testing/process.ts';
import { spawnServer } from './testing/process.ts';
import { expectStored, readUntil, untilClosed } from './testing/screen.ts';
import { endOf, say } from './testing/start.ts';

const LONG = 'Long. /sim slow 10 /sim think 1 /sim long 20000';
const isText = (line: StreamLine): boolean => line.type === 'text';

let dataDir: string;
let running: ServerProcess[];
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'bough-recovery-'));
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((server) => server.terminate()));
  await rm(dataDir, { recursive: true, force: true });
});

async function start(config: unknown = {}, store = 'files'): Promise<ServerProcess> {
  const path = join(dataDir, 'named.config.json');
  await writeFile(path, JSON.stringify(config));
  const server = await spawnServer({ BOUGH_DATA_DIR: dataDir, BOUGH_STORE: store, BOUGH_CONFIG: path });
  running.push(server);
  return server;
}

/** Begins a long reply and reads its first words. */
async function begin({ client }: ServerProcess, provider = 'simulated', model?: string) {
  const { project } = await client.createProject({ provider, ...(model === undefined ? {} : { model }) });
  const response = await client.chat(project.id, { ref: 'main', message: LONG });
  return { id: project.id, lines: await readUntil(response, isText) };
}

describe('turns whose server died', () => {
  it('EN-36: they are closed although the provider of one left the configuration', async () => {
    const simulator = await startSimulator({ paceMs: 2 });
    onTestFinished(() => simulator.close());
    const lab = { protocol: 'openai-chat', baseUrl: `${simulator.url}/v1`, models: [{ id: 'sim-thinker' }] };
    const dying = await start({ providers: { lab } });
    const turns = [await begin(dying, 'lab', 'sim-thinker'), await begin(dying), await begin(dying)];
    await dying.kill();
    const heir = await start();
    for (const { id, lines } of turns) {
      await untilClosed(heir.client, id);
      await expectStored(heir.client, id, lines);
    }
    for (const { id } of turns.slice(1))
      expect(endOf(await say(heir.client, id, 'main', 'Go on')).status).toBe('complete');
    // The branch itself is locked to a provider that is gone; another branch continues from what was said.
    const id = turns[0]?.id ?? '';
    await heir.client.createBranch(id, { name: 'elsewhere', fromRef: 'main', provider: 'simulated' });
    expect(endOf(await say(heir.client, id, 'elsewhere', 'Go on')).status).toBe('complete');
  });

  it('EN-36: one whose log is damaged is closed with a reply that says so', async () => {
    const dying = await start({}, 'git');
    const [damaged, sound] = [await begin(dying), await begin(dying)];
    await dying.kill();
    const turnOf = ({ lines }: { readonly lines: readonly StreamLine[] }): string =>
      lines.flatMap((line) => (line.type === 'turn' ? [line.turnId] : []))[0] ?? '';
    await damageLog(turnOf(damaged));
    const heir = await start({}, 'git');
    for (const { id } of [damaged, sound]) await untilClosed(heir.client, id);
    await expectStored(heir.client, sound.id, sound.lines);
    const [group] = (await heir.client.history(damaged.id, { ref: 'main' })).groups;
    expect(group?.status).toBe('interrupted');
    expect(group?.reply.at(-1)).toMatchObject({ isError: true, content: expect.stringContaining('cannot be read') });
    for (const { id } of [damaged, sound])
      expect(endOf(await say(heir.client, id, 'main', 'Go on')).status).toBe('complete');
  });

  it('EN-37: an interrupt closes one that nobody runs, and does not answer for nothing', async () => {
    const heir = await start({}, 'postgres');
    const dying = await start({}, 'postgres');
    const { id, lines } = await begin(dying);
    await dying.kill();
    await heir.client.interrupt(id, { ref: 'main' });
    await untilClosed(heir.client, id);
    await expectStored(heir.client, id, lines);
    await expect(heir.client.interrupt(id, { ref: 'main' })).rejects.toMatchObject({ code: 'no_running_turn' });
    expect(endOf(await say(heir.client, id, 'main', 'Go on')).status).toBe('complete');
  });
});

/** Overwrites the file of the log with something that is not a log. */
async function damageLog(turn: string): Promise<void> {
  const files = await readdir(join(dataDir, 'projects'), { recursive: true });
  const [name = ''] = files.filter((file) => file.includes(turn) && /logs?\b/.test(file));
  const path = join(dataDir, 'projects', name);
  expect(await readFile(path, 'utf8')).toContain(turn);
  await writeFile(path, 'neither this\nnor that\n');
}
