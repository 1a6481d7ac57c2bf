import { expect, test } from 'vitest';
import { beginTurn, seedProject } from '../../contract/build.ts';
import type { LogEntry, Store } from '../../store.ts';
import { openForTest } from '../testing/database.ts';
import { freshSchema, useTestServer } from '../testing/server.ts';
import { statementsOf } from '../testing/statements.ts';

const server = useTestServer();

async function runningTurn(store: Store) {
  const { project, branch } = await seedProject(store);
  const { turn } = await beginTurn(store, project, branch, null);
  return { project, turn };
}

const line = (seq: number): LogEntry => ({ seq, data: `{"seq":${seq}}` });

test('PG-21: the lines of many streams share commits, and each stream keeps its order', async () => {
  const schema = freshSchema();
  const store = await openForTest(await server(), schema);
  const streams = [];
  for (let index = 0; index < 10; index += 1) streams.push(await runningTurn(store));
  const appends = 50;
  await Promise.all(
    streams.map(async ({ project, turn }) => {
      for (let seq = 1; seq <= appends; seq += 1) await store.appendLog(project.id, turn.id, [line(seq)]);
    }),
  );
  const [counted] = await (
    await server()
  ).query(
    `SELECT count(*)::integer AS lines, count(DISTINCT xmin::text)::integer AS commits FROM ${schema}.stream_log`,
  );
  expect(counted?.['lines']).toBe(streams.length * appends);
  // Ten streams that each wait for their line: about ten lines per commit, never one commit per line.
  expect(counted?.['commits']).toBeLessThan((streams.length * appends) / 3);
  for (const { project, turn } of streams) {
    const log = await store.readLog(project.id, turn.id, 0, 1000);
    expect(log.map(({ seq }) => seq)).toStrictEqual(Array.from({ length: appends }, (_, index) => index + 1));
  }
});

test('PG-21: a round is one statement, whatever the number of streams and lines', async () => {
  const store = await openForTest(await server(), freshSchema());
  const streams = [await runningTurn(store), await runningTurn(store), await runningTurn(store)];
  const statements = await statementsOf(() =>
    Promise.all(
      streams.flatMap(({ project, turn }) =>
        [1, 11, 21].map((from) =>
          store.appendLog(
            project.id,
            turn.id,
            Array.from({ length: 10 }, (_, index) => line(from + index)),
          ),
        ),
      ),
    ),
  );
  // The first append found nothing under way and was sent at once; all others were sent together.
  expect(statements.length).toBe(2);
});

test('PG-21: lines are neither lost nor doubled where connections break while they are being written', async () => {
  const { query } = await server();
  const store = await openForTest(await server(), freshSchema());
  const { project, turn } = await runningTurn(store);
  const killing = (async () => {
    for (let round = 0; round < 10; round += 1) {
      await query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'bough'`);
    }
  })();
  for (let seq = 1; seq <= 200; seq += 1) await store.appendLog(project.id, turn.id, [line(seq)]);
  await killing;
  const log = await store.readLog(project.id, turn.id, 0, 1000);
  expect(log).toStrictEqual(Array.from({ length: 200 }, (_, index) => line(index + 1)));
});

test('PG-21: appending to many turns and renewing their leases never wait for each other in a circle', async () => {
  const store = await openForTest(await server(), freshSchema());
  const streams = [];
  for (let index = 0; index < 24; index += 1) streams.push(await runningTurn(store));
  const turns = streams.map(({ turn }) => turn.id);
  const appended = new AbortController();
  const renewing = [1, 2].map(async () => {
    while (!appended.signal.aborted) expect(await store.renewLeases('owner-1', turns, 60_000)).toStrictEqual(turns);
  });
  try {
    for (let seq = 1; seq <= 300; seq += 1) {
      // In one order, then in reverse: the order in which they are given must not matter.
      const given = seq % 2 === 0 ? streams : streams.toReversed();
      await Promise.all(given.map(({ project, turn }) => store.appendLog(project.id, turn.id, [line(seq)])));
    }
  } finally {
    appended.abort();
    await Promise.all(renewing);
  }
});

test('PG-21: closing the store stores what was given', async () => {
  const schema = freshSchema();
  const store = await openForTest(await server(), schema);
  const { project, turn } = await runningTurn(store);
  const given = Array.from({ length: 20 }, (_, index) => store.appendLog(project.id, turn.id, [line(index + 1)]));
  await store.close();
  await Promise.all(given);
  const again = await openForTest(await server(), schema);
  expect((await again.readLog(project.id, turn.id, 0, 100)).length).toBe(20);
});

test('PG-193: the last entries of a log and the end of their turn are one statement, stored whole or not at all', async () => {
  const store = await openForTest(await server(), freshSchema());
  const { project, turn } = await runningTurn(store);
  const commit = { projectId: project.id, turnId: turn.id, nodes: [], calls: [], renderings: [] };
  const stolen = { ...commit, owner: 'somebody', log: [line(1)], status: 'complete' } as const;
  await expect(store.commitTurn(stolen)).rejects.toMatchObject({ code: 'not_owner' });
  expect(await store.readLog(project.id, turn.id, 0, 10)).toStrictEqual([]);
  const own = { ...commit, owner: 'owner-1', log: [line(1), line(2)], status: 'complete' } as const;
  expect(await statementsOf(() => store.commitTurn(own))).toHaveLength(1);
  expect(await store.readLog(project.id, turn.id, 0, 10)).toStrictEqual([line(1), line(2)]);
});
