import type { NodeId, ProjectId, TreeNode, Turn } from '@bough/core';
import { branchId, nodeId, projectId, turnId, parseSearch } from '@bough/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildNode, buildProject, buildTurn, seedChain, seedProject } from '../contract/build.ts';
import type { PostgresStore } from './index.ts';
import { openPostgresStore } from './index.ts';
import { fillProject, trunkEnd } from './testing/large-project.ts';
import type { TestServer } from './testing/server.ts';
import { freshSchema, startTestServer } from './testing/server.ts';
import type { Plan, Statement } from './testing/statements.ts';
import { explain, explainKept, statementsOf } from './testing/statements.ts';

// Of the same shape: the same number of side replies at each node of the trunk. Even the small one spans more pages
// than a page of history reads.
const SMALL = 10_000;
const LARGE = 100_000;
const TINY = 2_000;
const large = projectId('large');
const small = projectId('small');
const tiny = projectId('tiny');
const END = nodeId(`n${trunkEnd(LARGE)}`);

const schema = freshSchema();
let server: TestServer;
let store: PostgresStore;

beforeAll(async () => {
  server = await startTestServer();
  store = await openPostgresStore(server.options(schema));
  await fillProject(server, schema, tiny, TINY);
  await fillProject(server, schema, small, SMALL);
  await fillProject(server, schema, large, LARGE);
  await server.query(`UPDATE ${schema}.nodes SET trail = 'trail of ' || id WHERE id IN ('n10', 'n77770')`);
});

afterAll(async () => {
  await store.close();
  await server.dispose();
});

/** The plans of everything that `work` sends, in order. */
async function plansOf(work: () => Promise<unknown>): Promise<readonly Plan[]> {
  return explain(server.connection(), schema, await statementsOf(work));
}

interface HotRead {
  readonly does: () => Promise<unknown>;
  readonly by: readonly string[];
}

const HOT: Readonly<Record<string, HotRead>> = {
  path: { does: () => store.path(large, END), by: ['nodes_pkey'] },
  'the first page of a history': {
    does: () => store.history(large, { tip: END, limit: 20 }),
    by: ['nodes_pkey', 'turns_pkey', 'calls_of_turn', 'nodes_children'],
  },
  'a page far back': {
    does: () => store.history(large, { tip: END, before: nodeId('n41'), limit: 10 }),
    by: ['nodes_pkey', 'turns_pkey', 'calls_of_turn', 'nodes_children'],
  },
  'reading a context': {
    does: () => store.readContext(large, END, 'wire:1'),
    by: ['nodes_pkey', 'calls_of_node', 'raws_pkey', 'renderings_pkey'],
  },
  'reading a context behind cached turns': {
    does: () => store.readContext(large, END, 'wire:1', 'slot'),
    by: ['nodes_pkey', 'calls_of_node', 'raws_pkey', 'renderings_pkey', 'cached_turns_pkey'],
  },
  children: { does: () => store.children(large, nodeId('n7')), by: ['nodes_children'] },
  roots: { does: () => store.children(large, null), by: ['nodes_children'] },
  'finding a child': { does: () => store.findChild(large, nodeId('n1'), 'key2'), by: ['nodes_children'] },
  'finding a node by its id alone': { does: () => store.findNode(nodeId('n77777')), by: ['nodes_pkey'] },
  'finding a trail': {
    does: () => store.findTrail(['nobody', 'trail of n77770', 'trail of n10']),
    by: ['nodes_trail'],
  },
  'finding a trail in a project': { does: () => store.findTrail(['trail of n77770'], large), by: ['nodes_trail'] },
  'several nodes': { does: () => store.getNodes(large, [END, nodeId('n5')]), by: ['nodes_pkey'] },
  'a branch by its id': { does: () => store.getBranch(large, 'b77'), by: ['branches_pkey'] },
  'a branch by its name': { does: () => store.getBranch(large, 'branch 77'), by: ['branches_name'] },
  'a raw': { does: () => store.getRaw(large, nodeId('n10')), by: ['calls_of_node', 'raws_pkey'] },
  'the calls of a turn': { does: () => store.callsOfTurn(large, turnId('t50')), by: ['calls_of_turn'] },
  'the nodes of a turn': { does: () => store.nodesOfTurn(large, turnId('t50')), by: ['nodes_of_turn'] },
  'open turns': { does: () => store.openTurns(large), by: ['turns_one_open_per_branch'] },
  'expired turns': { does: () => store.claimExpiredTurns('heir', 1000), by: ['turns_one_open_per_branch'] },
  'keeping turns alive': {
    does: () => store.renewLeases('somebody', [turnId('running7')], 1e6),
    by: ['turns_pkey or turns_one_open_per_branch'],
  },
  'all projects': { does: () => store.listProjects(), by: ['projects_position'] },
  'all branches': { does: () => store.listBranches(large), by: ['branches_position'] },
  'all that was deleted': { does: () => store.listTrash({}), by: ['trash_position'] },
  'all that was deleted from a project': {
    does: () => store.listTrash({ projectId: large }),
    by: ['trash_of_project'],
  },
  'the log of a turn': { does: () => store.readLog(large, turnId('running7'), 10, 10), by: ['stream_log_pkey'] },
};

