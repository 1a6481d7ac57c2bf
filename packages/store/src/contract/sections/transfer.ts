import { nameOf } from '../../move/digest.ts';
import { BoughError, UnknownIdError } from '@bough/core';
import { expect } from 'vitest';
import type { ProjectRecord, Store } from '../../store.ts';
import {
  beginTurn,
  buildBranch,
  buildNode,
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
import { recordsOf, snapshotProject } from '../snapshot.ts';
import { AWKWARD_STRINGS } from './values.ts';

/** A project with everything in it: forks, siblings, a deleted branch, a failed call, awkward strings, an open turn. */
async function seedEverything(store: Store) {
  const { project, branch } = await seedProject(store);
  const first = await seedTurn(store, project, branch, null);
  const second = await seedTurn(store, project, branch, first.reply.id);
  const siblings = AWKWARD_STRINGS.map((text) => buildReply(project, first.user, text));
  await store.appendNodes(project.id, siblings);
  const fork = buildBranch(project, { tipId: siblings[3]?.id ?? null, forkedFromId: first.user.id, pinned: true });
  const doomed = buildBranch(project, { tipId: first.reply.id });
  await store.createBranch(fork);
  await store.createBranch(doomed);
  const orphan = await seedTurn(store, project, doomed, first.reply.id);
  await store.deleteBranch(project.id, doomed.id);
  const waiting = await beginTurn(store, project, branch, second.reply.id);
  await store.releaseTurn(project.id, waiting.turn.id, 'owner-1', 'awaiting_approval');
  return { project, branch, first, second, orphan, waiting };
}

async function exportOf(store: Store, project: Parameters<Store['exportProject']>[0]): Promise<ProjectRecord[]> {
  const records: ProjectRecord[] = [];
  for await (const record of store.exportProject(project)) records.push(record);
  return records;
}

export function transfer(rule: Rule): void {
  rule('ST-45', 'an export names everything once, and each record after what it points to', async ({ store }) => {
    const { project } = await seedEverything(store);
    const records = await exportOf(store, project.id);
    expect(records[0]).toStrictEqual({ type: 'project', value: project });
    const seen = { turn: new Set<string>(), node: new Set<string>() };
    const keys = new Set<string>();
    for (const record of records) {
      const key = nameOf(record);
      expect(keys.has(key)).toBe(false);
      keys.add(key);
      if (record.type === 'node') {
        if (record.value.parentId !== null) expect(seen.node).toContain(record.value.parentId);
        if (record.value.turnId !== null) expect(seen.turn).toContain(record.value.turnId);
      }
      if (record.type === 'call') {
        expect(seen.turn).toContain(record.value.turnId);
        if (record.value.nodeId !== null) expect(seen.node).toContain(record.value.nodeId);
      }
      if (record.type === 'rendering') expect(seen.node).toContain(record.value.nodeId);
      if (record.type === 'turn' || record.type === 'node') seen[record.type].add(record.value.id);
    }
    const count = (type: ProjectRecord['type']) => records.filter((record) => record.type === type).length;
    expect([count('project'), count('branch'), count('turn'), count('call'), count('rendering')]).toStrictEqual([
      1, 2, 4, 3, 3,
    ]);
    expect(count('node')).toBe(7 + AWKWARD_STRINGS.length);
  });

  rule('ST-360', 'of projects that are imported at once each is whole, or refused by itself', async ({ store }) => {
    const sources = [];
    for (let count = 0; count < 6; count += 1) {
      const { project } = await seedEverything(store);
      const records = await exportOf(store, project.id);
      const snapshot = await snapshotProject(store, project.id);
      sources.push({ project, records, snapshot });
    }
    const [twice, torn, ...whole] = sources;
    if (twice === undefined || torn === undefined) throw new Error('Six were made.');
    for (const { project } of sources) await store.deleteProject(project.id);
    // A node whose parent is not there, and a project that comes twice.
    const lost = torn.records.map((record) =>
      record.type === 'node' && record.value.parentId === null
        ? { ...record, value: { ...record.value, parentId: NOWHERE.node } }
        : record,
    );
    const given = [...whole.map(({ records }) => records), lost, twice.records, twice.records];
    const ends = await Promise.allSettled(given.map((records) => store.importProject(recordsOf(records))));
    expect(ends.slice(0, whole.length).map(({ status }) => status)).toStrictEqual(whole.map(() => 'fulfilled'));
    const [unfit, ...same] = ends.slice(whole.length);
    expect(unfit?.status === 'rejected' && unfit.reason).toBeInstanceOf(UnknownIdError);
    expect(same.map(({ status }) => status).sort()).toStrictEqual(['fulfilled', 'rejected']);
    for (const end of same) if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'id_taken' });
    for (const { project, snapshot } of [...whole, twice])
      expect(await snapshotProject(store, project.id)).toStrictEqual(snapshot);
    await expect(store.getProject(torn.project.id)).rejects.toThrow(UnknownIdError);
  });

  rule('ST-45', 'an export holds the conversation, not who worked on it or asked for it', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const [owner, clientRequestId] = [freshId('owner'), freshId('request')];
    const turn = buildTurn(project, branch);
    await store.beginTurn({ turn, owner, leaseMs: LONG_LEASE, clientRequestId, nodes: [] });
    const records = JSON.stringify(await exportOf(store, project.id));
    expect(records).toContain(turn.id);
    expect(records).not.toContain(owner);
    expect(records).not.toContain(clientRequestId);
  });

  rule('ST-46', 'an imported project equals the exported one, and works', async ({ store, another }) => {
    const { project, branch, first, second, waiting } = await seedEverything(store);
    const copy = await another();
    await copy.importProject(store.exportProject(project.id));

    expect(await snapshotProject(copy, project.id)).toStrictEqual(await snapshotProject(store, project.id));
    expect(await copy.listBranches(project.id)).toStrictEqual(await store.listBranches(project.id));
    expect(await copy.graph(project.id)).toStrictEqual(await store.graph(project.id));
    expect(await copy.children(project.id, first.user.id)).toStrictEqual(
      await store.children(project.id, first.user.id),
    );
    expect(await copy.getRaw(project.id, second.reply.id)).toStrictEqual(second.raw);
    expect(await copy.readContext(project.id, second.reply.id, 'wire')).toStrictEqual(
      await store.readContext(project.id, second.reply.id, 'wire'),
    );
    await copy.claimTurn(project.id, waiting.turn.id, 'owner-9', LONG_LEASE);
    await copy.commitTurn({
      projectId: project.id,
      turnId: waiting.turn.id,
      owner: 'owner-9',
      nodes: [],
      calls: [],
      renderings: [],
      status: 'complete',
    });
    await seedTurn(copy, project, branch, waiting.user.id);
  });

  rule('ST-46', 'an import survives closing and opening', async ({ store, another, reopen }) => {
    const source = await another();
    const { project } = await seedEverything(source);
    const before = await snapshotProject(source, project.id);
    await store.importProject(source.exportProject(project.id));
    expect(await snapshotProject(await reopen(), project.id)).toStrictEqual(before);
  });

  rule(
    'ST-47',
    'an import that breaks off leaves nothing and can be done again',
    async ({ store, another, reopen }) => {
      const source = await another();
      const { project, first } = await seedEverything(source);
      const records = await exportOf(source, project.id);
      async function* breaking(): AsyncIterable<ProjectRecord> {
        yield* recordsOf(records.slice(0, -1));
        throw new Error('the wire was cut');
      }
      await expect(store.importProject(breaking())).rejects.toThrow('the wire was cut');
      const reopened = await reopen();
      expect(idsOf(await reopened.listProjects())).not.toContain(project.id);
      await expect(reopened.getProject(project.id)).rejects.toBeInstanceOf(UnknownIdError);
      await expect(reopened.findNode(first.user.id)).rejects.toBeInstanceOf(UnknownIdError);
      await reopened.importProject(recordsOf(records));
      expect(await snapshotProject(reopened, project.id)).toStrictEqual(await snapshotProject(source, project.id));
    },
  );

  rule('ST-47', 'nothing of an import is visible before its last record', async ({ store, another }) => {
    const source = await another();
    const { project } = await seedEverything(source);
    const visible: boolean[] = [];
    async function* watched(): AsyncIterable<ProjectRecord> {
      for await (const record of source.exportProject(project.id)) {
        visible.push(idsOf(await store.listProjects()).includes(project.id));
        yield record;
      }
    }
    await store.importProject(watched());
    expect(visible.length).toBeGreaterThan(10);
    expect(visible).not.toContain(true);
  });

  rule('ST-47', 'an import that does not fit together is refused whole', async ({ store, another }) => {
    const source = await another();
    const { project } = await seedProject(source);
    const orphan = buildNode(project, { id: NOWHERE.node }, 'orphan');
    const begin: ProjectRecord = { type: 'project', value: project };
    await expect(store.importProject(recordsOf([begin, { type: 'node', value: orphan }]))).rejects.toBeInstanceOf(
      UnknownIdError,
    );
    await expect(store.importProject(recordsOf([]))).rejects.toBeInstanceOf(BoughError);
    await expect(store.getProject(project.id)).rejects.toBeInstanceOf(UnknownIdError);
    await store.createProject(project);
    await expect(store.importProject(source.exportProject(project.id))).rejects.toMatchObject({ code: 'id_taken' });
    expect(await store.listBranches(project.id)).toStrictEqual([]);
  });

  rule('ST-48', 'an imported turn that was running has no owner: it can be taken over', async ({ store, another }) => {
    const source = await another();
    const { project, branch } = await seedProject(source);
    const { turn } = await beginTurn(source, project, branch, null);
    await store.importProject(source.exportProject(project.id));
    expect(await store.getTurn(project.id, turn.id)).toStrictEqual(turn);
    expect(await store.renewLeases('owner-1', [turn.id], LONG_LEASE)).toStrictEqual([]);
    const claimed = await store.claimExpiredTurns(freshId('heir'), LONG_LEASE);
    expect(claimed).toContainEqual(turn);
  });
}
