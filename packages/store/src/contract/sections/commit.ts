import { UnknownIdError } from '@bough/core';
import { expect } from 'vitest';
import { ConflictError } from '../../errors.ts';
import type { TurnCommit } from '../../store.ts';
import {
  beginTurn,
  buildCall,
  buildNode,
  buildRaw,
  buildReply,
  buildTurn,
  NOWHERE,
  seedProject,
  type SeededTurn,
} from '../build.ts';
import type { Rule } from '../harness.ts';
import { snapshotProject } from '../snapshot.ts';

type Parts = Pick<SeededTurn, 'turn'> & { readonly owner?: string };

const commitOf = ({ turn, owner = 'owner-1' }: Parts, given: Partial<TurnCommit> = {}): TurnCommit => ({
  projectId: turn.projectId,
  turnId: turn.id,
  owner,
  nodes: [],
  calls: [],
  renderings: [],
  ...given,
});

export function commits(rule: Rule): void {
  rule('ST-31', 'a part of a turn is stored with nodes, calls, raw, renderings and tip', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const { turn, user } = await beginTurn(store, project, branch, null);
    const reply = buildReply(project, user, 'calls a tool', { turnId: turn.id });
    const result = buildNode(project, reply, 'result', { role: 'tool', toolCallId: 'c1', turnId: turn.id });
    const failed = buildCall(turn, null, { status: 'error', errorCode: 'overloaded', usage: null, cost: null });
    const call = buildCall(turn, reply);
    const raw = buildRaw('{"exact": 1.50}');
    await store.commitTurn(
      commitOf(
        { turn },
        {
          nodes: [reply, result],
          calls: [
            { call: failed, raw: null },
            { call, raw },
          ],
          renderings: [{ nodeId: user.id, key: 'k', bytes: '{}' }],
          tip: { branchId: branch.id, expected: user.id, next: result.id },
        },
      ),
    );
    const reopened = await reopen();
    expect(await reopened.path(project.id, result.id)).toStrictEqual([user, reply, result]);
    expect(await reopened.callsOfTurn(project.id, turn.id)).toStrictEqual([failed, call]);
    expect(await reopened.getRaw(project.id, reply.id)).toStrictEqual(raw);
    expect(await reopened.getBranch(project.id, branch.id)).toStrictEqual({
      ...branch,
      tipId: result.id,
    });
    expect(await reopened.getTurn(project.id, turn.id)).toStrictEqual(turn);
  });

  rule('ST-30', 'only the owner may commit', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const { turn, user } = await beginTurn(store, project, branch, null);
    const before = await snapshotProject(store, project.id);
    const reply = buildReply(project, user, 'foreign', { turnId: turn.id });
    const foreign = commitOf({ turn, owner: 'owner-2' }, { nodes: [reply], status: 'complete' });
    await expect(store.commitTurn(foreign)).rejects.toMatchObject({ code: 'not_owner' });
    await expect(store.commitTurn(foreign)).rejects.toBeInstanceOf(ConflictError);
    expect(await snapshotProject(store, project.id)).toStrictEqual(before);
  });

  rule('ST-30', 'a turn that has ended has no owner any more', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const { turn, user } = await beginTurn(store, project, branch, null);
    await store.commitTurn(commitOf({ turn }, { status: 'complete' }));
    const late = buildReply(project, user, 'late', { turnId: turn.id });
    await expect(store.commitTurn(commitOf({ turn }, { nodes: [late] }))).rejects.toMatchObject({ code: 'not_owner' });
    await expect(store.findNode(late.id)).rejects.toBeInstanceOf(UnknownIdError);
    expect(await store.renewLeases('owner-1', [turn.id], 60_000)).toStrictEqual([]);
  });

  rule('ST-31', 'a commit of which one part fails stores none of it', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const { turn, user } = await beginTurn(store, project, branch, null);
    const before = await snapshotProject(store, project.id);
    const reply = buildReply(project, user, 'whole or not at all', { turnId: turn.id });
    const whole = commitOf(
      { turn },
      {
        nodes: [reply],
        calls: [{ call: buildCall(turn, reply), raw: buildRaw('{}') }],
        renderings: [{ nodeId: reply.id, key: 'k', bytes: '{}' }],
        tip: { branchId: branch.id, expected: user.id, next: reply.id },
        status: 'complete',
      },
    );
    const moved = { branchId: branch.id, expected: null, next: reply.id };
    await expect(store.commitTurn({ ...whole, tip: moved })).rejects.toMatchObject({
      code: 'tip_moved',
      conflicting: user.id,
    });
    for (const broken of [
      { nodes: [reply, buildNode(project, { id: NOWHERE.node }, 'orphan')] },
      { renderings: [...whole.renderings, { nodeId: NOWHERE.node, key: 'k', bytes: '{}' }] },
      { calls: [...whole.calls, { call: buildCall(turn, { id: NOWHERE.node }), raw: null }] },
      { tip: { branchId: NOWHERE.branch, expected: user.id, next: reply.id } },
    ]) {
      await expect(store.commitTurn({ ...whole, ...broken })).rejects.toBeInstanceOf(UnknownIdError);
    }
    expect(await snapshotProject(store, project.id)).toStrictEqual(before);
    const reopened = await reopen();
    expect(await snapshotProject(reopened, project.id)).toStrictEqual(before);
    await reopened.commitTurn(whole);
  });

  rule('ST-32', 'the end of a turn is stored with its status, and the lease goes', async ({ store, reopen }) => {
    for (const status of ['complete', 'error', 'interrupted'] as const) {
      const { project, branch } = await seedProject(store);
      const { turn, user } = await beginTurn(store, project, branch, null);
      const reply = buildReply(project, user, status, { turnId: turn.id });
      await store.commitTurn(commitOf({ turn }, { nodes: [reply], status }));
      expect(await store.getTurn(project.id, turn.id)).toStrictEqual({ ...turn, status });
      expect(await store.findNode(reply.id)).toStrictEqual(reply);
      expect(await store.renewLeases('owner-1', [turn.id], 60_000)).toStrictEqual([]);
      if (status !== 'interrupted') continue;
      expect(await (await reopen()).getTurn(project.id, turn.id)).toStrictEqual({ ...turn, status });
    }
  });

  rule('ST-39', 'a rendering is kept per node and key, and storing it again is no error', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const { turn, user } = await beginTurn(store, project, branch, null);
    const renderings = ['a/1', 'a/2', 'b'].map((key) => ({ nodeId: user.id, key, bytes: `{"key":"${key}"}` }));
    await store.commitTurn(commitOf({ turn }, { renderings }));
    await store.commitTurn(commitOf({ turn }, { renderings: renderings.slice(0, 1) }));
    const reopened = await reopen();
    for (const prefix of ['a/', 'a/1', 'b', '', 'c', '%', '_/1']) {
      const fitting = renderings
        .filter(({ key }) => key.startsWith(prefix))
        .map(({ key, bytes }) => [key, bytes] as const);
      const context = await reopened.readContext(project.id, user.id, prefix);
      expect(context.renderings).toStrictEqual(
        fitting.length === 0 ? new Map() : new Map([[user.id, new Map(fitting)]]),
      );
    }
  });

  rule('ST-240', 'a turn begins with the renderings of its request, or not at all', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const of = { owner: 'owner-1', leaseMs: 60_000 };
    const first = buildTurn(project, branch);
    const user = buildNode(project, null, 'Hello?', { turnId: first.id, createdOnBranch: branch.id });
    const tip = { branchId: branch.id, expected: null, next: user.id };
    const renderings = ['gateway/1', 'gateway/2'].map((key) => ({ nodeId: user.id, key, bytes: `{"key":"${key}"}` }));
    const nowhere = [...renderings, { nodeId: NOWHERE.node, key: 'k', bytes: '{}' }];
    const begin = { ...of, turn: first, nodes: [user], tip };
    await expect(store.beginTurn({ ...begin, renderings: nowhere })).rejects.toBeInstanceOf(UnknownIdError);
    expect(await store.openTurns(project.id)).toStrictEqual([]);
    await store.beginTurn({ ...begin, renderings });
    // Of a request that says nothing new, what is rendered belongs to what is there.
    await store.commitTurn(commitOf({ turn: first }, { status: 'complete' }));
    const again = buildTurn(project, branch);
    const more = { nodeId: user.id, key: 'gateway/3', bytes: '{}' };
    await store.beginTurn({ ...of, turn: again, nodes: [], renderings: [...renderings.slice(0, 1), more] });
    const kept = [...renderings, more].map(({ key, bytes }) => [key, bytes] as const);
    const context = await (await reopen()).readContext(project.id, user.id, 'gateway/');
    expect(context.renderings).toStrictEqual(new Map([[user.id, new Map(kept)]]));
  });
}
