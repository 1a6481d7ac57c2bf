import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { matchKeyOf, nodeId, parseSearch, projectId, textMessage } from '@bough/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildNode, buildProject, buildReply, LONG_LEASE, seedTurn } from '../contract/build.ts';
import { StoreError } from '../errors.ts';
import { verifyStore } from '../verify/index.ts';
import type { FilesStore } from './index.ts';
import { openFilesStore } from './index.ts';

const FIXTURE = new URL('./fixtures/loom/', import.meta.url);
const ROOT = projectId('root-1');
const node = (name: string) => nodeId(`root-1/${name}`);

let directory = '';
let opened: FilesStore[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bough-loom-'));
  await cp(FIXTURE, directory, { recursive: true });
  opened = [];
});
afterEach(async () => {
  for (const store of opened) await store.close();
  await rm(directory, { recursive: true });
});

async function open(): Promise<FilesStore> {
  const store = await openFilesStore({ directory });
  opened.push(store);
  return store;
}

const textOf = (path: string): Promise<string> => readFile(join(directory, path), 'utf8');
const jsonOf = async (path: string): Promise<unknown> => JSON.parse(await textOf(path)) as unknown;

/** Every file with its bytes, except for the directory of the lock and the journal. */
async function everyFile(): Promise<Record<string, string>> {
  const files = await readdir(directory, { recursive: true, withFileTypes: true });
  const found: Record<string, string> = {};
  for (const file of files) {
    const path = join(file.parentPath, file.name);
    if (file.isFile() && !path.includes('.bough')) found[path] = await readFile(path, 'utf8');
  }
  return found;
}

