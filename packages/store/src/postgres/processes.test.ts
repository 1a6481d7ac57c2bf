import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { buildNode, seedProject } from '../contract/build.ts';
import { bundleProgram } from '../contract/crash/program.ts';
import type { Program } from '../contract/crash/program.ts';
import { StoreError } from '../errors.ts';
import type { PostgresStore } from './index.ts';
import { openPostgresStore } from './index.ts';

const run = promisify(execFile);

let dataDir: string;
let store: PostgresStore;
let program: Program;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'bough-processes-'));
  [store, program] = await Promise.all([
    openPostgresStore({ dataDir }),
    bundleProgram(new URL('./programs/appender.ts', import.meta.url)),
  ]);
});

afterAll(async () => {
  await program.dispose();
  await store.close();
  await rm(dataDir, { recursive: true, force: true });
});

test('PG-22: processes that write to one branch at once lose, double and reorder nothing', async () => {
  const { project, branch } = await seedProject(store);
  const names = ['one', 'two', 'three'];
  const each = 60;
  const writers = names.map((name) =>
    run(process.execPath, [program.path, dataDir, project.id, branch.name, name, String(each)]),
  );
  await Promise.all(
    writers.map(async ({ child }) => {
      if (child.stdout !== null) await once(child.stdout, 'data');
    }),
  );
  for (const { child } of writers) child.stdin?.end();
  const outcomes = await Promise.all(writers);
  const { tipId } = await store.getBranch(project.id, branch.id);
  if (tipId === null) throw new Error('the branch has a tip');
  const texts = (await store.path(project.id, tipId)).map(({ content }) => content);
  expect(texts.length).toBe(names.length * each);
  for (const name of names) {
    const own = texts.filter((text) => text.startsWith(`${name} `));
    expect(own).toStrictEqual(Array.from({ length: each }, (_, step) => `${name} ${step}`));
  }
  // They did collide: otherwise nothing was proven.
  expect(outcomes.reduce((sum, { stdout }) => sum + Number(stdout.split('\n').at(-2)), 0)).toBeGreaterThan(0);
  const { nodes } = await store.graph(project.id);
  expect(nodes.length).toBe(names.length * each);
});

test('PG-6: a store whose server is killed again and again goes on, and keeps every write that it acknowledged', async () => {
  const { project } = await seedProject(store);
  const cluster = join(dataDir, 'postgres', 'cluster');
  const acknowledged: string[] = [];
  const unknown: string[] = [];
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const writer = (async () => {
    for (let step = 0; !stop.signal.aborted; step += 1) {
      const node = buildNode(project, null, `write ${step}`);
      try {
        await store.appendNodes(project.id, [node]);
        acknowledged.push(node.id);
      } catch (error) {
        if (!(error instanceof StoreError) || error.code !== 'outcome_unknown') throw error;
        unknown.push(node.id);
      }
    }
  })();
  const killed: number[] = [];
  // The connections of a killed server may live on for a moment, and its process id is on file until the next one is
  // started.
  const living = async (): Promise<number> => {
    const pid = Number.parseInt(await readFile(join(cluster, 'postmaster.pid'), 'utf8'), 10);
    expect(pid).toBeGreaterThan(0);
    expect(killed).not.toContain(pid);
    return pid;
  };
  for (let kill = 0; kill < 3; kill += 1) {
    const server = await vi.waitFor(living, { timeout: 30_000 });
    const before = acknowledged.length;
    await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(before + 5), { timeout: 30_000 });
    process.kill(server, 'SIGKILL');
    killed.push(server);
  }
  const before = acknowledged.length;
  await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(before + 5), { timeout: 30_000 });
  stop.abort();
  await writer;
  const stored = (await store.children(project.id, null)).map(({ id }) => String(id));
  expect(stored.filter((id) => !unknown.includes(id))).toStrictEqual(acknowledged);
  expect(new Set(stored).size).toBe(stored.length);
});
