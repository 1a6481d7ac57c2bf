import { setTimeout as sleep } from 'node:timers/promises';
import { nodeId, UnknownIdError } from '@bough/core';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { beginTurn, buildNode, buildTurn, LONG_LEASE, seedChain, seedProject } from '../contract/build.ts';
import type { PostgresStore } from './index.ts';
import { openForTest } from './testing/database.ts';
import { freshSchema, useTestServer } from './testing/server.ts';

// Races that last microseconds, held open: another process is paused between two statements of its transaction while we
// act.

const server = useTestServer();

interface Held {
  readonly store: PostgresStore;
  /** A statement of the other process, within its transaction. */
  readonly other: (text: string) => Promise<unknown>;
  /**
   * Starts our action, waits until it is blocked by the other process, lets that one continue and commit, and returns
   * the outcome.
   */
  readonly meanwhile: <T>(action: () => Promise<T>, goOn?: string) => Promise<T>;
}

async function holding(): Promise<Held> {
  const schema = freshSchema();
  const { connection, query } = await server();
  const store = await openForTest(await server(), schema);
  const client = new pg.Client({ ...connection(), options: `-c search_path=${schema}` });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('BEGIN');
  // Shorter than deadlock detection, which would hide the problem: it shows if the other process waits for us while we
  // wait for it.
  await client.query(`SET LOCAL lock_timeout = '300ms'`);
  return {
    store,
    other: (text) => client.query(text),
    meanwhile: async (action, goOn) => {
      const outcome = action();
      // The test looks at its rejection, if there is one; until then it must not count as unhandled.
      outcome.catch(() => undefined);
      await vi.waitFor(
        async () => {
          const waiting = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'bough' AND wait_event_type = 'Lock'`;
          expect((await query(waiting)).length).toBe(1);
        },
        { timeout: 20_000 },
      );
      if (goOn !== undefined) await client.query(goOn);
      await client.query('COMMIT');
      return outcome;
    },
  };
}

test('PG-22: a log line that meets the end of its turn is refused, and nothing of it stays', async () => {
  const { store, other, meanwhile } = await holding();
  const { project, branch } = await seedProject(store);
  const { turn } = await beginTurn(store, project, branch, null);
  await other(`UPDATE turns SET status = 'complete', owner = NULL, lease_until = NULL WHERE id = '${turn.id}'`);
  const late = meanwhile(() => store.appendLog(project.id, turn.id, [{ seq: 1, data: 'late' }]));
  await expect(late).rejects.toMatchObject({ code: 'not_owner' });
  expect(await store.readLog(project.id, turn.id, 0, 10)).toStrictEqual([]);
});

test('PG-22: a child that is added while its parent is being deleted goes with it, and is named', async () => {
  const { store, other, meanwhile } = await holding();
  const { project } = await seedProject(store);
  const [root, child] = await seedChain(store, project, null, ['root', 'child']);
  if (!root || !child) throw new Error('the chain has two nodes');
  await other(`INSERT INTO nodes (
      project_id, id, parent_id, role, content_blocks, is_error, interrupted, include_thinking, match_key, created_at
    ) VALUES ('${project.id}', 'late', '${child.id}', 'user', '[]', false, false, false, '', '')`);
  const { removed } = await meanwhile(() => store.deleteNode(project.id, root.id, 'cascade'));
  expect([...removed].sort()).toStrictEqual([root.id, child.id, nodeId('late')].sort());
  expect(await store.children(project.id, null)).toStrictEqual([]);
});

test('PG-22: a turn that begins while its branch is being deleted keeps the branch', async () => {
  const { store, other, meanwhile } = await holding();
  const { project, branch } = await seedProject(store);
  await other(`SELECT FROM branches WHERE id = '${branch.id}' FOR KEY SHARE`);
  await other(`INSERT INTO turns (project_id, id, branch_id, is_thinking_mode, status, created_at, owner, lease_until)
    VALUES ('${project.id}', 'begun', '${branch.id}', false, 'running', '', 'other', 1e15)`);
  const deletion = meanwhile(() => store.deleteBranch(project.id, branch.id));
  await expect(deletion).rejects.toMatchObject({ code: 'turn_running', conflicting: 'begun' });
  expect(await store.listBranches(project.id)).toStrictEqual([branch]);
});

test('PG-22: a turn that begins while another one begins on its branch is told which', async () => {
  const { store, other, meanwhile } = await holding();
  const { project, branch } = await seedProject(store);
  await other(`INSERT INTO turns (project_id, id, branch_id, is_thinking_mode, status, created_at, owner, lease_until)
    VALUES ('${project.id}', 'begun', '${branch.id}', false, 'running', '', 'other', 1e15)`);
  const turn = buildTurn(project, branch);
  const user = buildNode(project, null, 'second', { turnId: turn.id });
  const second = meanwhile(() => store.beginTurn({ turn, owner: 'o', leaseMs: LONG_LEASE, nodes: [user] }));
  await expect(second).rejects.toMatchObject({ code: 'turn_running', conflicting: 'begun' });
  expect(await store.children(project.id, null)).toStrictEqual([]);
});

test('PG-22: a request that is repeated while it is being admitted gives the same turn', async () => {
  const { store, other, meanwhile } = await holding();
  const { project, branch } = await seedProject(store);
  await other(`INSERT INTO turns (
      project_id, id, branch_id, is_thinking_mode, status, created_at, owner, lease_until, client_request_id
    ) VALUES ('${project.id}', 'begun', '${branch.id}', false, 'running', '', 'other', 1e15, 'once')`);
  const turn = buildTurn(project, branch);
  const begin = { turn, owner: 'o', leaseMs: LONG_LEASE, nodes: [], clientRequestId: 'once' };
  const { turn: given, repeated } = await meanwhile(() => store.beginTurn(begin));
  expect([given.id, repeated]).toStrictEqual(['begun', true]);
});

test('PG-22: an append that meets another one on its branch finds the tip moved, and stores nothing', async () => {
  const { store, other, meanwhile } = await holding();
  const { project, branch } = await seedProject(store);
  const [first] = await seedChain(store, project, null, ['first']);
  if (!first) throw new Error('the chain has a node');
  await other(`UPDATE branches SET tip_id = '${first.id}' WHERE id = '${branch.id}'`);
  const node = buildNode(project, null, 'second');
  const append = meanwhile(() =>
    store.appendNodes(project.id, [node], { branchId: branch.id, expected: null, next: node.id }),
  );
  await expect(append).rejects.toMatchObject({ code: 'tip_moved', conflicting: first.id });
  expect(await store.children(project.id, null)).toStrictEqual([first]);
});

test('PG-22: a turn that begins below a node that is being deleted does not hold the branch that the deletion needs', async () => {
  const { store, other, meanwhile } = await holding();
  const { project, branch } = await seedProject(store);
  const [first] = await seedChain(store, project, null, ['first']);
  if (!first) throw new Error('the chain has a node');
  await store.moveTip(project.id, branch.id, { expected: null, next: first.id });
  await other(`SELECT FROM nodes WHERE id = '${first.id}' FOR UPDATE`);
  const turn = buildTurn(project, branch);
  const user = buildNode(project, first, 'second', { turnId: turn.id });
  const tip = { branchId: branch.id, expected: first.id, next: user.id };
  const begin = { turn, owner: 'o', leaseMs: LONG_LEASE, nodes: [user], tip };
  const deletion = `SELECT FROM branches WHERE id = '${branch.id}' FOR UPDATE`;
  expect(await meanwhile(() => store.beginTurn(begin), deletion)).toStrictEqual({ turn, repeated: false });
});

test.each(['begins', 'ends', 'grows without a turn'] as const)(
  'PG-22: a conversation that %s while its project is being deleted holds nothing that the deletion needs',
  async (what) => {
    const { store, other, meanwhile } = await holding();
    const { project, branch } = await seedProject(store);
    const { turn, user } = await beginTurn(store, project, branch, null, 'o');
    const commit = { projectId: project.id, turnId: turn.id, owner: 'o', nodes: [], calls: [], renderings: [] };
    if (what !== 'ends') await store.commitTurn({ ...commit, status: 'complete' });
    const next = buildTurn(project, branch);
    const node = buildNode(project, user, 'second');
    const tip = { branchId: branch.id, expected: user.id, next: node.id };
    const act = {
      begins: () => store.beginTurn({ turn: next, owner: 'o', leaseMs: LONG_LEASE, nodes: [node], tip }),
      ends: () => store.commitTurn({ ...commit, nodes: [node], tip, status: 'complete' }),
      'grows without a turn': () => store.appendNodes(project.id, [node], tip),
    }[what];
    await other(`SELECT FROM projects WHERE id = '${project.id}' FOR UPDATE`);
    const deletion = ['branches', 'nodes', 'turns', 'projects'].map((table) => `DELETE FROM ${table}`).join('; ');
    await expect(meanwhile<unknown>(act, deletion)).rejects.toBeInstanceOf(UnknownIdError);
  },
);

test('PG-30: taking over does not wait for a turn that somebody holds', async () => {
  const { store, other } = await holding();
  const { project, branch } = await seedProject(store);
  const { turn: held } = await beginTurn(store, project, branch, null, 'dead', 0);
  const elsewhere = await seedProject(store);
  const { turn: free } = await beginTurn(store, elsewhere.project, elsewhere.branch, null, 'dead', 0);
  await other(`SELECT FROM turns WHERE id = '${held.id}' FOR NO KEY UPDATE`);
  await sleep(5);
  expect(await store.claimExpiredTurns('heir', LONG_LEASE)).toStrictEqual([free]);
});
