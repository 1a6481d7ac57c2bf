import { ConflictError } from '../../errors.ts';
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { UnknownIdError } from '@bough/core';
import { expect } from 'vitest';
import { beginTurn, buildNode, buildProject, idsOf, seedProject, seedTurn } from '../build.ts';
import type { Rule } from '../harness.ts';

const codeOf = (outcome: unknown): unknown =>
  outcome instanceof Error ? ('code' in outcome ? outcome.code : outcome.message) : undefined;

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

  rule('ST-65', 'projects are paged, the newest first, and counted', async ({ store, reopen }) => {
    const mark = randomUUID();
    const made = Array.from({ length: 5 }, (_, index) => buildProject({ name: `${mark} ${index}` }));
    for (const project of made) await store.createProject(project);
    const newest = made.toReversed();
    for (const open of [() => Promise.resolve(store), reopen]) {
      const opened = await open();
      const page = (offset: number, limit: number) => opened.findProjects({ name: mark, offset, limit });
      expect(await page(0, 2)).toStrictEqual({ projects: newest.slice(0, 2), total: 5 });
      expect(await page(2, 2)).toStrictEqual({ projects: newest.slice(2, 4), total: 5 });
      expect(await page(4, 2)).toStrictEqual({ projects: newest.slice(4), total: 5 });
      expect(await page(5, 2)).toStrictEqual({ projects: [], total: 5 });
      expect(await page(0, 0)).toStrictEqual({ projects: [], total: 5 });
      const all = await opened.findProjects({ offset: 0, limit: Number.MAX_SAFE_INTEGER });
      expect(all).toStrictEqual({ projects: (await opened.listProjects()).toReversed(), total: all.projects.length });
    }
  });

  rule('ST-65', 'a page shows what was changed and not what was deleted', async ({ store }) => {
    const mark = randomUUID();
    const [first, second, third] = ['a', 'b', 'c'].map((name) => buildProject({ name: `${mark} ${name}` }));
    if (first === undefined || second === undefined || third === undefined) throw new Error('There are three.');
    for (const project of [first, second, third]) await store.createProject(project);
    await store.deleteProject(second.id);
    const renamed = await store.updateProject(first.id, { name: `${mark} z` });
    const page = await store.findProjects({ name: mark, offset: 0, limit: 10 });
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
    const found = (query: object) => store.findProjects({ name: mark, offset: 0, limit: 10, ...query });
    expect(await found({ archived: false })).toStrictEqual({ projects: [kept], total: 1 });
    expect(await found({ archived: true })).toStrictEqual({ projects: [archived], total: 1 });
    expect(await found({})).toStrictEqual({ projects: [archived, kept], total: 2 });
  });

  rule('ST-8', 'a patch changes what it names and nothing else', async ({ store, reopen }) => {
    const project = buildProject({ description: 'before', systemPrompt: 'before' });
    await store.createProject(project);
    const patch = { name: 'after', description: null, defaults: { model: 'm' }, archived: true };
    const patched = await store.updateProject(project.id, patch);
    expect(patched).toStrictEqual({ ...project, ...patch });
    expect(await (await reopen()).getProject(project.id)).toStrictEqual({ ...project, ...patch });
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