/** What each hot read does wrong, by name; empty when all is well. */
async function misconduct(): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const [name, { does, by }] of Object.entries(HOT)) {
    const plans = await plansOf(does);
    const scanned = plans.flatMap((plan) => plan.scanned);
    const unused = notUsed(plans, by);
    if (scanned.length + unused.length > 0) found[name] = { scanned, unused };
  }
  return found;
}

function notUsed(plans: readonly Plan[], by: readonly string[]): readonly string[] {
  const used = plans.flatMap(({ indexes }) => indexes);
  return by.filter((index) => !index.split(' or ').some((name) => used.includes(name)));
}

test('PG-19: hot reads are answered by their indexes, also where the tables have no statistics yet', async () => {
  expect(await misconduct()).toStrictEqual({});
});

test('PG-19: hot reads are answered by their indexes when the statistics are there', async () => {
  await server.query('VACUUM ANALYZE');
  expect(await misconduct()).toStrictEqual({});
});

test('PG-19: a project that came in after the statistics were taken is read by keys, not through', async () => {
  const late = projectId('late');
  const size = 20_000;
  await fillProject(server, schema, late, size);
  const tip = nodeId(`n${trunkEnd(size)}`);
  const pages = (plans: readonly Plan[]): number => plans.reduce((sum, plan) => sum + plan.pages, 0);
  // Every id exists in four projects: looking one up reads four rows, and the index pages above them.
  expect(pages(await plansOf(() => store.path(late, tip)))).toBeLessThan(trunkEnd(size) * 20);
  expect(pages(await plansOf(() => store.getNodes(late, [tip])))).toBeLessThan(20);
  expect(pages(await plansOf(() => store.callsOfTurn(late, turnId('t50'))))).toBeLessThan(20);
});

// Which way is best depends on how rare the text is and how much of the table belongs to the project: this needs
// statistics.
test('PG-19: a word is found among the newest messages or by its lexeme, thinking is counted in its index', async () => {
  const searching = await plansOf(() => store.search({ query: parseSearch('WORD77777 '), limit: 10 }));
  expect(searching.flatMap(({ scanned }) => scanned)).toStrictEqual([]);
  expect(notUsed(searching, ['nodes_newest', 'nodes_lexemes', 'projects_lexemes', 'branches_lexemes'])).toStrictEqual(
    [],
  );
  expect(notUsed(await plansOf(() => store.statistics(large)), ['nodes_thinking'])).toStrictEqual([]);
});

