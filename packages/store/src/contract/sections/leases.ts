import { setTimeout as sleep } from 'node:timers/promises';
import type { Turn, TurnId } from '@bough/core';
import { expect } from 'vitest';
import { ConflictError } from '../../errors.ts';
import type { Store } from '../../store.ts';
import { beginTurn, buildReply, freshId, LONG_LEASE, NOWHERE, seedProject } from '../build.ts';
import type { Rule } from '../harness.ts';

/** Begins a turn whose owner dies at once: its lease has run out when this returns. */
async function abandonTurn(store: Store, owner: string) {
  const { project, branch } = await seedProject(store);
  const begun = await beginTurn(store, project, branch, null, owner, 1);
  await sleep(25);
  return { project, branch, ...begun };
}

/** Claims until nothing is left and returns this test's turns: other tests may have left some in the shared store. */
async function claim(store: Store, owner: string, wanted: readonly TurnId[]): Promise<readonly Turn[]> {
  const claimed = await store.claimExpiredTurns(owner, LONG_LEASE);
  return claimed.filter(({ id }) => wanted.includes(id));
}

export function leases(rule: Rule): void {
  rule('ST-33', 'renewing returns the turns that the owner still holds', async ({ store }) => {
    const [me, other] = [freshId('owner'), freshId('owner')];
    const first = await seedProject(store);
    const second = await seedProject(store);
    const mine = await beginTurn(store, first.project, first.branch, null, me);
    const theirs = await beginTurn(store, second.project, second.branch, null, other);
    const asked = [theirs.turn.id, mine.turn.id, NOWHERE.turn];
    expect(await store.renewLeases(me, asked, LONG_LEASE)).toStrictEqual([mine.turn.id]);
    expect(await store.renewLeases(other, asked, LONG_LEASE)).toStrictEqual([theirs.turn.id]);
    expect(await store.renewLeases(me, [], LONG_LEASE)).toStrictEqual([]);
  });

  rule('ST-33', 'a project that is deleted meanwhile costs no other turn its lease', async ({ store }) => {
    const owner = freshId('owner');
    const stays = await seedProject(store);
    const { turn } = await beginTurn(store, stays.project, stays.branch, null, owner);
    for (let round = 0; round < 12; round += 1) {
      const goes = await seedProject(store);
      const doomed = await beginTurn(store, goes.project, goes.branch, null, owner);
      const asked = [doomed.turn.id, turn.id];
      const [held] = await Promise.all([
        store.renewLeases(owner, asked, LONG_LEASE),
        store.deleteProject(goes.project.id),
        store.claimExpiredTurns(freshId('heir'), LONG_LEASE),
      ]);
      expect(held).toContain(turn.id);
    }
  });

  rule('ST-34', 'a turn whose lease ran out is taken over, once', async ({ store, reopen }) => {
    const [dead, heir, late] = [freshId('owner'), freshId('owner'), freshId('owner')];
    const { project, turn, user } = await abandonTurn(store, dead);
    const reopened = await reopen();
    expect(await claim(reopened, heir, [turn.id])).toStrictEqual([turn]);
    expect(await claim(reopened, late, [turn.id])).toStrictEqual([]);

    expect(await reopened.renewLeases(dead, [turn.id], LONG_LEASE)).toStrictEqual([]);
    const commit = { projectId: project.id, turnId: turn.id, calls: [], renderings: [] };
    const ghost = buildReply(project, user, 'from beyond', { turnId: turn.id });
    await expect(reopened.commitTurn({ ...commit, owner: dead, nodes: [ghost] })).rejects.toMatchObject({
      code: 'not_owner',
    });
    await reopened.commitTurn({ ...commit, owner: heir, nodes: [], status: 'interrupted' });
    expect((await reopened.getTurn(project.id, turn.id)).status).toBe('interrupted');
    expect(await claim(reopened, late, [turn.id])).toStrictEqual([]);
  });

  rule('ST-34', 'whoever gives time waits until so much has passed since the lease ran out', async ({ store }) => {
    const [dead, heir] = [freshId('owner'), freshId('owner')];
    const { turn } = await abandonTurn(store, dead);
    const patient = await store.claimExpiredTurns(heir, LONG_LEASE, 60_000);
    expect(patient.map(({ id }) => id)).not.toContain(turn.id);
    const later = await store.claimExpiredTurns(heir, LONG_LEASE, 5);
    expect(later.map(({ id }) => id)).toContain(turn.id);
  });

  rule('ST-34', 'a turn that is kept alive is not taken over', async ({ store }) => {
    const [owner, thief] = [freshId('owner'), freshId('owner')];
    const { turn } = await abandonTurn(store, owner);
    // Late but not taken yet: the owner may still renew.
    expect(await store.renewLeases(owner, [turn.id], LONG_LEASE)).toStrictEqual([turn.id]);
    expect(await claim(store, thief, [turn.id])).toStrictEqual([]);
  });

  rule('ST-34', 'of several heirs each turn gets one', async ({ store }) => {
    const abandoned: TurnId[] = [];
    for (let index = 0; index < 4; index += 1) abandoned.push((await abandonTurn(store, freshId('owner'))).turn.id);
    const heirs = [freshId('heir'), freshId('heir'), freshId('heir')];
    const claims = await Promise.all(heirs.map((heir) => claim(store, heir, abandoned)));
    expect(
      claims
        .flat()
        .map(({ id }) => id)
        .sort(),
    ).toStrictEqual([...abandoned].sort());
  });

  rule(
    'ST-35',
    'a turn that waits for an approval has no owner until somebody claims it',
    async ({ store, reopen }) => {
      const [first, second, third] = [freshId('owner'), freshId('owner'), freshId('owner')];
      const { project, branch } = await seedProject(store);
      const { turn } = await beginTurn(store, project, branch, null, first, 1);
      await store.appendLog(project.id, turn.id, [{ seq: 1, data: 'asks' }]);
      await expect(store.releaseTurn(project.id, turn.id, second, 'awaiting_approval')).rejects.toMatchObject({
        code: 'not_owner',
      });
      await store.releaseTurn(project.id, turn.id, first, 'awaiting_approval');
      await sleep(25);

      const reopened = await reopen();
      expect(await reopened.getTurn(project.id, turn.id)).toStrictEqual({ ...turn, status: 'awaiting_approval' });
      expect(await reopened.renewLeases(first, [turn.id], LONG_LEASE)).toStrictEqual([]);
      expect(await claim(reopened, second, [turn.id])).toStrictEqual([]);
      expect(await reopened.readLog(project.id, turn.id, 0, 10)).toStrictEqual([{ seq: 1, data: 'asks' }]);

      expect(await reopened.claimTurn(project.id, turn.id, second, LONG_LEASE)).toStrictEqual(turn);
      await expect(reopened.claimTurn(project.id, turn.id, third, LONG_LEASE)).rejects.toMatchObject({
        code: 'turn_running',
        conflicting: turn.id,
      });
      expect(await reopened.renewLeases(second, [turn.id], LONG_LEASE)).toStrictEqual([turn.id]);
    },
  );

  rule('ST-35', 'a turn that has ended cannot be claimed', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const { turn } = await beginTurn(store, project, branch, null);
    await store.commitTurn({
      projectId: project.id,
      turnId: turn.id,
      owner: 'owner-1',
      nodes: [],
      calls: [],
      renderings: [],
      status: 'complete',
    });
    await expect(store.claimTurn(project.id, turn.id, 'owner-2', LONG_LEASE)).rejects.toBeInstanceOf(ConflictError);
    expect((await store.getTurn(project.id, turn.id)).status).toBe('complete');
  });
}
