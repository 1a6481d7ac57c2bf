import { setTimeout as sleep } from 'node:timers/promises';
import type { Branch, Exchange, Project, Recorded, TreeNode, Turn } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import { expect } from 'vitest';
import { ConflictError } from '../../errors.ts';
import type { Store } from '../../store.ts';
import {
  beginTurn,
  buildBranch,
  buildCall,
  buildNode,
  buildProject,
  buildRaw,
  buildReply,
  buildTurn,
  freshId,
  idsOf,
  LONG_LEASE,
  NOWHERE,
  seedProject,
  seedTurn,
} from '../build.ts';
import type { Rule } from '../harness.ts';
import { snapshotProject } from '../snapshot.ts';
import { AWKWARD_STRINGS } from './values.ts';

const exchangeOf = (node: Pick<TreeNode, 'id'>, given: Partial<Exchange> = {}): Exchange => ({
  client: 'claude-code/2.1.325',
  session: 'a session',
  mode: 'record',
  protocol: 'anthropic-messages',
  path: '/v1/messages?beta=true',
  came: [{ node: node.id, key: 'gateway/0123' }],
  ...given,
});

const RECORDED: Recorded = {
  client: 'codex',
  session: null,
  kind: 'aside',
  beside: NOWHERE.node,
  because: 'compacted',
};

/** A turn as the gateway records one: messages with trails, and a call with the pieces of its request. */
async function recordTurn(store: Store, project: Project, branch: Branch, parent: TreeNode | null = null) {
  const turn = buildTurn(project, branch);
  const [asked, answered] = [freshId('trail'), freshId('trail')];
  const of = { turnId: turn.id, createdOnBranch: branch.id };
  const user = buildNode(project, parent, 'asked', { ...of, trail: asked });
  const tip = { branchId: branch.id, expected: parent?.id ?? null, next: user.id };
  await store.beginTurn({ turn, owner: 'owner-1', leaseMs: LONG_LEASE, nodes: [user], tip });
  const reply = buildReply(project, user, 'answered', { ...of, trail: answered });
  const earlier = buildCall(turn, null, { status: 'error', exchange: exchangeOf(user) });
  const call = buildCall(turn, reply, {
    exchange: exchangeOf(user, {
      mode: 'repair',
      came: [
        { call: earlier.id, of: 'came', from: 0, to: 1 },
        { node: reply.id, key: 'gateway/4567' },
      ],
      sent: [{ call: earlier.id, of: 'sent', from: 0, to: 2 }],
      repairs: [{ rule: 'AN-7', at: 'messages.3', what: 'Put the result of a tool back next to its call.' }],
    }),
  });
  await store.commitTurn({
    projectId: project.id,
    turnId: turn.id,
    owner: 'owner-1',
    nodes: [reply],
    calls: [
      { call: earlier, raw: null },
      { call, raw: buildRaw('{}') },
    ],
    renderings: [{ nodeId: user.id, key: 'gateway/0123', bytes: '{"role":"user"}' }],
    tip: { branchId: branch.id, expected: user.id, next: reply.id },
    status: 'complete',
  });
  const ended: Turn = { ...turn, status: 'complete' };
  return { turn: ended, user, reply, asked, answered, calls: [earlier, call] };
}

/** Goes on with a reopened turn: the result of a tool, the next reply, and its end. */
async function goOn(store: Store, project: Project, branch: Branch, turn: Turn, after: TreeNode, owner: string) {
  const of = { turnId: turn.id, createdOnBranch: branch.id };
  const result = buildNode(project, after, 'result', {
    ...of,
    role: 'tool',
    toolCallId: 'call_1',
    trail: freshId('t'),
  });
  const reply = buildReply(project, result, 'and on', { ...of, trail: freshId('trail') });
  const call = buildCall(turn, reply, { exchange: exchangeOf(result) });
  await store.commitTurn({
    projectId: project.id,
    turnId: turn.id,
    owner,
    nodes: [result, reply],
    calls: [{ call, raw: null }],
    renderings: [],
    tip: { branchId: branch.id, expected: after.id, next: reply.id },
    status: 'complete',
  });
  return { result, reply, call };
}

