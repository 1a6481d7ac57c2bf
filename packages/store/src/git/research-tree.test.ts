import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { branchId, nodeId, projectId, turnId } from '@bough/core';
import { describe, expect, test } from 'vitest';
import { buildBranch, buildNode, idsOf, seedTurn } from '../contract/build.ts';
import { snapshotProject } from '../contract/snapshot.ts';
import type { Store } from '../store.ts';
import { fsck, git, linesAt, openStore, temporaryDirectory } from './testing/workplace.ts';

const ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const PROJECT = projectId(ID);

type Line = Record<string, unknown>;

const message = (id: string, parent: string | null, role: string, content: string, more: Line = {}): Line => ({
  id,
  timestamp: 1_700_000_000_000 + Number(id.slice(1)) * 1000,
  parent,
  createdOnBranch: 'main',
  type: 'message',
  role,
  content,
  ...more,
});

const RAW = [
  { event: 'message_start', data: { type: 'message_start', message: { id: 'msg_1' } } },
  { event: 'message_stop', data: { type: 'message_stop' } },
];

// A conversation as it was kept before turns existed: an old thinking trace, parsed raw, a canvas snapshot, a merge
// note.
const MAIN: readonly Line[] = [
  message('n1', null, 'user', 'How tall is an oak?'),
  message('n2', 'n1', 'assistant', 'Up to forty metres.', {
    modelUsed: 'claude-sonnet-4-20250514',
    thinking: {
      provider: 'anthropic',
      availability: 'full',
      content: [{ type: 'thinking', thinking: 'Tall.', signature: 'c2ln' }],
    },
    rawResponse: RAW,
    responseId: 'msg_1',
  }),
  {
    id: 'n3',
    timestamp: 1_700_000_003_000,
    parent: 'n2',
    createdOnBranch: 'main',
    type: 'state',
    artefactSnapshot: 'abc',
  },
  message('n4', 'n3', 'user', 'And a beech?', { clientRequestId: 'r1' }),
  message('n5', 'n4', 'assistant', 'A little less.', {
    interrupted: true,
    contentBlocks: [
      { type: 'thinking', thinking: 'Less.' },
      { type: 'odd', z: 1, a: [2] },
      { type: 'text', text: 'A little less.' },
    ],
    rawResponse: { stream: [{ candidates: [] }], response: null },
  }),
  {
    id: 'n6',
    timestamp: 1_700_000_006_000,
    parent: 'n5',
    createdOnBranch: 'main',
    type: 'merge',
    mergeFrom: 'idea',
    mergeSummary: 'Elms are gone.',
    sourceCommit: 'f00',
    sourceNodeIds: ['n7'],
  },
];

const IDEA: readonly Line[] = [
  ...MAIN.slice(0, 3),
  message('n7', 'n3', 'user', 'And an elm?', { createdOnBranch: 'idea' }),
];

const CONFIG = {
  version: 1,
  branches: {
    main: { provider: 'anthropic', model: 'claude-sonnet-4-20250514', previousResponseId: null, isHidden: false },
    idea: { provider: 'gemini', model: 'gemini-2.5-pro', previousResponseId: 'resp_x', isHidden: true, note: 'kept' },
  },
};

