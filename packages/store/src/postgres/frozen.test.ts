import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeId, projectId, turnId } from '@bough/core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { seedProject } from '../contract/build.ts';
import type { Program } from '../contract/crash/program.ts';
import { bundleProgram } from '../contract/crash/program.ts';
import type { PostgresStore } from './index.ts';
import { openForTest } from './testing/database.ts';
import { kill } from './testing/processes.ts';
import { freshSchema, useTestServer } from './testing/server.ts';

// A process that was stopped (SIGSTOP, a sleeping laptop, a virtual machine being moved) keeps the locks of its
// transaction.

const server = useTestServer();
let program: Program;

beforeAll(async () => {
  program = await bundleProgram(new URL('./programs/frozen-owner.ts', import.meta.url));
});
afterAll(() => program.dispose());

interface Frozen {
  readonly project: string;
  readonly turn: string;
  readonly user: string;
  readonly reply: string;
  /** Resumes it; resolves with its final output. */
  readonly wakeUp: () => Promise<string>;
}

/** Resolves when the process is stopped in the middle of its transaction. */
async function freeze(dataDir: string, schema: string, leaseMs: number): Promise<Frozen> {
  const child = spawn(process.execPath, [program.path, dataDir, schema, String(leaseMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pid = child.pid ?? 0;
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    kill(pid);
    await exited;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const written = JSON.parse(String((await lines.next()).value)) as Omit<Frozen, 'wakeUp'>;
  await vi.waitFor(
    async () => {
      const state = /^\d+ \(.*\) (\S)/.exec(await readFile(`/proc/${pid}/stat`, 'utf8'))?.[1];
      expect(state).toBe('T');
    },
    { timeout: 20_000 },
  );
  return {
    ...written,
    wakeUp: async () => {
      kill(pid, 'SIGCONT');
      const said = JSON.parse(String((await lines.next()).value)) as { readonly outcome: string };
      await exited;
      return said.outcome;
    },
  };
}

async function open(): Promise<{ store: PostgresStore; dataDir: string; schema: string }> {
  const schema = freshSchema();
  const store = await openForTest(await server(), schema);
  const options = (await server()).options(schema);
  if (!('dataDir' in options)) throw new Error('the processes of these tests share a directory');
  return { store, dataDir: options.dataDir, schema };
}

describe.runIf(process.platform === 'linux')('a frozen owner', () => {
  test('PG-30: its turn is taken over although it stands in a transaction, and it doubles nothing', async () => {
    const { store, dataDir, schema } = await open();
    const frozen = await freeze(dataDir, schema, 1_000);
    const ids = { project: projectId(frozen.project), turn: turnId(frozen.turn) };
    const claimed = async (): Promise<void> => {
      expect((await store.claimExpiredTurns('heir', 60_000)).map(({ id }) => id)).toContain(ids.turn);
    };
    await vi.waitFor(claimed, { timeout: 10_000, interval: 100 });
    await store.commitTurn({
      projectId: ids.project,
      turnId: ids.turn,
      owner: 'heir',
      nodes: [],
      calls: [],
      renderings: [],
      status: 'interrupted',
    });

    expect(await frozen.wakeUp()).toBe('not_owner');
    expect((await store.nodesOfTurn(ids.project, ids.turn)).map(({ id }) => id)).toStrictEqual([nodeId(frozen.user)]);
    expect((await store.getTurn(ids.project, ids.turn)).status).toBe('interrupted');
  });

  test('PG-30: one that wakes up before its lease ran out finds its transaction gone, does it again, and once', async () => {
    const { store, dataDir, schema } = await open();
    const { query } = await server();
    const frozen = await freeze(dataDir, schema, 60_000);
    const gone = async (): Promise<void> => {
      expect(await query(`SELECT 1 FROM pg_stat_activity WHERE state = 'idle in transaction'`)).toStrictEqual([]);
    };
    await vi.waitFor(gone, { timeout: 10_000 });
    expect(await store.claimExpiredTurns('heir', 60_000)).toStrictEqual([]);
    expect(await frozen.wakeUp()).toBe('stored');
    const nodes = await store.nodesOfTurn(projectId(frozen.project), turnId(frozen.turn));
    expect(nodes.map(({ id }) => id)).toStrictEqual([nodeId(frozen.user), nodeId(frozen.reply)]);
  });
});

test('PG-30: an export whose reader takes his time is not taken for frozen', async () => {
  const { store } = await open();
  const { project } = await seedProject(store);
  const types: string[] = [];
  for await (const { type } of store.exportProject(project.id)) {
    types.push(type);
    if (types.length === 1) await sleep(3_000);
  }
  expect(types).toStrictEqual(['project', 'branch']);
});
