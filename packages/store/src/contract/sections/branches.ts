import { branchId, nodeId } from '@bough/core';
import { expect } from 'vitest';
import { ConflictError } from '../../errors.ts';
import { beginTurn, buildBranch, seedChain, seedProject, seedTurn } from '../build.ts';
import type { Rule } from '../harness.ts';

export function branches(rule: Rule): void {
  rule('ST-10', 'a branch is read as it was written, by id and by name, and listed in order', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const [root] = await seedChain(store, project, null, ['root']);
    const full = buildBranch(project, {
      name: 'full',
      tipId: root?.id ?? null,
      forkedFromId: root?.id ?? null,
      envelope: {
        provider: 'openai_responses',
        model: 'o-9',
        systemPrompt: 'Answer.',
        tools: ['search', 'add'],
        thinking: { budgetTokens: 1024 },
        maxTokens: 4096,
        failEarly: true,
        filesOtherwise: 'omit',
        allowedTools: ['calculator'],
        choices: { 'a message': 'leave_out', 'another one': 'pin' },
        summaries: [nodeId('a summary'), nodeId('a later one')],
        compacting: { mode: 'on', share: 0.5 },
      },
      replayBy: 'break',
      keepToolsAfterBreak: true,
      pinned: true,
      hidden: true,
      color: '#aabbcc',
    });
    await store.createBranch(full);
    expect(await store.getBranch(project.id, full.id)).toStrictEqual(full);
    expect(await store.getBranch(project.id, 'full')).toStrictEqual(full);
    expect(await store.listBranches(project.id)).toStrictEqual([branch, full]);
  });

  rule('ST-10', 'a name is free once per project; a taken one is a conflict that names it', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const neighbour = await seedProject(store);
    expect(neighbour.branch.name).toBe(branch.name);

    const thief = buildBranch(project, { name: branch.name });
    await expect(store.createBranch(thief)).rejects.toMatchObject({ code: 'name_taken', conflicting: branch.name });
    await expect(store.createBranch(thief)).rejects.toBeInstanceOf(ConflictError);
    const other = buildBranch(project, { name: 'other' });
    await store.createBranch(other);
    await expect(store.updateBranch(project.id, other.id, { name: branch.name })).rejects.toMatchObject({
      code: 'name_taken',
    });
    expect(await store.listBranches(project.id)).toStrictEqual([branch, other]);
  });

  rule('ST-10', 'a freed name can be taken, by renaming and by deleting', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    await store.updateBranch(project.id, branch.id, { name: 'renamed' });
    const second = buildBranch(project, { name: branch.name });
    await store.createBranch(second);
    expect(await store.getBranch(project.id, branch.name)).toStrictEqual(second);
    expect((await store.getBranch(project.id, 'renamed')).id).toBe(branch.id);
    await store.deleteBranch(project.id, second.id);
    await store.updateBranch(project.id, branch.id, { name: branch.name });
    expect(await store.listBranches(project.id)).toStrictEqual([branch]);
  });

  rule('ST-10', 'a name may be any text, also one that is special to a file system or to git', async (subject) => {
    const { project } = await seedProject(subject.store);
    const names = ['a', 'a/b', 'A', '..', 'HEAD', 'x.lock', 'try: two', 'ends with.', '@{1}', '%2F', 'Bäume 🌳', '-n'];
    const created = names.map((name) => buildBranch(project, { name }));
    for (const branch of created) await subject.store.createBranch(branch);
    const store = await subject.reopen();
    for (const branch of created) expect(await store.getBranch(project.id, branch.name)).toStrictEqual(branch);
    expect((await store.listBranches(project.id)).slice(1)).toStrictEqual(created);
  });

  rule('ST-10', 'a patch changes what it names and nothing else', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const patch = {
      pinned: true,
      hidden: true,
      color: 'red',
      replayBy: 'break',
      keepToolsAfterBreak: true,
      envelope: { ...branch.envelope, thinking: 'high', tools: ['t'], maxTokens: 9 },
    } as const;
    expect(await store.updateBranch(project.id, branch.id, patch)).toStrictEqual({ ...branch, ...patch });
    const reopened = await reopen();
    expect(await reopened.getBranch(project.id, branch.id)).toStrictEqual({ ...branch, ...patch });
  });

  rule('ST-7', 'a branch id that is taken is a conflict', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    await expect(store.createBranch({ ...branch, name: 'another' })).rejects.toMatchObject({ code: 'id_taken' });
    expect(await store.listBranches(project.id)).toStrictEqual([branch]);
  });

  rule(
    'ST-11',
    'deleting a branch removes the pointer; nodes and turns stay as they are',
    async ({ store, reopen }) => {
      const { project, branch } = await seedProject(store);
      const { turn, user, reply } = await seedTurn(store, project, branch, null);
      await store.deleteBranch(project.id, branch.id);
      const reopened = await reopen();
      expect(await reopened.listBranches(project.id)).toStrictEqual([]);
      expect(await reopened.path(project.id, reply.id)).toStrictEqual([user, reply]);
      expect(await reopened.getTurn(project.id, turn.id)).toStrictEqual(turn);
    },
  );

  rule('ST-11', 'a branch on which a turn runs is not deleted', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const { turn, user } = await beginTurn(store, project, branch, null);
    await expect(store.deleteBranch(project.id, branch.id)).rejects.toMatchObject({
      code: 'turn_running',
      conflicting: turn.id,
    });
    expect(await store.getBranch(project.id, branch.id)).toStrictEqual({ ...branch, tipId: user.id });
  });

  rule('ST-12', 'the tip moves only from where the caller believes it to be', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const [first, second] = await seedChain(store, project, null, ['one', 'two']);
    if (!first || !second) throw new Error('the chain has two nodes');
    await store.moveTip(project.id, branch.id, { expected: null, next: second.id });
    await expect(store.moveTip(project.id, branch.id, { expected: first.id, next: first.id })).rejects.toMatchObject({
      code: 'tip_moved',
      conflicting: second.id,
    });
    await expect(store.moveTip(project.id, branch.id, { expected: null, next: first.id })).rejects.toBeInstanceOf(
      ConflictError,
    );
    expect((await store.getBranch(project.id, branch.id)).tipId).toBe(second.id);
    await store.moveTip(project.id, branch.id, { expected: second.id, next: first.id });
    expect((await (await reopen()).getBranch(project.id, branch.id)).tipId).toBe(first.id);
  });

  rule('ST-12', 'a tip can be taken away again', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const [root] = await seedChain(store, project, null, ['one']);
    if (!root) throw new Error('the chain has a node');
    await store.moveTip(project.id, branchId(branch.id), { expected: null, next: root.id });
    await store.moveTip(project.id, branch.id, { expected: root.id, next: null });
    expect(await store.getBranch(project.id, branch.id)).toStrictEqual(branch);
  });
}