describe('existing data of Loom', () => {
  test('FS-1: a root that no model has answered is locked to the defaults', async () => {
    const node = {
      id: 'root-9/node-1',
      root_id: 'root-9',
      child_ids: [],
      message: { role: 'user', content: [{ type: 'text', text: 'Hello?' }] },
      metadata: { timestamp: '2024-01-01T00:00:00.000Z', original_root_id: 'root-9', source_info: { type: 'user' } },
    };
    await mkdir(join(directory, 'root-9/nodes'), { recursive: true });
    await writeFile(join(directory, 'root-9/nodes/node-1.json'), JSON.stringify(node));
    const root = { id: 'root-9', child_ids: [node.id], createdAt: '2024-01-01T00:00:00.000Z', config: {} };
    await writeFile(join(directory, 'roots.json'), JSON.stringify([root]));
    const defaults = { provider: 'openai', model: 'gpt-9', systemPrompt: null, tools: [], thinking: 'low' } as const;
    for (const [options, lock] of [
      [{ defaults }, { provider: 'openai', model: 'gpt-9' }],
      [{}, { provider: 'simulated', model: 'sim-thinker' }],
    ] as const) {
      const store = await openFilesStore({ directory, ...options });
      const [branch] = await store.listBranches(projectId('root-9'));
      await store.close();
      expect(branch).toMatchObject({ tipId: node.id, envelope: lock });
    }
  });

  test('FS-1: opens as it is: a root is a project, its leaves a branch', async () => {
    const store = await open();
    expect(
      (await store.listProjects()).map(({ id, name, systemPrompt }) => ({ id, name, systemPrompt })),
    ).toStrictEqual([
      { id: 'root-1', name: 'root-1', systemPrompt: 'You are a careful gardener.' },
      { id: 'root-2', name: 'root-2', systemPrompt: null },
    ]);
    const [branch] = await store.listBranches(ROOT);
    expect(branch).toMatchObject({
      name: 'main',
      tipId: 'root-1/node-6',
      envelope: { provider: 'anthropic', model: 'claude-old', systemPrompt: 'You are a careful gardener.' },
    });
    const path = await store.path(ROOT, node('node-4'));
    expect(path.map(({ role, contentBlocks, toolCallId }) => ({ role, contentBlocks, toolCallId }))).toStrictEqual([
      { role: 'user', contentBlocks: [{ type: 'text', text: 'How tall is the oak?' }], toolCallId: null },
      {
        role: 'assistant',
        contentBlocks: [
          { type: 'text', text: 'Let me measure.' },
          { type: 'tool-use', id: 'call_1', name: 'measure', parameters: { tree: 'oak' } },
        ],
        toolCallId: null,
      },
      { role: 'tool', contentBlocks: [{ type: 'text', text: '21 metres' }], toolCallId: 'call_1' },
      { role: 'assistant', contentBlocks: [{ type: 'text', text: 'It is 21 metres tall.' }], toolCallId: null },
    ]);
    expect(path[1]).toMatchObject({
      provider: 'gemini',
      modelUsed: 'gemini-old',
      createdAt: '2024-03-01T10:00:01.000Z',
    });
    expect((await store.children(ROOT, node('node-1'))).map(({ id }) => id)).toStrictEqual([
      'root-1/node-2',
      'root-1/node-5',
    ]);
    const first = textMessage('user', 'How tall is the oak?');
    expect((await store.findChild(ROOT, null, matchKeyOf(null, first)))?.id).toBe('root-1/node-1');
    expect((await store.history(ROOT, { tip: node('node-4'), limit: 5 })).nodes.length).toBe(4);
  });

  test('FS-1: reading writes nothing, to the byte', async () => {
    const before = await everyFile();
    const store = await open();
    for (const { id } of await store.listProjects()) {
      for await (const record of store.exportProject(id)) expect(record.type).not.toBe('call');
      await store.graph(id);
      await store.listBranches(id);
      await store.search({ query: parseSearch('oak'), projects: [id], limit: 10 });
    }
    await store.findNodesNormalized(() => true);
    await store.close();
    expect(await everyFile()).toStrictEqual(before);
    expect(await readdir(join(directory, '.bough'))).toStrictEqual([]);
  });

  test('FS-1: fits together as it is', async () => {
    const { checked, findings } = await verifyStore(await open());
    expect(findings).toStrictEqual([]);
    expect(checked).toStrictEqual({ projects: 2, nodes: 7, turns: 0, calls: 0, files: 0 });
  });

  test('FS-2: messages of the old form are normalised on read and stay as they are in the file', async () => {
    const store = await open();
    const before = await textOf('root-1/nodes/node-2.json');
    expect(await store.loadNodeNormalized(node('node-2'))).toMatchObject({
      id: 'root-1/node-2',
      child_ids: ['root-1/node-3'],
      message: {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me measure.' },
          { type: 'tool-use', id: 'call_1', name: 'measure', parameters: { tree: 'oak' } },
        ],
      },
      metadata: { tags: ['kept'] },
    });
    const found = await store.findNodesNormalized(({ message }) => message?.role === 'tool');
    expect(found.map(({ id }) => id)).toStrictEqual(['root-1/node-3']);
    expect(await store.findNodesNormalized(({ message }) => message === null)).toMatchObject([{ id: 'root-2/node-1' }]);
    expect(await textOf('root-1/nodes/node-2.json')).toBe(before);
  });

  test('FS-2: they are rewritten only when asked, and nothing but the message changes', async () => {
    const store = await open();
    const before = (await jsonOf('root-1/nodes/node-2.json')) as object;
    const untouched = await textOf('root-1/nodes/node-6.json');
    const path = await store.path(ROOT, node('node-4'));
    expect(await store.rewriteLegacyMessages(ROOT)).toStrictEqual(
      ['node-1', 'node-2', 'node-3', 'node-5'].map((name) => node(name)),
    );
    expect(await store.rewriteLegacyMessages(ROOT)).toStrictEqual([]);
    await store.close();
    expect(await jsonOf('root-1/nodes/node-2.json')).toStrictEqual({
      ...before,
      message: { role: 'assistant', content: path[1]?.contentBlocks },
    });
    expect(await textOf('root-1/nodes/node-6.json')).toBe(untouched);
    expect(await (await open()).path(ROOT, node('node-4'))).toStrictEqual(path);
  });

  test('FS-20: an upgrade rewrites them and gives turns to nodes that have none, once; a dry run changes no byte', async () => {
    const store = await open();
    const path = await store.path(ROOT, node('node-4'));
    const before = await everyFile();
    const planned = await store.upgradeProject(ROOT, { dryRun: true });
    expect(planned.messages).toStrictEqual(['node-1', 'node-2', 'node-3', 'node-5'].map((name) => node(name)));
    expect(planned.nodes).toBeGreaterThan(0);
    expect(await everyFile()).toStrictEqual(before);

    expect(await store.upgradeProject(ROOT, { dryRun: false })).toStrictEqual(planned);
    expect(await store.upgradeProject(ROOT, { dryRun: false })).toStrictEqual({ messages: [], turns: 0, nodes: 0 });
    await store.close();
    const again = await open();
    expect(await again.path(ROOT, node('node-4'))).toStrictEqual(
      path.map((each) => ({ ...each, turnId: `backfilled-${node('node-1')}` })),
    );
    expect(await again.rewriteLegacyMessages(ROOT)).toStrictEqual([]);
    const written = (await jsonOf('root-1/nodes/node-2.json')) as { message: object; metadata: object };
    expect(written.message).toStrictEqual({ role: 'assistant', content: path[1]?.contentBlocks });
    const [file] = Object.entries(before).find(([name]) => name.endsWith('root-1/nodes/node-2.json')) ?? [''];
    const old = JSON.parse(before[file] ?? '{}') as { metadata: object };
    expect(written.metadata).toMatchObject(old.metadata);
    expect((await verifyStore(again, { project: ROOT })).findings).toStrictEqual([]);
  });

  test('FS-3: a new node is a file of Loom’s form; the parent’s old message stays', async () => {
    const store = await open();
    const project = await store.getProject(ROOT);
    const [branch] = await store.listBranches(ROOT);
    if (!branch) throw new Error('the project was shown with a branch');
    const reply = buildReply(project, { id: node('node-5') }, 'Seven.', { id: node('node-7') });
    await store.appendNodes(ROOT, [reply], { branchId: branch.id, expected: branch.tipId, next: reply.id });
    const top = buildNode(project, null, 'another beginning', { id: node('node-8') });
    await store.appendNodes(ROOT, [top]);
    await store.close();

    expect(await jsonOf('root-1/nodes/node-7.json')).toMatchObject({
      id: 'root-1/node-7',
      root_id: 'root-1',
      parent_id: 'root-1/node-5',
      child_ids: [],
      // Loom knows text and calls of tools; everything is in Bough's own part.
      message: { role: 'assistant', content: [{ type: 'text', text: 'Seven.' }] },
      metadata: {
        custom_data: { bough: { message: { role: 'assistant', content: reply.contentBlocks } } },
        timestamp: reply.createdAt,
        original_root_id: 'root-1',
        source_info: { type: 'model', provider: 'simulated', model_name: 'sim-1' },
      },
    });
    expect(await jsonOf('root-1/nodes/node-5.json')).toMatchObject({
      child_ids: ['root-1/node-7'],
      message: { role: 'assistant', content: 'I could not say.' },
    });
    expect(await jsonOf('roots.json')).toMatchObject([
      { id: 'root-1', child_ids: ['root-1/node-1', 'root-1/node-6', 'root-1/node-8'], extra: 'kept' },
      { id: 'root-2' },
      { id: 'root-9', deleted: true },
    ]);
    const again = await open();
    expect(await again.findNode(reply.id)).toStrictEqual(reply);
    expect(await again.getBranch(ROOT, 'main')).toStrictEqual({ ...branch, tipId: reply.id });
  });

  test('FS-3: a turn in a project of Loom makes it Bough’s without touching the rest', async () => {
    const store = await open();
    const project = await store.getProject(ROOT);
    const [branch] = await store.listBranches(ROOT);
    if (!branch) throw new Error('the project was shown with a branch');
    const other = await everyFile();
    const turn = await seedTurn(store, project, branch, branch.tipId);
    await store.close();
    const again = await open();
    expect((await again.listBranches(ROOT)).map(({ name, tipId }) => [name, tipId])).toStrictEqual([
      ['main', turn.reply.id],
    ]);
    expect(await again.getRaw(ROOT, turn.reply.id)).toStrictEqual(turn.raw);
    expect(await again.getProject(ROOT)).toStrictEqual(project);
    const changed = Object.entries(await everyFile()).filter(([path, text]) => other[path] !== text);
    const paths = changed.map(([path]) => path.slice(directory.length + 1));
    expect(paths).toContain('root-1/nodes/node-6.json');
    // Sorted by folder: how a new node's name compares with an old one's depends on how many were made before.
    expect(paths.map((path) => dirname(path)).sort()).toEqual([
      'root-1/bough',
      'root-1/bough/branches',
      'root-1/bough/raw',
      'root-1/bough/renderings',
      'root-1/bough/turns',
      'root-1/nodes',
      'root-1/nodes',
      'root-1/nodes',
    ]);
  });

  test('FS-3: switches and moves of old nodes change those fields alone', async () => {
    const store = await open();
    await store.setIncludeThinking(ROOT, node('node-2'), true);
    await store.deleteNode(ROOT, node('node-1'), 'reparent');
    await store.close();
    expect(await jsonOf('root-1/nodes/node-2.json')).toMatchObject({
      parent_id: 'root-1',
      message: { content: 'Let me measure.', tool_calls: [{ id: 'call_1' }] },
      metadata: { tags: ['kept'], custom_data: { theirs: 1, bough: { includeThinkingInContext: true } } },
    });
    const again = await open();
    expect(await again.findNode(node('node-2'))).toMatchObject({ parentId: null, includeThinkingInContext: true });
    expect((await again.children(ROOT, null)).map(({ id }) => id)).toStrictEqual(
      ['node-2', 'node-5', 'node-6'].map((name) => node(name)),
    );
  });
});