export function gateway(rule: Rule): void {
  rule('ST-140', 'trails, exchanges and the origin of a branch are read as they were written', async (given) => {
    const { project } = await seedProject(given.store);
    const branch = buildBranch(project, { recorded: RECORDED });
    await given.store.createBranch(branch);
    const { turn, user, reply, calls } = await recordTurn(given.store, project, branch);
    const store = await given.reopen();
    const now = { ...branch, tipId: reply.id };
    expect(await store.path(project.id, reply.id)).toStrictEqual([user, reply]);
    expect(await store.findNode(reply.id)).toStrictEqual(reply);
    expect(await store.nodesOfTurn(project.id, turn.id)).toStrictEqual([user, reply]);
    expect((await store.readContext(project.id, reply.id, 'gateway/')).nodes).toStrictEqual([user, reply]);
    expect(await store.callsOfTurn(project.id, turn.id)).toStrictEqual(calls);
    expect(await store.getBranch(project.id, branch.id)).toStrictEqual(now);
    expect((await store.graph(project.id)).branches).toContainEqual(now);
    expect(await store.updateBranch(project.id, branch.id, { pinned: true })).toStrictEqual({ ...now, pinned: true });
  });

  rule('ST-140', 'a branch of the gateway begins with its first turn', async ({ store, reopen }) => {
    const { project } = await seedProject(store);
    const branch = buildBranch(project, { recorded: { ...RECORDED, kind: 'main', beside: null, because: null } });
    const turn = buildTurn(project, branch);
    const user = buildNode(project, null, 'asked', { turnId: turn.id, trail: freshId('trail') });
    const tip = { branchId: branch.id, expected: null, next: user.id };
    const begin = { turn, owner: 'owner-1', leaseMs: LONG_LEASE, nodes: [user], tip, newBranch: branch };
    await store.beginTurn(begin);
    const reopened = await reopen();
    expect(await reopened.getBranch(project.id, branch.id)).toStrictEqual({ ...branch, tipId: user.id });
    expect(await reopened.findTrail([String(user.trail)])).toStrictEqual(user);
  });

  rule('ST-140', 'their strings are exact', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const { turn, user } = await beginTurn(store, project, branch, null);
    const nodes = AWKWARD_STRINGS.map((text) => buildNode(project, user, text, { trail: `${text}${freshId('t')}` }));
    const branches = AWKWARD_STRINGS.map((text) =>
      buildBranch(project, { recorded: { ...RECORDED, client: text, session: text } }),
    );
    const calls = nodes.map((node, at) => {
      const text = String(AWKWARD_STRINGS[at]);
      const repairs = [{ rule: text, at: text, what: text }];
      return buildCall(turn, null, {
        exchange: exchangeOf(node, { client: text, session: text, path: text, repairs }),
      });
    });
    for (const one of branches) await store.createBranch(one);
    const commit = { projectId: project.id, turnId: turn.id, owner: 'owner-1', renderings: [], nodes };
    await store.commitTurn({ ...commit, calls: calls.map((call) => ({ call, raw: null })) });
    const reopened = await reopen();
    expect((await reopened.listBranches(project.id)).slice(1)).toStrictEqual(branches);
    expect(await reopened.callsOfTurn(project.id, turn.id)).toStrictEqual(calls);
    for (const node of nodes) expect(await reopened.findTrail([String(node.trail)])).toStrictEqual(node);
  });

  rule('ST-141', 'the first trail that a node has leads to it', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const { user, reply, asked, answered } = await recordTurn(store, project, branch);
    const nobodys = Array.from({ length: 1500 }, () => freshId('trail'));
    for (const open of [async () => store, reopen]) {
      const opened = await open();
      expect(await opened.findTrail([...nobodys, answered, asked])).toStrictEqual(reply);
      expect(await opened.findTrail([asked, ...nobodys, answered], project.id)).toStrictEqual(user);
      expect(await opened.findTrail(nobodys)).toBeNull();
      expect(await opened.findTrail([])).toBeNull();
      expect(await opened.findTrail([], project.id)).toBeNull();
    }
  });

  rule('ST-141', 'of several nodes with a trail the newest is found, also in one project alone', async (given) => {
    const trail = freshId('trail');
    const first = await seedProject(given.store);
    const second = await seedProject(given.store);
    const nodes = [1, 2, 3].map((at) => buildNode(first.project, null, `${at}`, { trail }));
    await given.store.appendNodes(first.project.id, nodes);
    const elsewhere = buildNode(second.project, null, 'elsewhere', { trail });
    await given.store.appendNodes(second.project.id, [elsewhere]);
    const third = await seedProject(given.store);
    for (const open of [async () => given.store, given.reopen]) {
      const store = await open();
      expect(await store.findTrail([trail])).toStrictEqual(elsewhere);
      expect(await store.findTrail([trail], first.project.id)).toStrictEqual(nodes[2]);
      expect(await store.findTrail([trail], second.project.id)).toStrictEqual(elsewhere);
      expect(await store.findTrail([trail], third.project.id)).toBeNull();
    }
  });

  rule('ST-142', 'what was deleted is not found by its trail; what was restored is', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const { reply, user, asked, answered } = await recordTurn(store, project, branch);
    const [node, whole] = [freshId('trash'), freshId('trash')];
    const deletedAt = '2026-03-01T12:00:00.000Z';
    await store.deleteNode(project.id, reply.id, 'cascade', { id: node, deletedAt });
    expect(await store.findTrail([answered, asked])).toStrictEqual(user);
    await store.deleteProject(project.id, { id: whole, deletedAt });
    expect(await store.findTrail([answered, asked])).toBeNull();
    const reopened = await reopen();
    expect(await reopened.findTrail([answered, asked])).toBeNull();
    await reopened.restoreTrash(whole);
    expect(await reopened.findTrail([answered, asked])).toStrictEqual(user);
    await reopened.restoreTrash(node);
    expect(await reopened.findTrail([answered, asked])).toStrictEqual(reply);
    expect(await (await reopen()).findTrail([answered, asked])).toStrictEqual(reply);
  });

  rule('ST-142', 'what was deleted for good is found by nothing', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const { reply, turn, asked, answered } = await recordTurn(store, project, branch);
    const moved = buildNode(project, reply, 'below', { trail: freshId('trail') });
    await store.appendNodes(project.id, [moved]);
    await store.deleteTurn(project.id, turn.id, 'reparent');
    expect(await store.findTrail([asked, answered])).toBeNull();
    expect((await store.findTrail([String(moved.trail)]))?.id).toBe(moved.id);
    const reopened = await reopen();
    expect(await reopened.findTrail([asked, answered])).toBeNull();
    expect((await reopened.findTrail([String(moved.trail)]))?.id).toBe(moved.id);
    await reopened.deleteProject(project.id);
    expect(await reopened.findTrail([String(moved.trail)])).toBeNull();
  });

  rule('ST-143', 'a page of history lists calls without their exchanges', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const { reply, turn, calls } = await recordTurn(store, project, branch);
    const page = await store.history(project.id, { tip: reply.id, limit: 1 });
    expect(idsOf(page.calls)).toStrictEqual(idsOf(calls));
    for (const [at, call] of page.calls.entries()) {
      expect(call).not.toHaveProperty('exchange');
      expect({ ...call, exchange: calls[at]?.exchange }).toStrictEqual(calls[at]);
    }
    expect(await store.callsOfTurn(project.id, turn.id)).toStrictEqual(calls);
  });

  rule('ST-144', 'a turn that ended runs again with its nodes and calls, and with a new log', async (given) => {
    const { project, branch } = await seedProject(given.store);
    const { turn, user, reply, calls } = await recordTurn(given.store, project, branch);
    const line = (seq: number, data: string) => ({ seq, data });
    let store = given.store;
    let tip = reply;
    const stored = { nodes: [user, reply], calls: [...calls] };
    for (const owner of ['owner-2', 'owner-3']) {
      const running = { ...turn, status: 'running' };
      expect(await store.reopenTurn(project.id, turn.id, owner, LONG_LEASE)).toStrictEqual(running);
      expect(await store.readLog(project.id, turn.id, 0, 10)).toStrictEqual([]);
      await store.appendLog(project.id, turn.id, [line(1, `${owner} begins`), line(2, 'and goes on')]);
      store = await given.reopen();
      expect(await store.getTurn(project.id, turn.id)).toStrictEqual(running);
      expect(await store.openTurns(project.id)).toStrictEqual([running]);
      expect(await store.nodesOfTurn(project.id, turn.id)).toStrictEqual(stored.nodes);
      expect(await store.callsOfTurn(project.id, turn.id)).toStrictEqual(stored.calls);
      expect(await store.readLog(project.id, turn.id, 0, 10)).toStrictEqual([
        line(1, `${owner} begins`),
        line(2, 'and goes on'),
      ]);
      await store.appendLog(project.id, turn.id, [line(3, 'to the end')]);
      const more = await goOn(store, project, branch, turn, tip, owner);
      stored.nodes.push(more.result, more.reply);
      stored.calls.push(more.call);
      tip = more.reply;
      store = await given.reopen();
      expect(await store.getTurn(project.id, turn.id)).toStrictEqual(turn);
      expect(await store.openTurns(project.id)).toStrictEqual([]);
      expect(await store.nodesOfTurn(project.id, turn.id)).toStrictEqual(stored.nodes);
      expect(await store.callsOfTurn(project.id, turn.id)).toStrictEqual(stored.calls);
      expect((await store.readLog(project.id, turn.id, 2, 10)).map(({ data }) => data)).toStrictEqual(['to the end']);
    }
    await store.dropLog(project.id, turn.id);
    expect(await store.readLog(project.id, turn.id, 0, 10)).toStrictEqual([]);
    const page = await store.history(project.id, { tip: tip.id, limit: 5 });
    expect(idsOf(page.nodes)).toStrictEqual(idsOf(stored.nodes));
    expect(page.turns).toStrictEqual([turn]);
    expect((await snapshotProject(store, project.id)).records.filter(({ type }) => type === 'turn')).toHaveLength(1);
  });

  rule('ST-144', 'the log of a turn that is reopened is gone even if nobody dropped it', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const { turn, user } = await beginTurn(store, project, branch, null);
    const old = [1, 2, 3].map((seq) => ({ seq, data: `old ${seq}` }));
    await store.appendLog(project.id, turn.id, old);
    const commit = { projectId: project.id, turnId: turn.id, owner: 'owner-1', nodes: [], calls: [], renderings: [] };
    await store.commitTurn({ ...commit, status: 'error' });
    expect(await store.readLog(project.id, turn.id, 0, 10)).toStrictEqual(old);
    await store.reopenTurn(project.id, turn.id, 'owner-2', LONG_LEASE);
    expect(await store.readLog(project.id, turn.id, 0, 10)).toStrictEqual([]);
    const reopened = await reopen();
    expect(await reopened.readLog(project.id, turn.id, 0, 10)).toStrictEqual([]);
    await expect(reopened.dropLog(project.id, turn.id)).rejects.toMatchObject({ code: 'turn_running' });
    await reopened.appendLog(project.id, turn.id, [{ seq: 1, data: 'new' }]);
    await expect(reopened.commitTurn({ ...commit, status: 'complete' })).rejects.toMatchObject({ code: 'not_owner' });
    await expect(reopened.deleteNode(project.id, user.id, 'cascade')).rejects.toMatchObject({ code: 'turn_running' });
    expect(await (await reopen()).readLog(project.id, turn.id, 0, 10)).toStrictEqual([{ seq: 1, data: 'new' }]);
  });

  rule('ST-144', 'its request is still known, and its lease can be renewed', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const turn = buildTurn(project, branch);
    const clientRequestId = freshId('request');
    const begin = { turn, owner: 'owner-1', leaseMs: LONG_LEASE, clientRequestId, nodes: [] };
    await store.beginTurn(begin);
    const commit = { projectId: project.id, turnId: turn.id, owner: 'owner-1', nodes: [], calls: [], renderings: [] };
    await store.commitTurn({ ...commit, status: 'interrupted' });
    const owner = freshId('owner');
    await store.reopenTurn(project.id, turn.id, owner, LONG_LEASE);
    expect(await store.turnOfRequest(project.id, clientRequestId)).toStrictEqual(turn);
    expect(await store.beginTurn(begin)).toStrictEqual({ turn, repeated: true });
    expect(await store.renewLeases(owner, [turn.id], LONG_LEASE)).toStrictEqual([turn.id]);
    await store.releaseTurn(project.id, turn.id, owner, 'awaiting_approval');
    expect(await store.claimTurn(project.id, turn.id, 'owner-2', LONG_LEASE)).toStrictEqual(turn);
  });

  rule('ST-145', 'a turn that runs or waits, or whose branch another one holds, is not reopened', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const { turn, reply } = await recordTurn(store, project, branch);
    const reopening = (): Promise<Turn> => store.reopenTurn(project.id, turn.id, 'owner-2', LONG_LEASE);
    const other = await beginTurn(store, project, branch, reply.id);
    const before = await snapshotProject(store, project.id);
    const held = { code: 'turn_running', conflicting: other.turn.id };
    await expect(reopening()).rejects.toMatchObject(held);
    await store.releaseTurn(project.id, other.turn.id, 'owner-1', 'awaiting_approval');
    await expect(reopening()).rejects.toMatchObject(held);
    await expect(store.reopenTurn(project.id, other.turn.id, 'owner-2', LONG_LEASE)).rejects.toMatchObject(held);
    await store.claimTurn(project.id, other.turn.id, 'owner-1', LONG_LEASE);
    await expect(store.reopenTurn(project.id, other.turn.id, 'owner-2', LONG_LEASE)).rejects.toMatchObject(held);
    expect(await snapshotProject(store, project.id)).toStrictEqual(before);
    const commit = { projectId: project.id, turnId: other.turn.id, owner: 'owner-1' };
    await store.commitTurn({ ...commit, nodes: [], calls: [], renderings: [], status: 'complete' });
    expect(await reopening()).toStrictEqual({ ...turn, status: 'running' });
    await expect(beginTurn(store, project, branch, other.user.id)).rejects.toMatchObject({ conflicting: turn.id });
    await expect(store.deleteBranch(project.id, branch.id)).rejects.toMatchObject({ code: 'turn_running' });
    await expect(store.deleteTurn(project.id, turn.id, 'cascade')).rejects.toMatchObject({ code: 'turn_running' });
  });

  rule('ST-145', 'a turn whose branch was deleted is not reopened', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const { turn } = await recordTurn(store, project, branch);
    await store.deleteBranch(project.id, branch.id);
    const before = await snapshotProject(store, project.id);
    const failed = await store.reopenTurn(project.id, turn.id, 'owner-2', LONG_LEASE).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(UnknownIdError);
    expect(failed).toMatchObject({ message: expect.stringContaining(branch.id) as string });
    expect(await snapshotProject(store, project.id)).toStrictEqual(before);
  });

  rule('ST-145', 'a turn without a branch is reopened as well', async ({ store, reopen }) => {
    const { project } = await seedProject(store);
    const turn = buildTurn(project, null);
    await store.beginTurn({ turn, owner: 'owner-1', leaseMs: LONG_LEASE, nodes: [] });
    const commit = { projectId: project.id, turnId: turn.id, owner: 'owner-1', nodes: [], renderings: [] };
    await store.commitTurn({ ...commit, calls: [{ call: buildCall(turn, null), raw: null }], status: 'complete' });
    await store.reopenTurn(project.id, turn.id, 'owner-2', LONG_LEASE);
    expect(await (await reopen()).openTurns(project.id)).toStrictEqual([turn]);
  });

  rule('ST-146', 'of a turn that is reopened and turns that begin on its branch one runs', async ({ store }) => {
    for (let round = 0; round < 6; round += 1) {
      const { project, branch } = await seedProject(store);
      const { turn, reply } = await recordTurn(store, project, branch);
      const results = await Promise.allSettled(
        Array.from({ length: 6 }, async (_, index) => {
          if (index % 2 === round % 2) return store.reopenTurn(project.id, turn.id, `owner-${index}`, LONG_LEASE);
          const next = buildTurn(project, branch);
          const user = buildNode(project, reply, `runner ${index}`, { turnId: next.id });
          return (await store.beginTurn({ turn: next, owner: `owner-${index}`, leaseMs: LONG_LEASE, nodes: [user] }))
            .turn;
        }),
      );
      const won = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      expect(won).toHaveLength(1);
      for (const result of results) {
        if (result.status === 'fulfilled') continue;
        expect(result.reason).toBeInstanceOf(ConflictError);
        expect(result.reason).toMatchObject({ code: 'turn_running', conflicting: won[0]?.id });
      }
      expect(idsOf(await store.openTurns(project.id))).toStrictEqual(idsOf(won));
      expect(await store.children(project.id, reply.id)).toHaveLength(won[0]?.id === turn.id ? 0 : 1);
    }
  });

  rule('ST-146', 'a turn that is reopened while it is deleted is there whole or gone', async ({ store }) => {
    for (let round = 0; round < 8; round += 1) {
      const { project, branch } = await seedProject(store);
      const { turn, user, reply } = await recordTurn(store, project, branch);
      const remove = (): Promise<unknown> =>
        round % 2 === 0
          ? store.deleteNode(project.id, user.id, 'cascade')
          : store.deleteTurn(project.id, turn.id, 'cascade');
      const reopened = store.reopenTurn(project.id, turn.id, 'owner-2', LONG_LEASE);
      const [opened, removed] = await Promise.allSettled([reopened, remove()]);
      expect([opened.status, removed.status].toSorted()).toStrictEqual(['fulfilled', 'rejected']);
      if (opened.status === 'fulfilled')
        expect(await store.nodesOfTurn(project.id, turn.id)).toStrictEqual([user, reply]);
      else await expect(store.getTurn(project.id, turn.id)).rejects.toBeInstanceOf(UnknownIdError);
    }
  });

  rule('ST-147', 'a reopened turn whose owner dies is taken over with its new log', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const { turn, reply } = await recordTurn(store, project, branch);
    const [dead, heir] = [freshId('owner'), freshId('owner')];
    await store.reopenTurn(project.id, turn.id, dead, 1);
    await store.appendLog(project.id, turn.id, [{ seq: 1, data: 'the last words' }]);
    await sleep(25);
    const reopened = await reopen();
    const claimed = await reopened.claimExpiredTurns(heir, LONG_LEASE);
    expect(idsOf(claimed)).toContain(turn.id);
    expect(await reopened.readLog(project.id, turn.id, 0, 10)).toStrictEqual([{ seq: 1, data: 'the last words' }]);
    await expect(goOn(reopened, project, branch, turn, reply, dead)).rejects.toMatchObject({ code: 'not_owner' });
    await goOn(reopened, project, branch, turn, reply, heir);
    expect(await (await reopen()).getTurn(project.id, turn.id)).toStrictEqual(turn);
  });

  rule('ST-148', 'they go with a project wherever it goes', async ({ store, another }) => {
    const { project } = await seedProject(store);
    const branch = buildBranch(project, { recorded: RECORDED });
    await store.createBranch(branch);
    const { turn, reply, answered } = await recordTurn(store, project, branch);
    await store.reopenTurn(project.id, turn.id, 'owner-2', LONG_LEASE);
    await goOn(store, project, branch, turn, reply, 'owner-2');
    const copy = await another();
    await copy.importProject(store.exportProject(project.id));
    expect(await snapshotProject(copy, project.id)).toStrictEqual(await snapshotProject(store, project.id));
    expect(await copy.findTrail([answered])).toStrictEqual(reply);
    await copy.reopenTurn(project.id, turn.id, 'owner-3', LONG_LEASE);
    expect(await copy.readLog(project.id, turn.id, 0, 10)).toStrictEqual([]);
  });

  rule('ST-160', 'projects into which the gateway recorded are told apart, and found by that', async (given) => {
    const mark = freshId('recorded');
    const [project, plain] = [buildProject({ name: `${mark} 1` }), buildProject({ name: `${mark} 2` })];
    for (const each of [project, plain]) await given.store.createProject(each);
    const branch = buildBranch(project, { recorded: RECORDED });
    await given.store.createBranch(branch);
    await recordTurn(given.store, project, branch);
    for (const open of [() => Promise.resolve(given.store), given.reopen]) {
      const store = await open();
      const find = async (more: object) =>
        (await store.findProjects({ name: mark, offset: 0, limit: 10, ...more })).projects
          .map(({ id, recorded }) => `${id} ${recorded}`)
          .toSorted();
      expect(await find({})).toStrictEqual([`${project.id} true`, `${plain.id} false`].toSorted());
      expect(await find({ recorded: true })).toStrictEqual([`${project.id} true`]);
    }
  });

  rule('ST-161', 'recorded calls are counted by client, model and mode, and what was mended by rule', async (given) => {
    const { project } = await seedProject(given.store);
    const branch = buildBranch(project, { recorded: RECORDED });
    await given.store.createBranch(branch);
    const { turn, reply } = await recordTurn(given.store, project, branch);
    await given.store.reopenTurn(project.id, turn.id, 'owner-2', LONG_LEASE);
    const usage = { inputTokens: 100, cachedInputTokens: 60, cacheWriteTokens: 30, outputTokens: 5 };
    const repair = { rule: 'restored', at: '1', what: 'The signature.' };
    const other = exchangeOf(reply, { client: 'codex/1', mode: 'repair', repairs: [repair, repair] });
    const calls = [
      buildCall(turn, null, { exchange: other, usage, cost: 0.5 }),
      buildCall(turn, null, { exchange: other, usage, cost: null }),
      buildCall(turn, null, { usage, cost: 1 }),
    ].map((call) => ({ call, raw: null }));
    const commit = { projectId: project.id, turnId: turn.id, owner: 'owner-2', nodes: [], renderings: [] };
    await given.store.commitTurn({ ...commit, calls, status: 'complete' });
    for (const open of [() => Promise.resolve(given.store), given.reopen]) {
      const store = await open();
      const { recorded, repairs } = await store.statistics(project.id);
      expect(recorded.find(({ client }) => client === 'codex/1')).toStrictEqual({
        client: 'codex/1',
        provider: calls[0]?.call.provider,
        model: calls[0]?.call.model,
        mode: 'repair',
        count: 2,
        repaired: 2,
        inputTokens: 200,
        cachedInputTokens: 120,
        cacheWriteTokens: 60,
        outputTokens: 10,
        cost: 0.5,
      });
      const claude = recorded.filter(({ client }) => client === 'claude-code/2.1.325');
      expect(claude.map(({ mode, count, repaired }) => `${mode} ${count} ${repaired}`).toSorted()).toStrictEqual([
        'record 1 0',
        'repair 1 1',
      ]);
      expect(recorded).toHaveLength(3);
      const mended = repairs.map(({ client, rule: broken, status, count }) => `${client} ${broken} ${status} ${count}`);
      expect(mended.toSorted()).toStrictEqual(['claude-code/2.1.325 AN-7 complete 1', 'codex/1 restored complete 4']);
    }
  });

  rule('ST-149', 'what a request was made of may be removed: the note of it stays', async ({ store, reopen }) => {
    const { project } = await seedProject(store);
    const branch = buildBranch(project);
    await store.createBranch(branch);
    const first = await recordTurn(store, project, branch);
    const second = await seedTurn(store, project, branch, first.reply.id);
    const { turn, user } = await beginTurn(store, project, branch, second.reply.id);
    const call = buildCall(turn, null, { exchange: exchangeOf(second.reply) });
    const aside = buildBranch(project, { recorded: { ...RECORDED, beside: second.reply.id } });
    const commit = { projectId: project.id, turnId: turn.id, owner: 'owner-1', nodes: [], renderings: [] };
    await store.commitTurn({ ...commit, calls: [{ call, raw: null }], status: 'complete' });
    await store.createBranch(aside);
    await store.deleteNode(project.id, second.reply.id, 'reparent');
    const reopened = await reopen();
    expect(await reopened.callsOfTurn(project.id, turn.id)).toStrictEqual([call]);
    expect(await reopened.getBranch(project.id, aside.id)).toStrictEqual(aside);
    expect((await reopened.path(project.id, user.id)).at(-2)?.id).toBe(second.user.id);
  });
}
