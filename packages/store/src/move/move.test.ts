import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UnknownIdError } from '@bough/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { beginTurn, buildBranch, buildNode, buildReply, seedProject, seedTurn } from '../contract/build.ts';
import { AWKWARD_STRINGS } from '../contract/sections/values.ts';
import { recordsOf, snapshotProject } from '../contract/snapshot.ts';
import { openFilesStore } from '../files/index.ts';
import type { ProjectRecord, Store } from '../store.ts';
import { MoveError, moveProject, moveShelf } from './index.ts';

let directory = '';
let from: Store;
let to: Store;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bough-move-'));
  from = await openFilesStore({ directory: join(directory, 'from') });
  to = await openFilesStore({ directory: join(directory, 'to') });
});
afterEach(async () => {
  await from.close();
  await to.close();
  await rm(directory, { recursive: true });
});

async function seed() {
  const { project, branch } = await seedProject(from);
  const first = await seedTurn(from, project, branch, null);
  const second = await seedTurn(from, project, branch, first.reply.id);
  const siblings = AWKWARD_STRINGS.map((text) => buildReply(project, first.user, text));
  await from.appendNodes(project.id, siblings);
  const fork = buildBranch(project, {
    tipId: siblings[0]?.id ?? null,
    forkedFromId: first.user.id,
    envelope: { provider: 'anthropic', model: 'm', systemPrompt: 'Be brief.', tools: ['t'], thinking: 'high' },
  });
  await from.createBranch(fork);
  return { project, branch, first, second };
}

/** A store that alters what is written to it, as a faulty one would. */
function faulty(store: Store, change: (record: ProjectRecord) => ProjectRecord | null): Store {
  async function* changed(records: AsyncIterable<ProjectRecord>): AsyncIterable<ProjectRecord> {
    for await (const record of records) {
      const kept = change(record);
      if (kept) yield kept;
    }
  }
  return { ...store, importProject: (records) => store.importProject(changed(records)) };
}