const text = (lines: readonly Line[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

/** Makes the repository as ResearchTree did: a work tree, one commit per node. */
async function makeRepository(root: string, config: object | null = CONFIG): Promise<string> {
  const directory = join(root, ID);
  await mkdir(directory);
  git(directory, 'init', '--quiet');
  git(directory, 'symbolic-ref', 'HEAD', 'refs/heads/main');
  const commit = async (file: string, content: string, subject: string): Promise<void> => {
    await writeFile(join(directory, file), content);
    git(directory, 'add', file);
    git(directory, 'commit', '--quiet', '-m', subject);
  };
  const project = { id: ID, name: 'Trees', description: 'Of the forest', createdAt: '2023-11-14T22:00:00.000Z' };
  await commit(
    'project.json',
    JSON.stringify({ ...project, pinnedBranchName: 'idea', mood: 'kept' }, null, 2),
    'Start',
  );
  await commit('artefact.md', '# Oaks\n', 'Canvas');
  await commit('stars.json', '{"starredNodeIds":["n2"]}', 'Stars');
  await commit('README.md', '# Trees\n', 'Readme');
  for (let length = 1; length <= 3; length += 1)
    await commit('nodes.jsonl', text(MAIN.slice(0, length)), `node ${length}`);
  git(directory, 'branch', 'idea');
  for (let length = 4; length <= MAIN.length; length += 1)
    await commit('nodes.jsonl', text(MAIN.slice(0, length)), `node ${length}`);
  git(directory, 'checkout', '--quiet', 'idea');
  await commit('nodes.jsonl', text(IDEA), 'node 7');
  git(directory, 'checkout', '--quiet', 'main');
  if (config) await writeFile(join(directory, '.git', 'rt-branch-config.json'), JSON.stringify(config, null, 2));
  return directory;
}

const contentsOf = async (store: Store, node: string): Promise<string[]> =>
  (await store.path(PROJECT, nodeId(node))).map(({ content }) => content);

describe('GIT-14: a repository of ResearchTree', () => {
  test('GIT-14: opens as it is, and looking at it writes nothing to git', async () => {
    const root = await temporaryDirectory();
    const directory = await makeRepository(root);
    const before = git(directory, 'for-each-ref');
    const store = await openStore(root);
    expect(await store.listProjects()).toStrictEqual([
      {
        id: ID,
        name: 'Trees',
        description: 'Of the forest',
        systemPrompt: null,
        defaults: {},
        archived: false,
        createdAt: '2023-11-14T22:00:00.000Z',
      },
    ]);
    const branches = await store.listBranches(PROJECT);
    expect(branches.map(({ id, name, tipId, hidden, pinned }) => [id, name, tipId, hidden, pinned])).toStrictEqual([
      ['main', 'main', 'n6', false, false],
      ['idea', 'idea', 'n7', true, true],
    ]);
    expect(branches.map(({ envelope }) => [envelope.provider, envelope.model])).toStrictEqual([
      ['anthropic', 'claude-sonnet-4-20250514'],
      ['gemini', 'gemini-2.5-pro'],
    ]);
    expect(await contentsOf(store, 'n5')).toStrictEqual([
      'How tall is an oak?',
      'Up to forty metres.',
      'And a beech?',
      'A little less.',
    ]);
    expect(await contentsOf(store, 'n7')).toStrictEqual(['How tall is an oak?', 'Up to forty metres.', 'And an elm?']);
    expect(idsOf(await store.children(PROJECT, nodeId('n2')))).toStrictEqual(['n4', 'n7']);
    expect(git(directory, 'for-each-ref')).toBe(before);
    expect(git(directory, 'status', '--porcelain')).toBe('');
  });

  test('GIT-176: a merge is one of Bough’s, with what it brought and from where, and begins no turn', async () => {
    const root = await temporaryDirectory();
    const directory = await makeRepository(root);
    const payload = {
      ...MAIN[5],
      id: 'n8',
      parent: 'n6',
      mergedAssistantNodeId: 'n7',
      mergedAssistantContent: 'Thirty.',
    };
    const silent = { ...payload, id: 'n9', parent: 'n8', mergeSummary: ' ', mergedAssistantContent: undefined };
    await writeFile(join(directory, 'nodes.jsonl'), text([...MAIN, payload, silent]));
    git(directory, 'commit', '--quiet', '-am', 'merges');
    const store = await openStore(root);
    const path = await store.path(PROJECT, nodeId('n8'));
    const heading = 'A summary of what was said on another branch of this conversation, "idea":\n\n';
    const block = { type: 'merge', branchId: 'idea', branchName: 'idea', after: null, upTo: 'n7', nodeIds: ['n7'] };
    expect(path.slice(-2)).toMatchObject([
      { id: 'n6', parentId: 'n5', role: 'user', turnId: null, content: `${heading}Elms are gone.` },
      { id: 'n8', parentId: 'n6', role: 'user', turnId: null, content: `${heading}Elms are gone.\n\nThirty.` },
    ]);
    expect(path.at(-1)?.contentBlocks[0]).toStrictEqual({ ...block, by: 'summary' });
    const { nodes, branches } = await store.graph(PROJECT);
    expect(nodes.filter(({ mergedUpTo }) => mergedUpTo === 'n7').map(({ id }) => id)).toStrictEqual(['n6', 'n8']);
    expect(branches.find(({ name }) => name === 'main')?.tipId).toBe('n8');
    expect(nodes.some(({ id }) => id === 'n9')).toBe(false);
    const page = await store.history(PROJECT, { tip: nodeId('n8'), limit: 9 });
    expect(idsOf(page.turns)).toStrictEqual(['turn-of-n1', 'turn-of-n4']);
  });

  test('GIT-176: what Bough wrote behind a merge before those became nodes is read as it was', async () => {
    const root = await temporaryDirectory();
    const directory = await makeRepository(root);
    let store = await openStore(root);
    const project = await store.getProject(PROJECT);
    const main = await store.getBranch(PROJECT, 'main');
    const { user, reply } = await seedTurn(store, project, main, nodeId('n6'));
    await store.close();
    const before = linesAt(directory, 'main').map((line) => {
      const own = JSON.parse(line) as Line;
      return own['id'] === user.id ? { ...own, parent: 'n5' } : own;
    });
    git(directory, 'checkout', '--quiet', '-f', 'main');
    await writeFile(join(directory, 'nodes.jsonl'), text(before));
    git(directory, 'commit', '--quiet', '-am', 'as it was');
    store = await openStore(root);
    expect((await store.getBranch(PROJECT, 'main')).tipId).toBe(reply.id);
    expect(idsOf(await store.path(PROJECT, reply.id))).toStrictEqual(['n1', 'n2', 'n4', 'n5', user.id, reply.id]);
    expect((await store.findNode(nodeId('n6'))).parentId).toBe('n5');
    const again = await store.getBranch(PROJECT, 'main');
    const next = buildNode(project, reply, 'more', { createdOnBranch: again.id });
    await store.appendNodes(PROJECT, [next], { branchId: again.id, expected: reply.id, next: next.id });
    expect(idsOf(await store.path(PROJECT, next.id)).slice(-2)).toStrictEqual([reply.id, next.id]);
  });

  test('GIT-15: old messages become nodes with turns, calls and raw responses', async () => {
    const root = await temporaryDirectory();
    await makeRepository(root);
    const store = await openStore(root);
    const [, reply, , broken] = await store.path(PROJECT, nodeId('n5'));
    expect(reply).toMatchObject({
      parentId: 'n1',
      turnId: 'turn-of-n1',
      provider: 'anthropic',
      modelUsed: 'claude-sonnet-4-20250514',
      createdOnBranch: 'main',
      thinking: { availability: 'full', truncated: false },
      contentBlocks: [
        { type: 'thinking', thinking: 'Tall.', signature: 'c2ln' },
        { type: 'text', text: 'Up to forty metres.' },
      ],
    });
    expect(broken).toMatchObject({ parentId: 'n4', interrupted: true, contentBlocks: MAIN[4]?.['contentBlocks'] });
    expect(await store.getTurn(PROJECT, turnId('turn-of-n1'))).toStrictEqual({
      id: 'turn-of-n1',
      projectId: ID,
      branchId: 'main',
      isThinkingMode: true,
      status: 'complete',
      createdAt: new Date(1_700_000_001_000).toISOString(),
    });
    expect((await store.getTurn(PROJECT, turnId('turn-of-n4'))).status).toBe('interrupted');
    expect(await store.getRaw(PROJECT, nodeId('n2'))).toMatchObject({
      api: 'anthropic-messages',
      provider: 'anthropic',
      complete: true,
      payload: RAW.map(({ event, data }) => ({ event, data: JSON.stringify(data) })),
    });
    // The line does not say which model made it: the lock of its branch does.
    expect(await store.getRaw(PROJECT, nodeId('n5'))).toMatchObject({
      api: 'gemini',
      provider: 'anthropic',
      complete: false,
      payload: { stream: ['{"candidates":[]}'], response: null },
    });
    expect(await store.getRaw(PROJECT, nodeId('n1'))).toBeNull();
    const page = await store.history(PROJECT, { tip: nodeId('n5'), limit: 1 });
    expect([idsOf(page.nodes), idsOf(page.turns), idsOf(page.calls), page.hasMore]).toStrictEqual([
      ['n4', 'n5'],
      ['turn-of-n4'],
      ['call-of-n5'],
      true,
    ]);
    expect((await store.callsOfTurn(PROJECT, turnId('turn-of-n1')))[0]?.responseId).toBe('msg_1');
  });

  test('GIT-14: goes on, and every old line and every other file keeps its bytes', async () => {
    const root = await temporaryDirectory();
    const directory = await makeRepository(root);
    const others = ['artefact.md', 'stars.json', 'README.md', 'project.json'];
    const before = others.map((file) => git(directory, 'rev-parse', `main:${file}`));
    let store = await openStore(root);
    const project = await store.getProject(PROJECT);
    const main = await store.getBranch(PROJECT, 'main');
    const { user, reply, raw } = await seedTurn(store, project, main, main.tipId);
    const idea = await store.getBranch(PROJECT, 'idea');
    const next = buildNode(project, { id: nodeId('n7') }, 'more', { createdOnBranch: idea.id });
    await store.appendNodes(PROJECT, [next], { branchId: idea.id, expected: nodeId('n7'), next: next.id });
    await store.close();

    const old = MAIN.map((line) => JSON.stringify(line));
    expect(linesAt(directory, 'main').slice(0, old.length)).toStrictEqual(old);
    expect(linesAt(directory, 'main').length).toBe(old.length + 2);
    expect(linesAt(directory, 'idea').slice(0, 4)).toStrictEqual(IDEA.map((line) => JSON.stringify(line)));
    expect(JSON.parse(linesAt(directory, 'idea')[4] ?? '')).toMatchObject({
      id: next.id,
      parent: 'n7',
      createdOnBranch: 'idea',
    });
    expect(others.map((file) => git(directory, 'rev-parse', `main:${file}`))).toStrictEqual(before);
    expect(git(directory, 'log', '--format=%s', 'main').split('\n').slice(2, 5)).toStrictEqual([
      'node 6',
      'node 5',
      'node 4',
    ]);
    // ResearchTree sends the conversation itself: no provider stored the response that Bough got.
    const { idea: continued } = CONFIG.branches;
    expect(JSON.parse(await readFile(join(directory, '.git/rt-branch-config.json'), 'utf8'))).toStrictEqual({
      ...CONFIG,
      branches: { ...CONFIG.branches, idea: { ...continued, previousResponseId: null } },
    });
    expect(fsck(directory)).toBe('');

    store = await openStore(root);
    expect(await store.path(PROJECT, reply.id)).toMatchObject([
      { id: 'n1' },
      { id: 'n2' },
      { id: 'n4' },
      { id: 'n5' },
      { id: 'n6' },
      user,
      reply,
    ]);
    expect(await store.getRaw(PROJECT, reply.id)).toStrictEqual(raw);
    expect(idsOf((await store.readContext(PROJECT, reply.id, '')).nodes)).toStrictEqual([
      'n1',
      'n2',
      'n4',
      'n5',
      'n6',
      user.id,
      reply.id,
    ]);
    expect((await store.getBranch(PROJECT, 'main')).tipId).toBe(reply.id);
  });

  test('GIT-14: an old line is never rewritten, not even to switch its thinking on', async () => {
    const root = await temporaryDirectory();
    const directory = await makeRepository(root);
    let store = await openStore(root);
    await store.setIncludeThinking(PROJECT, nodeId('n2'), true);
    await store.close();
    store = await openStore(root);
    expect((await store.findNode(nodeId('n2'))).includeThinkingInContext).toBe(true);
    expect(linesAt(directory, 'main')).toStrictEqual(MAIN.map((line) => JSON.stringify(line)));
  });

  test('GIT-14: is forked at an old node where its own history has the commit', async () => {
    const root = await temporaryDirectory();
    const directory = await makeRepository(root);
    const store = await openStore(root);
    const project = await store.getProject(PROJECT);
    await store.createBranch(buildBranch(project, { name: 'again', tipId: nodeId('n4') }));
    expect(git(directory, 'log', '-1', '--format=%s', 'again')).toBe('node 4');
    expect(linesAt(directory, 'again')).toStrictEqual(MAIN.slice(0, 4).map((line) => JSON.stringify(line)));
  });

  test('GIT-7: without a lock file a branch has the defaults', async () => {
    const root = await temporaryDirectory();
    await makeRepository(root, null);
    const defaults = { provider: 'openai', model: 'gpt-9', systemPrompt: null, tools: [], thinking: 'low' } as const;
    const store = await openStore(root, { defaults });
    for (const branch of await store.listBranches(PROJECT)) expect(branch.envelope).toStrictEqual(defaults);
  });

  test('GIT-7: a lock file of the plain form is read, and written in the newer one', async () => {
    const root = await temporaryDirectory();
    const directory = await makeRepository(root, { ...CONFIG.branches, mood: 'kept' });
    const store = await openStore(root);
    const lockOf = async (name: string) => (await store.getBranch(PROJECT, name)).envelope;
    expect(await lockOf('main')).toMatchObject({ provider: 'anthropic', model: 'claude-sonnet-4-20250514' });
    expect(await lockOf('idea')).toMatchObject({ provider: 'gemini', model: 'gemini-2.5-pro' });
    const idea = await store.getBranch(PROJECT, 'idea');
    await store.updateBranch(PROJECT, idea.id, { hidden: false });
    expect(JSON.parse(await readFile(join(directory, '.git/rt-branch-config.json'), 'utf8'))).toMatchObject({
      version: 1,
      mood: 'kept',
      branches: { main: CONFIG.branches.main, idea: { ...CONFIG.branches.idea, isHidden: false } },
    });
  });

  test('GIT-15: moves to another store with its raw responses and turns', async () => {
    const root = await temporaryDirectory();
    await makeRepository(root);
    const store = await openStore(root);
    const copy = await openStore(await temporaryDirectory());
    await copy.importProject(store.exportProject(PROJECT));
    expect(await snapshotProject(copy, PROJECT)).toStrictEqual(await snapshotProject(store, PROJECT));
    expect(await copy.getRaw(PROJECT, nodeId('n5'))).toStrictEqual(await store.getRaw(PROJECT, nodeId('n5')));
  });

  test('GIT-15: forks whose shared lines differ in their bytes are read right', async () => {
    const root = await temporaryDirectory();
    const directory = await makeRepository(root);
    // Renaming a branch rewrote the lines made on it, but only in that branch.
    git(directory, 'checkout', '--quiet', 'idea');
    const renamed = IDEA.map((line) => ({ ...line, createdOnBranch: 'a much longer name' }));
    await writeFile(join(directory, 'nodes.jsonl'), text(renamed).trimEnd());
    git(directory, 'commit', '--quiet', '-am', 'rename');
    let store = await openStore(root);
    expect(await contentsOf(store, 'n7')).toStrictEqual(['How tall is an oak?', 'Up to forty metres.', 'And an elm?']);
    expect(await contentsOf(store, 'n5')).toStrictEqual([
      'How tall is an oak?',
      'Up to forty metres.',
      'And a beech?',
      'A little less.',
    ]);
    const project = await store.getProject(PROJECT);
    const next = buildNode(project, { id: nodeId('n7') }, 'more');
    await store.appendNodes(PROJECT, [next], { branchId: branchId('idea'), expected: nodeId('n7'), next: next.id });
    await store.close();
    store = await openStore(root);
    expect((await contentsOf(store, next.id)).slice(-2)).toStrictEqual(['And an elm?', 'more']);
    expect(linesAt(directory, 'idea').slice(0, 4)).toStrictEqual(renamed.map((line) => JSON.stringify(line)));
  });

  test('GIT-18: a directory that holds another repository is a problem of its own', async () => {
    const root = await temporaryDirectory();
    await makeRepository(root);
    const stranger = join(root, 'stranger');
    await mkdir(stranger);
    git(stranger, 'init', '--quiet');
    const store = await openStore(root);
    expect(idsOf(await store.listProjects())).toStrictEqual([ID]);
    expect(store.problems().map(({ code, subject }) => [code, subject])).toStrictEqual([
      ['corrupt_project', join(stranger, '.git')],
    ]);
    await rm(stranger, { recursive: true });
  });
});
