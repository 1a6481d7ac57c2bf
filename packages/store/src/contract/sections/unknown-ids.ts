import type { Project } from '@bough/core';
import { parseSearch, UnknownIdError } from '@bough/core';
import { expect } from 'vitest';
import type { Store, TurnCommit } from '../../store.ts';
import { buildBranch, buildNode, buildTurn, LONG_LEASE, NOWHERE, seedProject, seedTurn } from '../build.ts';
import type { Rule } from '../harness.ts';
import { snapshotProject } from '../snapshot.ts';

const { project: P, branch: B, turn: T, node: N } = NOWHERE;

type Attempt = (store: Store) => Promise<unknown>;

const emptyCommit = (commit: Pick<TurnCommit, 'projectId' | 'turnId'>): TurnCommit => ({
  ...commit,
  owner: 'owner-1',
  nodes: [],
  calls: [],
  renderings: [],
});

async function drain(records: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of records) count += 1;
  return count;
}

/** Every method, on a project that does not exist. */
function onUnknownProject(real: Project): Record<string, Attempt> {
  const nowhere = { ...real, id: P };
  return {
    getProject: (store) => store.getProject(P),
    updateProject: (store) => store.updateProject(P, { name: 'x' }),
    deleteProject: (store) => store.deleteProject(P),
    createBranch: (store) => store.createBranch(buildBranch(nowhere)),
    listBranches: (store) => store.listBranches(P),
    branchFacts: (store) => store.branchFacts(P),
    getBranch: (store) => store.getBranch(P, 'main'),
    updateBranch: (store) => store.updateBranch(P, B, { pinned: true }),
    deleteBranch: (store) => store.deleteBranch(P, B),
    moveTip: (store) => store.moveTip(P, B, { expected: null, next: null }),
    getNodes: (store) => store.getNodes(P, [N]),
    findTrail: (store) => store.findTrail(['trail'], P),
    path: (store) => store.path(P, N),
    children: (store) => store.children(P, null),
    findChild: (store) => store.findChild(P, null, 'k'),
    appendNodes: (store) => store.appendNodes(P, [buildNode(nowhere, null, 'x')]),
    deleteNode: (store) => store.deleteNode(P, N, 'cascade'),
    setIncludeThinking: (store) => store.setIncludeThinking(P, N, true),
    history: (store) => store.history(P, { tip: N, limit: 1 }),
    graph: (store) => store.graph(P),
    search: (store) => store.search({ query: parseSearch('x'), projects: [P], limit: 1 }),
    readContext: (store) => store.readContext(P, N, 'k'),
    beginTurn: (store) =>
      store.beginTurn({ turn: buildTurn(nowhere, null), owner: 'o', leaseMs: LONG_LEASE, nodes: [] }),
    getTurn: (store) => store.getTurn(P, T),
    turnOfRequest: (store) => store.turnOfRequest(P, 'request'),
    nodesOfTurn: (store) => store.nodesOfTurn(P, T),
    openTurns: (store) => store.openTurns(P),
    commitTurn: (store) => store.commitTurn(emptyCommit({ projectId: P, turnId: T })),
    claimTurn: (store) => store.claimTurn(P, T, 'o', LONG_LEASE),
    releaseTurn: (store) => store.releaseTurn(P, T, 'o', 'awaiting_approval'),
    reopenTurn: (store) => store.reopenTurn(P, T, 'o', LONG_LEASE),
    callsOfTurn: (store) => store.callsOfTurn(P, T),
    getRaw: (store) => store.getRaw(P, N),
    statistics: (store) => store.statistics(P),
    appendLog: (store) => store.appendLog(P, T, [{ seq: 1, data: '' }]),
    dropLog: (store) => store.dropLog(P, T),
    readLog: (store) => store.readLog(P, T, 0, 1),
    exportProject: (store) => drain(store.exportProject(P)),
  };
}