test.for<[name: string, read: (store: PostgresStore, project: ProjectId, tip: NodeId) => Promise<unknown>]>([
  ['path', (from, project, tip) => from.path(project, tip)],
  ['history', (from, project, tip) => from.history(project, { tip, limit: 20 })],
  ['context', (from, project, tip) => from.readContext(project, tip, 'wire:1')],
])('PG-19: a plan that was made for empty tables is not kept when a large project comes in (%s)', async ([, read]) => {
  const tip = nodeId(`n${trunkEnd(TINY)}`);
  const young = freshSchema();
  const other = await openPostgresStore(server.options(young));
  try {
    const { project } = await seedProject(other);
    const [alone] = await seedChain(other, project, null, ['alone']);
    const onlyOne = (statements: readonly Statement[]): Statement => {
      const [statement] = statements;
      if (statement === undefined) throw new Error('a read is a statement');
      return statement;
    };
    const kept = await explainKept(server.connection(), young, {
      young: onlyOne(await statementsOf(() => read(other, project.id, alone?.id ?? tip))),
      grow: () => other.importProject(store.exportProject(tiny)),
      grown: onlyOne(await statementsOf(() => read(store, tiny, tip))),
    });
    const [fresh] = await plansOf(() => read(store, tiny, tip));
    expect(fresh?.pages).toBeGreaterThan(0);
    expect(kept.scanned).toStrictEqual([]);
    expect(kept.pages).toBeLessThan((fresh?.pages ?? 0) * 2);
  } finally {
    await other.close();
  }
});

test('PG-19: path, history page and context are one statement each', async () => {
  for (const name of [
    'path',
    'the first page of a history',
    'a page far back',
    'reading a context',
    'reading a context behind cached turns',
  ]) {
    expect((await statementsOf(HOT[name]?.does ?? (() => Promise.resolve()))).length).toBe(1);
  }
});

test('PG-18: history, path, graph and search do not touch the table of raws', async () => {
  const statements = await statementsOf(async () => {
    await store.history(large, { tip: END, limit: 20 });
    await store.path(large, END);
    await store.graph(small);
    await store.search({ query: parseSearch('word5 '), projects: [large], limit: 5 });
    await store.callsOfTurn(large, turnId('t50'));
  });
  expect(statements.length).toBeGreaterThanOrEqual(5);
  for (const { text } of statements) expect(text).not.toMatch(/\braws\b/);
});

test('PG-20: a page of history costs as much in a large project as in a small one, wherever it lies', async () => {
  const cost = async (project: ProjectId, tip: NodeId, before?: NodeId): Promise<number> => {
    const query = { tip, limit: 2, ...(before !== undefined && { before }) };
    const [plan] = await plansOf(() => store.history(project, query));
    return plan?.pages ?? 0;
  };
  const inSmall = await cost(small, nodeId(`n${trunkEnd(SMALL)}`));
  expect(inSmall).toBeGreaterThan(0);
  // In disk pages. The index trees are a level or two higher; nothing else may grow.
  expect(await cost(large, END)).toBeLessThan(inSmall * 2);
  expect(await cost(large, END, nodeId('n41'))).toBeLessThan(inSmall * 2);
});

test('PG-19: beginning, writing and ending a turn read no table through', async () => {
  const project = buildProject({ id: large });
  const turn: Turn = buildTurn(project, null, { branchId: branchId('b1500') });
  const user: TreeNode = buildNode(project, { id: END }, 'new', { turnId: turn.id });
  const statements = await statementsOf(async () => {
    await store.beginTurn({ turn, owner: 'o', leaseMs: 1e6, nodes: [user], clientRequestId: 'once' });
    await store.appendLog(large, turn.id, [{ seq: 1, data: '{}' }]);
    await store.commitTurn({
      projectId: large,
      turnId: turn.id,
      owner: 'o',
      nodes: [],
      calls: [],
      renderings: [{ nodeId: user.id, key: 'wire', bytes: '{}' }],
      status: 'complete',
    });
    await store.dropLog(large, turn.id);
  });
  // What was inserted cannot be inserted again, and inserts look up nothing but keys.
  const again = statements.filter(({ text }) => !/^\s*INSERT/i.test(text));
  const plans = await explain(server.connection(), schema, again);
  expect(plans.flatMap(({ scanned }) => scanned)).toStrictEqual([]);
  const indexes = ['turns_client_request', 'turns_one_open_per_branch', 'branches_pkey', 'turns_pkey'];
  expect(notUsed(plans, indexes)).toStrictEqual([]);
});