describe('files that cannot be read', () => {
  test('FS-4: a malformed node is an error that names its file; everything else opens', async () => {
    await writeFile(join(directory, 'root-1/nodes/node-3.json'), '{ "id": ');
    const store = await open();
    const path = join(directory, 'root-1/nodes/node-3.json');
    for (const attempt of [
      () => store.findNode(node('node-3')),
      () => store.path(ROOT, node('node-4')),
      () => store.loadNodeNormalized(node('node-3')),
      () => store.exportProject(ROOT)[Symbol.asyncIterator]().next(),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'malformed_file', subject: path });
      await expect(attempt()).rejects.toBeInstanceOf(StoreError);
    }
    expect(store.problems().map(({ subject }) => subject)).toStrictEqual([path]);
    expect((await store.path(ROOT, node('node-2'))).length).toBe(2);
    expect((await store.children(projectId('root-2'), null)).length).toBe(1);
    const project = await store.getProject(ROOT);
    await expect(
      store.appendNodes(ROOT, [buildNode(project, null, 'thief', { id: node('node-3') })]),
    ).rejects.toMatchObject({ code: 'id_taken' });
    await store.appendNodes(ROOT, [buildReply(project, { id: node('node-5') }, 'goes on')]);
    expect(await textOf('root-1/nodes/node-3.json')).toBe('{ "id": ');
  });

  test.each([
    ['no object', '[]'],
    ['no id', '{"parent_id":null,"message":{"role":"user","content":"x"}}'],
    ['an unknown role', '{"id":"root-1/node-3","message":{"role":"judge","content":"x"}}'],
    [
      'arguments that are no JSON',
      '{"id":"root-1/node-3","message":{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":{"name":"n","arguments":"{oops"}}]}}',
    ],
  ])('FS-4: so is a node file with %s', async (_, text) => {
    await writeFile(join(directory, 'root-1/nodes/node-3.json'), text);
    const store = await open();
    await expect(store.findNode(node('node-3'))).rejects.toMatchObject({ code: 'malformed_file' });
    expect((await store.listProjects()).length).toBe(2);
  });

  test('FS-4: a malformed file of Bough’s own stops writing to its project, not reading, and stays as it is', async () => {
    const first = await open();
    const project = buildProject({ id: projectId('p') });
    await first.createProject(project);
    const root = buildNode(project, null, 'root', { id: nodeId('r') });
    await first.appendNodes(project.id, [root]);
    await first.close();
    await mkdir(join(directory, 'p/bough/branches'), { recursive: true });
    const path = join(directory, 'p/bough/branches/broken.json');
    await writeFile(path, '{"id":"broken"}');

    const store = await open();
    const named = { code: 'malformed_file', subject: path };
    await expect(store.getBranch(project.id, 'broken')).rejects.toMatchObject(named);
    await expect(store.appendNodes(project.id, [buildNode(project, root, 'x')])).rejects.toMatchObject(named);
    expect(await store.path(project.id, root.id)).toStrictEqual([root]);
    await store.setIncludeThinking(ROOT, node('node-2'), true);
    expect(await readFile(path, 'utf8')).toBe('{"id":"broken"}');
  });

  test('FS-4: without a list of roots nothing can be said, and nothing is written', async () => {
    await writeFile(join(directory, 'roots.json'), '[{');
    await expect(open()).rejects.toMatchObject({ code: 'malformed_file', subject: join(directory, 'roots.json') });
    expect(await textOf('roots.json')).toBe('[{');
    await writeFile(join(directory, 'roots.json'), '[]');
    // Its directories tell what an empty list has forgotten.
    expect((await (await open()).listProjects()).map(({ id }) => id)).toStrictEqual(['root-1', 'root-2']);
  });

  test('FS-4: a file that goes while the store is open is named', async () => {
    const store = await open();
    await rm(join(directory, 'root-1/nodes/node-5.json'));
    await expect(store.findNode(node('node-5'))).rejects.toMatchObject({ code: 'missing_file' });
  });
});