/** Every method that takes another id, in a project that exists. */
function inKnownProject(real: Project): Record<string, Attempt> {
  const { id } = real;
  return {
    'createBranch with an unknown tip': (store) => store.createBranch(buildBranch(real, { tipId: N })),
    getBranch: (store) => store.getBranch(id, 'no such name'),
    updateBranch: (store) => store.updateBranch(id, B, { pinned: true }),
    deleteBranch: (store) => store.deleteBranch(id, B),
    moveTip: (store) => store.moveTip(id, B, { expected: null, next: null }),
    findNode: (store) => store.findNode(N),
    getNodes: (store) => store.getNodes(id, [N]),
    path: (store) => store.path(id, N),
    children: (store) => store.children(id, N),
    findChild: (store) => store.findChild(id, N, 'k'),
    'appendNodes with an unknown branch': (store) => {
      const node = buildNode(real, null, 'x');
      return store.appendNodes(id, [node], { branchId: B, expected: null, next: node.id });
    },
    deleteNode: (store) => store.deleteNode(id, N, 'reparent'),
    setIncludeThinking: (store) => store.setIncludeThinking(id, N, true),
    history: (store) => store.history(id, { tip: N, limit: 1 }),
    readContext: (store) => store.readContext(id, N, 'k'),
    'beginTurn on an unknown branch': (store) =>
      store.beginTurn({ turn: { ...buildTurn(real, null), branchId: B }, owner: 'o', leaseMs: LONG_LEASE, nodes: [] }),
    getTurn: (store) => store.getTurn(id, T),
    nodesOfTurn: (store) => store.nodesOfTurn(id, T),
    commitTurn: (store) => store.commitTurn(emptyCommit({ projectId: id, turnId: T })),
    claimTurn: (store) => store.claimTurn(id, T, 'o', LONG_LEASE),
    releaseTurn: (store) => store.releaseTurn(id, T, 'o', 'awaiting_approval'),
    reopenTurn: (store) => store.reopenTurn(id, T, 'o', LONG_LEASE),
    callsOfTurn: (store) => store.callsOfTurn(id, T),
    getRaw: (store) => store.getRaw(id, N),
    appendLog: (store) => store.appendLog(id, T, [{ seq: 1, data: '' }]),
    dropLog: (store) => store.dropLog(id, T),
    readLog: (store) => store.readLog(id, T, 0, 1),
  };
}

async function outcome(attempt: Attempt, store: Store): Promise<string> {
  try {
    await attempt(store);
    return 'resolved';
  } catch (error) {
    return error instanceof UnknownIdError ? 'unknown id' : `another error: ${String(error)}`;
  }
}

async function outcomes(attempts: Record<string, Attempt>, store: Store): Promise<Record<string, string>> {
  const result: Record<string, string> = {};
  for (const [name, attempt] of Object.entries(attempts)) result[name] = await outcome(attempt, store);
  return result;
}

const allUnknown = (attempts: Record<string, Attempt>): Record<string, string> =>
  Object.fromEntries(Object.keys(attempts).map((name) => [name, 'unknown id']));

export function unknownIds(rule: Rule): void {
  rule('ST-6', 'a project that does not exist is an error of its own in every method', async ({ store }) => {
    const { project } = await seedProject(store);
    const attempts = onUnknownProject(project);
    expect(await outcomes(attempts, store)).toStrictEqual(allUnknown(attempts));
  });

  rule('ST-6', 'so is any other id that names nothing, and nothing changes', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const { user, reply } = await seedTurn(store, project, branch, null);
    const before = await snapshotProject(store, project.id);
    const attempts: Record<string, Attempt> = {
      ...inKnownProject(project),
      'moveTip to an unknown node': (opened) => opened.moveTip(project.id, branch.id, { expected: reply.id, next: N }),
      'getNodes with one unknown id': (opened) => opened.getNodes(project.id, [user.id, N]),
      'history before an unknown node': (opened) => opened.history(project.id, { tip: reply.id, before: N, limit: 1 }),
      'history after an unknown node': (opened) => opened.history(project.id, { tip: reply.id, after: N, limit: 1 }),
      'history around an unknown node': (opened) => opened.history(project.id, { tip: reply.id, around: N, limit: 1 }),
      'history around a node that is not on the path': (opened) =>
        opened.history(project.id, { tip: user.id, around: reply.id, limit: 1 }),
    };
    expect(await outcomes(attempts, store)).toStrictEqual(allUnknown(attempts));
    expect(await snapshotProject(store, project.id)).toStrictEqual(before);
  });

  rule('ST-6', 'an id of another project names nothing here', async ({ store }) => {
    const { project } = await seedProject(store);
    const other = await seedProject(store);
    const theirs = await seedTurn(store, other.project, other.branch, null);
    const attempts: Record<string, Attempt> = {
      getBranch: (opened) => opened.getBranch(project.id, other.branch.id),
      updateBranch: (opened) => opened.updateBranch(project.id, other.branch.id, { pinned: true }),
      deleteBranch: (opened) => opened.deleteBranch(project.id, other.branch.id),
      getNodes: (opened) => opened.getNodes(project.id, [theirs.user.id]),
      path: (opened) => opened.path(project.id, theirs.reply.id),
      children: (opened) => opened.children(project.id, theirs.user.id),
      deleteNode: (opened) => opened.deleteNode(project.id, theirs.reply.id, 'cascade'),
      'appendNodes below it': (opened) =>
        opened.appendNodes(project.id, [buildNode(project, theirs.reply, 'intruder')]),
      getTurn: (opened) => opened.getTurn(project.id, theirs.turn.id),
      reopenTurn: (opened) => opened.reopenTurn(project.id, theirs.turn.id, 'o', LONG_LEASE),
      getRaw: (opened) => opened.getRaw(project.id, theirs.reply.id),
      history: (opened) => opened.history(project.id, { tip: theirs.reply.id, limit: 1 }),
    };
    expect(await outcomes(attempts, store)).toStrictEqual(allUnknown(attempts));
    expect(await store.path(other.project.id, theirs.reply.id)).toStrictEqual([theirs.user, theirs.reply]);
  });
}
