import { ConflictError } from '../../errors.ts';
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { UnknownIdError } from '@bough/core';
import { expect } from 'vitest';
import { beginTurn, buildBranch, buildNode, buildProject, idsOf, seedProject, seedTurn } from '../build.ts';
import { withoutUse } from '../../find-projects.ts';
import type { ProjectQuery, Store } from '../../store.ts';
import type { Rule } from '../harness.ts';

const codeOf = (outcome: unknown): unknown =>
  outcome instanceof Error ? ('code' in outcome ? outcome.code : outcome.message) : undefined;

/** What a query finds, without what every page says besides. */
async function found(store: Store, query: ProjectQuery) {
  const { projects, total } = await store.findProjects(query);
  return { projects: projects.map(withoutUse), total };
}

export function projects(rule: Rule): void {
  rule('ST-64', 'a store that can write says so, and nothing is left of the question', async ({ store, reopen }) => {
    const before = await store.listProjects();
    await store.check();
    expect(await store.listProjects()).toStrictEqual(before);
    await (await reopen()).check();
  });

  rule('ST-8', 'a project is read as it was written, alone and in the list', async ({ store }) => {
    const first = buildProject({
      description: 'with everything',
      systemPrompt: 'Be brief.',
      defaults: { provider: 'anthropic', model: 'claude', tools: ['b', 'a'], thinking: { budgetTokens: 2048 } },
      archived: true,
    });
    const second = buildProject();
    await store.createProject(first);
    await store.createProject(second);
    expect(await store.getProject(first.id)).toStrictEqual(first);
    const listed = (await store.listProjects()).filter(({ id }) => id === first.id || id === second.id);
    expect(listed).toStrictEqual([first, second]);
  });

  rule('ST-65', 'projects are paged, the last used first, and counted', async ({ store, reopen }) => {
    const mark = randomUUID();
    const made = Array.from({ length: 5 }, (_, index) => buildProject({ name: `${mark} ${index}` }));
    for (const project of made) await store.createProject(project);
    const newest = made.toReversed();
    for (const open of [() => Promise.resolve(store), reopen]) {
      const opened = await open();
      const page = (offset: number, limit: number) => found(opened, { name: mark, offset, limit });
      expect(await page(0, 2)).toStrictEqual({ projects: newest.slice(0, 2), total: 5 });
      expect(await page(2, 2)).toStrictEqual({ projects: newest.slice(2, 4), total: 5 });
      expect(await page(4, 2)).toStrictEqual({ projects: newest.slice(4), total: 5 });
      expect(await page(5, 2)).toStrictEqual({ projects: [], total: 5 });
      expect(await page(0, 0)).toStrictEqual({ projects: [], total: 5 });
      const all = await opened.findProjects({ offset: 0, limit: Number.MAX_SAFE_INTEGER });
      expect(idsOf(all.projects).toSorted()).toStrictEqual(idsOf(await opened.listProjects()).toSorted());
      expect(all.total).toBe(all.projects.length);
      const uses = all.projects.map(({ lastUsedAt }) => lastUsedAt);
      expect(uses).toStrictEqual(uses.toSorted().toReversed());
    }
  });

  rule('ST-220', 'a project is found by the beginning of its id', async ({ store }) => {
    const project = buildProject({});
    await store.createProject(project);
    const by = (id: string) => found(store, { id, offset: 0, limit: 10 });
    expect((await by(project.id)).projects).toStrictEqual([project]);
    expect((await by(project.id.slice(0, -2))).projects).toStrictEqual([project]);
    expect(await by(`${project.id}0`)).toStrictEqual({ projects: [], total: 0 });
    expect(await by(project.id.slice(0, -2).replaceAll('-', '_'))).toStrictEqual({ projects: [], total: 0 });
  });

  rule('ST-65', 'a page shows what was changed and not what was deleted', async ({ store }) => {
    const mark = randomUUID();
    const [first, second, third] = ['a', 'b', 'c'].map((name) => buildProject({ name: `${mark} ${name}` }));
    if (first === undefined || second === undefined || third === undefined) throw new Error('There are three.');
    for (const project of [first, second, third]) await store.createProject(project);
    await store.deleteProject(second.id);
    const renamed = await store.updateProject(first.id, { name: `${mark} z` });
    const page = await found(store, { name: mark, offset: 0, limit: 10 });
    expect(page).toStrictEqual({ projects: [third, renamed], total: 2 });
  });

  rule('ST-66', 'a project is found by any part of its name, literally, whatever the case', async ({ store }) => {
    const mark = randomUUID();
    const names = ['Straße nach ÅRHUS', '50% of a_b', 'back\\slash', 'nul \0 and \ud800', '树的决定'];
    for (const name of names) await store.createProject(buildProject({ name: `${mark} ${name}` }));
    const found = async (text: string): Promise<readonly string[]> => {
      const { projects } = await store.findProjects({ name: text, offset: 0, limit: 1_000 });
      return projects.map(({ name }) => name).filter((name) => name.startsWith(mark));
    };
    for (const [index, text] of ['århus', '% OF A_', 'K\\S', '\0 and \ud800', '的决'].entries())
      expect(await found(text), text).toStrictEqual([`${mark} ${names[index]}`]);
    expect(await found('5_%')).toStrictEqual([]);
    expect(await found(mark.toUpperCase())).toHaveLength(names.length);
  });

  rule('ST-66', 'archived projects are found alone, left out, or among the others', async ({ store }) => {
    const mark = randomUUID();
    const kept = buildProject({ name: `${mark} kept` });
    const archived = buildProject({ name: `${mark} archived`, archived: true });
    await store.createProject(kept);
    await store.createProject(archived);
    const page = (query: object) => found(store, { name: mark, offset: 0, limit: 10, ...query });
    expect(await page({ archived: false })).toStrictEqual({ projects: [kept], total: 1 });
    expect(await page({ archived: true })).toStrictEqual({ projects: [archived], total: 1 });
    expect(await page({})).toStrictEqual({ projects: [archived, kept], total: 2 });
  });

  rule(
    'ST-90',
    'a project is listed by the last use of its branches, and so is a branch',
    async ({ store, reopen }) => {
      const mark = randomUUID();
      const old = buildProject({ name: `${mark} old` });
      const [main, other] = [buildBranch(old, { name: 'main' }), buildBranch(old, { name: 'other' })];
      const recent = buildProject({ name: `${mark} recent` });
      await store.createProject(old);
      await store.createBranch(main);
      await store.createBranch(other);
      await store.createProject(recent);
      const order = async (of: typeof store) =>
        (await of.findProjects({ name: mark, offset: 0, limit: 10 })).projects.map(({ id, lastUsedAt }) => [
          id,
          lastUsedAt,
        ]);
      expect(await order(store)).toStrictEqual([
        [recent.id, recent.createdAt],
        [old.id, other.createdAt],
      ]);
      const { reply } = await seedTurn(store, old, main, null);
      const facts = {
        [main.id]: { lastUsedAt: reply.createdAt, forkedOn: null },
        [other.id]: { lastUsedAt: other.createdAt, forkedOn: null },
      };
      for (const open of [() => Promise.resolve(store), reopen]) {
        const opened = await open();
        expect(await order(opened)).toStrictEqual([
          [old.id, reply.createdAt],
          [recent.id, recent.createdAt],
        ]);
        expect(await opened.branchFacts(old.id)).toStrictEqual(facts);
        expect(await opened.branchFacts(recent.id)).toStrictEqual({});
      }
      // A branch that is made from an old message is new, and belongs below the branch that the message was made on.
      const fork = buildBranch(old, { name: 'fork', tipId: reply.id, forkedFromId: reply.id });
      const reopened = await reopen();
      await reopened.createBranch(fork);
      const forked = { lastUsedAt: fork.createdAt, forkedOn: main.id };
      expect(await reopened.branchFacts(old.id)).toStrictEqual({ ...facts, [fork.id]: forked });
    },
  );

  rule('ST-91', 'projects are pinned and put into folders, and found by that', async ({ store, reopen }) => {
    const mark = randomUUID();
    const folder = `${mark} / Ördner`;
    const [plain, filed, both] = [
      buildProject({ name: `${mark} plain` }),
      buildProject({ name: `${mark} filed`, folder }),
      buildProject({ name: `${mark} both`, pinned: true, folder }),
    ];
    for (const project of [plain, filed, both]) await store.createProject(project);
    for (const open of [() => Promise.resolve(store), reopen]) {
      const opened = await open();
      const page = async (query: object) =>
        (await found(opened, { name: mark, offset: 0, limit: 10, ...query })).projects;
      expect(await page({ pinned: true })).toStrictEqual([both]);
      expect(await page({ pinned: false })).toStrictEqual([filed, plain]);
      expect(await page({ folder })).toStrictEqual([both, filed]);
      expect(await page({ folder, pinned: false })).toStrictEqual([filed]);
      expect(await page({ folder: null })).toStrictEqual([plain]);
      const { folders } = await opened.findProjects({ name: 'nothing', offset: 0, limit: 0 });
      expect(folders.filter(({ name }) => name.startsWith(mark))).toStrictEqual([{ name: folder, unpinned: 1 }]);
    }
  });

  rule('ST-91', 'a patch pins and files a project, and takes both back', async ({ store, reopen }) => {
    const project = buildProject();
    await store.createProject(project);
    const filed = await store.updateProject(project.id, { pinned: true, folder: 'Work' });
    expect(filed).toStrictEqual({ ...project, pinned: true, folder: 'Work' });
    expect(await store.updateProject(project.id, { archived: true })).toStrictEqual({ ...filed, archived: true });
    const reopened = await reopen();
    expect(await reopened.getProject(project.id)).toStrictEqual({ ...filed, archived: true });
    const back = await reopened.updateProject(project.id, { pinned: false, folder: null, archived: false });
    expect(back).toStrictEqual(project);
    expect(await (await reopen()).getProject(project.id)).toStrictEqual(project);
  });

  rule('ST-92', 'the open turns of all projects are found at once', async ({ store, reopen }) => {
    const [one, two, quiet] = [await seedProject(store), await seedProject(store), await seedProject(store)];
    const first = await beginTurn(store, one.project, one.branch, null);
    const second = await beginTurn(store, two.project, two.branch, null);
    await store.releaseTurn(two.project.id, second.turn.id, 'owner-1', 'awaiting_approval');
    await seedTurn(store, quiet.project, quiet.branch, null);
    for (const open of [() => Promise.resolve(store), reopen]) {
      const opened = await open();
      const mine = new Set([one, two, quiet].map(({ project }) => project.id));
      const turns = (await opened.openTurns()).filter(({ projectId }) => mine.has(projectId));
      expect(turns.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1))).toStrictEqual([
        first.turn,
        { ...second.turn, status: 'awaiting_approval' },
      ]);
    }
  });

  rule('ST-8', 'a patch changes what it names and nothing else', async ({ store, reopen }) => {
    const project = buildProject({ description: 'before', systemPrompt: 'before' });
    await store.createProject(project);
    const patch = { name: 'after', description: null, defaults: { model: 'm' }, archived: true };
    const patched = await store.updateProject(project.id, patch);
    expect(patched).toStrictEqual({ ...project, ...patch });
    expect(await (await reopen()).getProject(project.id)).toStrictEqual({ ...project, ...patch });
  });

  rule('ST-8', 'a name is replaced only where it is still the one that was read', async ({ store }) => {
    const project = buildProject({ name: 'before' });
    await store.createProject(project);
    await expect(store.updateProject(project.id, { name: 'late' }, { name: 'other' })).rejects.toMatchObject({
      code: 'project_changed',
    });
    expect(await store.getProject(project.id)).toStrictEqual(project);
    const patched = await store.updateProject(project.id, { name: 'after' }, { name: 'before' });
    expect(patched).toStrictEqual({ ...project, name: 'after' });
  });

  rule('ST-7', 'a project id that is taken is a conflict, and the project stays as it was', async ({ store }) => {
    const project = buildProject();
    await store.createProject(project);
    await expect(store.createProject({ ...project, name: 'thief' })).rejects.toMatchObject({ code: 'id_taken' });
    await expect(store.createProject({ ...project, name: 'thief' })).rejects.toBeInstanceOf(ConflictError);
    expect(await store.getProject(project.id)).toStrictEqual(project);
  });

  rule('ST-9', 'deleting a project removes everything of it and nothing else', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const neighbour = await seedProject(store);
    const { turn, user, reply } = await seedTurn(store, project, branch, null);
    const kept = await seedTurn(store, neighbour.project, neighbour.branch, null);

    await store.deleteProject(project.id);

    await expect(store.findNode(user.id)).rejects.toBeInstanceOf(UnknownIdError);
    const reopened = await reopen();
    await expect(reopened.getProject(project.id)).rejects.toBeInstanceOf(UnknownIdError);
    await expect(reopened.listBranches(project.id)).rejects.toBeInstanceOf(UnknownIdError);
    await expect(reopened.findNode(user.id)).rejects.toBeInstanceOf(UnknownIdError);
    await expect(reopened.getTurn(project.id, turn.id)).rejects.toBeInstanceOf(UnknownIdError);
    await expect(reopened.getRaw(project.id, reply.id)).rejects.toBeInstanceOf(UnknownIdError);
    expect(idsOf(await reopened.listProjects())).not.toContain(project.id);
    expect(await reopened.path(neighbour.project.id, kept.reply.id)).toStrictEqual([kept.user, kept.reply]);
  });

  rule('ST-9', 'a log that is being written goes with its project', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const { turn } = await beginTurn(store, project, branch, null);
    const deleted = store.deleteProject(project.id);
    const lines: Promise<unknown>[] = [];
    for (let seq = 1; seq <= 30; seq += 1) {
      lines.push(store.appendLog(project.id, turn.id, [{ seq, data: '{}' }]).catch((error: unknown) => error));
      await setImmediate();
    }
    // Refused or stored, depending on which came first: either way nothing of it may stay.
    for (const outcome of await Promise.all(lines)) expect([undefined, 'unknown_id']).toContain(codeOf(outcome));
    await deleted;
    await store.createProject(project);
    await store.createBranch(branch);
    const again = await beginTurn(store, project, branch, null);
    expect(await store.readLog(project.id, again.turn.id, 0, 10)).toStrictEqual([]);
    await expect(store.readLog(project.id, turn.id, 0, 10)).rejects.toBeInstanceOf(UnknownIdError);
  });

  rule('ST-9', 'a deleted project leaves its ids free, and nothing of it comes back under them', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const { turn, user } = await seedTurn(store, project, branch, null);
    await store.deleteProject(project.id);

    await store.createProject(project);
    expect(await store.listBranches(project.id)).toStrictEqual([]);
    expect(await store.children(project.id, null)).toStrictEqual([]);
    await expect(store.getTurn(project.id, turn.id)).rejects.toBeInstanceOf(UnknownIdError);
    const again = buildNode(project, null, 'new', { id: user.id });
    await store.appendNodes(project.id, [again]);
    await store.createBranch(branch);
    expect(await store.findNode(user.id)).toStrictEqual(again);
    expect(await store.getRaw(project.id, user.id)).toBeNull();
    expect((await store.readContext(project.id, user.id, 'wire')).renderings.size).toBe(0);
  });
}