describe('places', () => {
  test('FS-9: nodes whose ids differ only by the root have files of their own', async () => {
    const store = await open();
    const project = await store.getProject(ROOT);
    const twin = buildNode(project, null, 'twin', { id: nodeId('node-1') });
    await store.appendNodes(ROOT, [twin]);
    await store.close();
    const again = await open();
    expect(await again.findNode(twin.id)).toStrictEqual(twin);
    expect((await again.findNode(node('node-1'))).content).toBe('How tall is the oak?');
  });

  test('FS-11: a directory that belongs to no project is left alone', async () => {
    await mkdir(join(directory, 'garden'));
    await writeFile(join(directory, 'garden/notes.txt'), 'mine');
    const store = await open();
    await expect(store.createProject(buildProject({ id: projectId('garden') }))).rejects.toMatchObject({
      code: 'directory_taken',
    });
    await expect(store.createProject(buildProject({ id: projectId('root-9') }))).rejects.toMatchObject({
      code: 'id_taken',
    });
    await store.createProject(buildProject({ id: projectId('roots.json') }));
    expect(await textOf('garden/notes.txt')).toBe('mine');
  });

  test('FS-5: a second opening is refused while the first is open', async () => {
    const store = await open();
    await expect(openFilesStore({ directory })).rejects.toMatchObject({ code: 'store_locked' });
    await store.close();
    await open();
  });

  test('FS-12: leases run by the given clock', async () => {
    let now = 1000;
    const store = await openFilesStore({ directory, now: () => now });
    opened.push(store);
    const project = await store.getProject(ROOT);
    const [branch] = await store.listBranches(ROOT);
    if (!branch) throw new Error('the project was shown with a branch');
    const { turn } = await seedTurn(store, project, branch, branch.tipId);
    const second = { ...turn, id: `${turn.id}-2` as typeof turn.id, status: 'running' as const };
    await store.beginTurn({ turn: second, owner: 'a', leaseMs: 500, nodes: [] });
    now = 1499;
    expect(await store.claimExpiredTurns('b', LONG_LEASE)).toStrictEqual([]);
    now = 1500;
    expect(await store.claimExpiredTurns('b', LONG_LEASE)).toStrictEqual([second]);
  });
});
