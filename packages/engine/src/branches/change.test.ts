import type { Project, ProjectId } from '@bough/core';
import { createNode, nodeId, turnId } from '@bough/core';
import type { Store } from '@bough/store';
import { openFilesStore } from '@bough/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Engine } from '../engine.ts';
import { stageOn } from '../turn/testing.ts';

let dir: string;
let store: Store;
let engine: Engine;
let project: Project;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bough-change-branch-'));
  store = await openFilesStore({ directory: dir });
  ({ engine } = stageOn(store, 'http://127.0.0.1:9'));
  ({ project } = await engine.createProject({ name: 'Tides' }));
});
afterEach(async () => {
  await store.close();
  await rm(dir, { recursive: true, force: true });
});

const main = () => store.getBranch(project.id, 'main');

const message = () =>
  createNode({
    id: nodeId('n1'),
    projectId: project.id,
    parentId: null,
    role: 'user',
    contentBlocks: [{ type: 'text', text: 'Why?' }],
    createdAt: project.createdAt,
  });

async function runTurn(projectId: ProjectId): Promise<void> {
  const turn = { id: turnId('running'), projectId, isThinkingMode: false, status: 'running' as const };
  await store.beginTurn({
    turn: { ...turn, branchId: (await main()).id, createdAt: project.createdAt },
    owner: 'somebody',
    leaseMs: 60_000,
    nodes: [],
  });
}

describe('changing a branch', () => {
  it.each([{ tipId: nodeId('n1') }, { thinking: 'off' as const }, { tools: [] }])(
    'BC-1: %j waits for the turn that runs; a name does not',
    async (change) => {
      await runTurn(project.id);
      const before = await main();
      await expect(engine.changeBranch(project.id, 'main', change)).rejects.toMatchObject({
        code: 'turn_running',
        conflicting: 'running',
      });
      expect(await main()).toEqual(before);
      expect((await engine.changeBranch(project.id, 'main', { name: 'moon' })).branch).toEqual({
        ...before,
        name: 'moon',
      });
    },
  );

  it('BC-1: messages that are appended to a branch wait for the turn that runs on it; elsewhere they do not', async () => {
    const node = message();
    await store.appendNodes(project.id, [node], { branchId: (await main()).id, expected: null, next: node.id });
    await runTurn(project.id);
    const messages = [{ role: 'user' as const, content: 'And?' }];
    await expect(engine.appendMessages(node.id, messages, 'main')).rejects.toMatchObject({ code: 'turn_running' });
    expect((await main()).tipId).toBe(node.id);
    expect((await engine.appendMessages(node.id, messages)).created).toHaveLength(1);
  });

  it('BC-2: a tip that is no node of the project is refused, and nothing is changed', async () => {
    const before = await main();
    const change = { tipId: nodeId('nobody'), name: 'moon' };
    await expect(engine.changeBranch(project.id, 'main', change)).rejects.toMatchObject({ code: 'unknown_id' });
    expect(await main()).toEqual(before);
  });

  it('BC-2: a name that is taken and a tool that nobody knows are refused, and the tip stays', async () => {
    await engine.createBranch(project.id, { name: 'moon', fromRef: 'main' });
    const before = await main();
    const node = message();
    await store.appendNodes(project.id, [node]);
    await expect(engine.changeBranch(project.id, 'main', { tipId: node.id, name: 'moon' })).rejects.toMatchObject({
      code: 'name_taken',
    });
    await expect(engine.changeBranch(project.id, 'main', { tipId: node.id, tools: ['nobody'] })).rejects.toMatchObject({
      code: 'unknown_tool',
    });
    expect(await main()).toEqual(before);
    expect((await engine.changeBranch(project.id, 'main', { tipId: node.id, name: 'sun' })).branch).toEqual(
      await store.getBranch(project.id, 'sun'),
    );
    expect((await store.getBranch(project.id, 'sun')).tipId).toBe(node.id);
  });

  it('BC-4: provider and model may change until a reply was made under them', async () => {
    const { branch: changed } = await engine.changeBranch(project.id, 'main', { provider: 'simulated_chat' });
    expect(changed.envelope).toMatchObject({ provider: 'simulated_chat', model: 'sim-thinker' });
    const question = message();
    const reply = createNode({
      id: nodeId('n2'),
      projectId: project.id,
      parentId: question.id,
      role: 'assistant',
      contentBlocks: [{ type: 'text', text: 'So.' }],
      provider: 'simulated_chat',
      modelUsed: 'sim-thinker',
      createdAt: project.createdAt,
    });
    await store.appendNodes(project.id, [question, reply], {
      branchId: changed.id,
      expected: null,
      next: question.id,
    });
    // The message alone binds nothing.
    const plain = await engine.changeBranch(project.id, 'main', { model: 'sim-plain' });
    expect(plain.branch.envelope.model).toBe('sim-plain');
    await engine.changeBranch(project.id, 'main', { model: 'sim-thinker', tipId: reply.id });
    const before = await main();
    for (const change of [{ provider: 'simulated' }, { model: 'sim-plain', name: 'moon' }])
      await expect(engine.changeBranch(project.id, 'main', change)).rejects.toMatchObject({ code: 'branch_locked' });
    expect(await main()).toEqual(before);
    const pinned = await engine.changeBranch(project.id, 'main', { provider: 'simulated_chat', pinned: true });
    expect(pinned.branch).toEqual({
      ...before,
      pinned: true,
    });
  });

  it('BC-3: touches what it names, and is heard of; so is a branch that goes', async () => {
    const before = await main();
    const heard: string[] = [];
    store.subscribe(({ type }) => heard.push(type));
    await engine.changeBranch(project.id, before.id, { thinking: 'high', color: null, pinned: undefined });
    expect(await main()).toEqual({ ...before, envelope: { ...before.envelope, thinking: 'high' } });
    await engine.createBranch(project.id, { name: 'side' });
    await engine.deleteBranch(project.id, 'side');
    expect((await store.listBranches(project.id)).map(({ name }) => name)).toEqual(['main']);
    await expect.poll(() => heard).toEqual(['changed', 'changed', 'changed']);
  });
});