describe('moveProject', () => {
  test('MV-1: everything arrives: nodes, order, raw, turns, branches and what they are locked to', async () => {
    const { project, second } = await seed();
    const before = await snapshotProject(from, project.id);
    const report = await moveProject(from, to, project.id);
    expect(report.counts).toStrictEqual({
      project: 1,
      foreign: 0,
      branch: 2,
      turn: 2,
      node: 4 + AWKWARD_STRINGS.length,
      call: 2,
      rendering: 2,
      annotation: 0,
    });
    expect(report.rawBytes).toBeGreaterThan(0);
    expect(await snapshotProject(to, project.id)).toStrictEqual(before);
    expect(await to.getRaw(project.id, second.reply.id)).toStrictEqual(second.raw);
    expect(await snapshotProject(from, project.id)).toStrictEqual(before);
  });

  test('MV-2: the source goes when that is asked for, and only then', async () => {
    const { project } = await seed();
    const before = await snapshotProject(from, project.id);
    expect(await moveProject(from, to, project.id, { deleteSource: true })).toMatchObject({ sourceDeleted: true });
    await expect(from.getProject(project.id)).rejects.toBeInstanceOf(UnknownIdError);
    expect(await snapshotProject(to, project.id)).toStrictEqual(before);
  });

  test('MV-3: a project with an open turn is not moved', async () => {
    const { project, branch, second } = await seed();
    const { turn } = await beginTurn(from, project, branch, second.reply.id);
    const refusal = { code: 'turn_running', conflicting: turn.id };
    await expect(moveProject(from, to, project.id)).rejects.toMatchObject(refusal);
    await from.releaseTurn(project.id, turn.id, 'owner-1', 'awaiting_approval');
    await expect(moveProject(from, to, project.id)).rejects.toMatchObject(refusal);
    expect(await to.listProjects()).toStrictEqual([]);
  });

  test.each<[string, (record: ProjectRecord) => ProjectRecord | null]>([
    ['a changed raw', (r) => (r.type === 'call' && r.raw ? { ...r, raw: { ...r.raw, payload: ['x'] } } : r)],
    ['a lost raw', (r) => (r.type === 'call' ? { ...r, raw: null } : r)],
    ['a lost rendering', (r) => (r.type === 'rendering' ? null : r)],
    ['a changed lock', (r) => (r.type === 'branch' ? { ...r, value: { ...r.value, keepToolsAfterBreak: true } } : r)],
    ['a changed time', (r) => (r.type === 'node' ? { ...r, value: { ...r.value, createdAt: '2020' } } : r)],
    ['an emptied turn', (r) => (r.type === 'turn' ? { ...r, value: { ...r.value, isThinkingMode: true } } : r)],
    [
      'keys of a block in another order',
      (r) =>
        r.type === 'node' ? { ...r, value: { ...r.value, contentBlocks: r.value.contentBlocks.map(reversed) } } : r,
    ],
  ])('MV-4: %s is found, the copy is removed, the source stays', async (_, change) => {
    const { project } = await seed();
    const before = await snapshotProject(from, project.id);
    const move = moveProject(from, faulty(to, change), project.id, { deleteSource: true });
    await expect(move).rejects.toMatchObject({ code: 'copy_differs' });
    await expect(move).rejects.toBeInstanceOf(MoveError);
    expect(await to.listProjects()).toStrictEqual([]);
    expect(await snapshotProject(from, project.id)).toStrictEqual(before);
  });

  test('MV-4: siblings in another order are found', async () => {
    const { project, first } = await seed();
    const [one, two] = (await from.children(project.id, first.user.id)).slice(1, 3);
    const swapped: Store = {
      ...to,
      importProject: async (records) => {
        const all: ProjectRecord[] = [];
        for await (const record of records) all.push(record);
        const places = [one, two].map((node) => all.findIndex(({ value }) => 'id' in value && value.id === node?.id));
        const [i = 0, j = 0] = places;
        const reordered = all.map((record, index) => all[index === i ? j : index === j ? i : index] ?? record);
        await to.importProject(recordsOf(reordered));
      },
    };
    await expect(moveProject(from, swapped, project.id)).rejects.toMatchObject({
      code: 'copy_differs',
      differences: [`the children of node ${first.user.id} are in another order`],
    });
    expect(await to.listProjects()).toStrictEqual([]);
  });

  test('MV-5: a source that changes meanwhile is not deleted', async () => {
    const { project } = await seed();
    const late = buildNode(project, null, 'written meanwhile');
    const watching: Store = {
      ...to,
      importProject: async (records) => {
        await to.importProject(records);
        await from.appendNodes(project.id, [late]);
      },
    };
    await expect(moveProject(from, watching, project.id, { deleteSource: true })).rejects.toMatchObject({
      code: 'source_changed',
      differences: [`node ${late.id} is new`],
    });
    expect(await from.findNode(late.id)).toStrictEqual(late);
    expect(await to.listProjects()).toStrictEqual([]);
  });

  test('MV-6: a project that the target has is a conflict, and neither is touched', async () => {
    const { project } = await seed();
    await moveProject(from, to, project.id);
    await expect(moveProject(from, to, project.id)).rejects.toMatchObject({ code: 'id_taken' });
    expect((await to.getProject(project.id)).id).toBe(project.id);
    expect((await from.getProject(project.id)).id).toBe(project.id);
  });
});

test('ST-99: the shelf moves along; what the target has stays, and is named', async () => {
  await from.putDocument('presets', [{ name: 'Reviewer' }], 0);
  await from.putDocument('prompts', ['one'], 0);
  await from.putDocument('titles', null, 0);
  await to.putDocument('prompts', ['another'], 0);
  await to.putDocument('titles', null, 0);
  expect(await moveShelf(from, to)).toStrictEqual({ copied: ['presets'], kept: ['prompts'] });
  expect((await to.getDocument('presets'))?.value).toStrictEqual([{ name: 'Reviewer' }]);
  expect((await to.getDocument('prompts'))?.value).toStrictEqual(['another']);
  const losing: Store = {
    ...to,
    getDocument: async () => null,
    putDocument: async () => ({ name: '', version: 1, value: 1 }),
  };
  await expect(moveShelf(from, losing)).rejects.toMatchObject({ code: 'copy_differs' });
});

function reversed<T extends object>(block: T): T {
  return Object.fromEntries(Object.entries(block).reverse()) as T;
}
