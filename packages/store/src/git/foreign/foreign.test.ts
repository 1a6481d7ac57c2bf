import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeId } from '@bough/core';
import { describe, expect, test } from 'vitest';
import { buildBranch, seedProject, seedTurn } from '../../contract/build.ts';
import { recordsOf, snapshotProject } from '../../contract/snapshot.ts';
import type { ForeignDocument } from '../../foreign.ts';
import { heldBy } from '../../foreign.ts';
import { openFilesStore } from '../../files/index.ts';
import { moveProject } from '../../move/index.ts';
import type { ProjectRecord, Store } from '../../store.ts';
import { continueTree, readAsResearchTree, researchTree, stateOf, TREE_ID } from '../testing/research-tree.ts';
import { fsck, git, openStore, temporaryDirectory } from '../testing/workplace.ts';

/** A repository, a store on it, and another store that it can go to and come back from. */
async function start() {
  const root = await temporaryDirectory();
  const directory = await researchTree(root);
  const elsewhere = await openFilesStore({ directory: join(await temporaryDirectory(), 'files') });
  const back = await temporaryDirectory();
  return { root, directory, elsewhere, back, returned: join(back, TREE_ID) };
}

async function withStore<T>(root: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(root);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const talk = async (store: Store, name: string) => {
  const project = await store.getProject(TREE_ID);
  const branch = await store.getBranch(TREE_ID, name);
  return seedTurn(store, project, branch, branch.tipId);
};

describe('what ResearchTree keeps and Bough does not', () => {
  test('GIT-45: is in the export: history, merges, canvas, counts, what was never committed', async () => {
    const { root, directory } = await start();
    const documents = await withStore(root, (store) => store.foreignDocuments(TREE_ID));
    expect(heldBy(documents)).toStrictEqual({
      commit: 8,
      'token count': 2,
      'state of the canvas': 1,
      'hidden message': 1,
      merge: 1,
      'uncommitted file': 1,
    });
    // The same history gives the same documents, however often it is read and however it is packed.
    git(directory, 'gc', '--quiet');
    expect(await withStore(root, (store) => store.foreignDocuments(TREE_ID))).toStrictEqual(documents);
    const lines = documents.find(({ name }) => name.startsWith('research-tree/objects/'))?.value as { base?: string }[];
    // A file that grew is kept as what was added to it.
    expect(lines.filter(({ base }) => base !== undefined).length).toBeGreaterThan(3);
  });

  test('GIT-45: a project that Bough made has none, unless somebody commits to it by hand', async () => {
    const root = await temporaryDirectory();
    const store = await openStore(root);
    const { project, branch } = await seedProject(store);
    await seedTurn(store, project, branch, null);
    expect(await store.foreignDocuments(project.id)).toStrictEqual([]);
    await store.close();
    const directory = join(root, project.id);
    const commit = git(directory, 'commit-tree', 'main^{tree}', '-p', 'main', '-m', 'by hand');
    git(directory, 'update-ref', 'refs/heads/main', commit);
    const documents = await withStore(root, (again) => again.foreignDocuments(project.id));
    expect(JSON.stringify(documents)).toContain(commit);
  });

  test('GIT-46: comes back commit by commit, with a work tree, an index and a pin', async () => {
    const { root, directory, elsewhere, back, returned } = await start();
    const before = await stateOf(directory);
    const report = await withStore(root, (store) => moveProject(store, elsewhere, TREE_ID, { deleteSource: true }));
    expect(report).toMatchObject({ sourceDeleted: true, beside: { merge: 1, commit: 8 } });
    await withStore(back, async (store) => {
      await moveProject(elsewhere, store, TREE_ID);
      expect(await store.getBranch(TREE_ID, 'idea')).toMatchObject({ pinned: true, hidden: true });
    });
    expect(await stateOf(returned)).toStrictEqual(before);
    expect(fsck(returned)).toBe('');
    await elsewhere.close();
  });

  test('GIT-47: goes on in both programs, there and back', async () => {
    const { root, elsewhere, back, returned } = await start();
    await withStore(root, (store) => moveProject(store, elsewhere, TREE_ID));
    const { reply } = await talk(elsewhere, 'main');
    const fork = buildBranch(await elsewhere.getProject(TREE_ID), { name: 'elsewhere', tipId: reply.id });
    await elsewhere.createBranch(fork);
    const wanted = await snapshotProject(elsewhere, TREE_ID);
    await withStore(back, async (store) => {
      await moveProject(elsewhere, store, TREE_ID);
      expect(await snapshotProject(store, TREE_ID)).toStrictEqual(wanted);
    });
    const seen = await readAsResearchTree(returned);
    expect(seen['main']?.slice(0, 4)).toStrictEqual([
      'user: How tall is an oak?',
      'assistant: Forty metres.',
      'state',
      'merge',
    ]);
    expect(seen['main']?.length).toBe(6);
    expect(git(returned, 'status', '--porcelain')).toBe('M project.json');
    expect(git(returned, 'show', 'main:artefact.md')).toBe('# Oaks');
    // ResearchTree adds to it, and it goes and returns once more.
    continueTree(returned, 'main', 'n9', 'ResearchTree goes on');
    const refs = git(returned, 'for-each-ref', 'refs/heads');
    const third = await temporaryDirectory();
    await elsewhere.deleteProject(TREE_ID);
    await withStore(back, async (store) => {
      expect((await store.path(TREE_ID, nodeId('n9'))).at(-1)?.parentId).toBe(reply.id);
      await moveProject(store, elsewhere, TREE_ID, { deleteSource: true });
    });
    await withStore(third, (store) => moveProject(elsewhere, store, TREE_ID));
    expect(git(join(third, TREE_ID), 'for-each-ref', 'refs/heads')).toBe(refs);
    await elsewhere.close();
  });

  test('GIT-51: what was deleted meanwhile does not return into the branches', async () => {
    const { root, elsewhere, back, returned } = await start();
    await withStore(root, (store) => moveProject(store, elsewhere, TREE_ID));
    await elsewhere.deleteNode(TREE_ID, nodeId('n5'), 'cascade');
    const wanted = await snapshotProject(elsewhere, TREE_ID);
    await withStore(back, async (store) => {
      await moveProject(elsewhere, store, TREE_ID);
      expect(await snapshotProject(store, TREE_ID)).toStrictEqual(wanted);
    });
    expect(Object.values(await readAsResearchTree(returned)).flat()).not.toContain('assistant: Thirty.');
    expect((await readAsResearchTree(returned))['main']).toContain('merge');
    await elsewhere.close();
  });

  const changed = (documents: readonly ForeignDocument[], from: string, to: string): readonly ForeignDocument[] =>
    JSON.parse(JSON.stringify(documents).replaceAll(from, to)) as readonly ForeignDocument[];

  test.each([
    ['an object that is not what its id says', 'Forty metres.', 'Fifty metres.'],
    ['a path outside', '"path":"project.json"', '"path":"../../escaped.json"'],
    ['a file of git itself', '"path":".git/rt-branch-config.json"', '"path":".git/hooks/post-checkout"'],
    ['a ref that is none', '"refs/heads/idea":', '"refs/heads/../../x":'],
    ['Bough’s own ref', '"refs/heads/idea":', '"refs/bough/meta":'],
  ])('GIT-52: documents with %s are kept, and not believed', async (_, from, to) => {
    const { root, back, returned } = await start();
    const records: ProjectRecord[] = [];
    await withStore(root, async (store) => {
      for await (const record of store.exportProject(TREE_ID)) if (record.type !== 'foreign') records.push(record);
      const documents = changed(await store.foreignDocuments(TREE_ID), from, to);
      records.splice(1, 0, ...documents.map((value) => ({ type: 'foreign', value }) as const));
    });
    await withStore(back, async (store) => {
      await store.importProject(recordsOf(records));
      expect((await store.path(TREE_ID, nodeId('n5'))).map(({ id }) => id)).toStrictEqual(['n1', 'n2', 'n4', 'n5']);
      expect(JSON.stringify(await store.foreignDocuments(TREE_ID))).toContain(to);
    });
    expect(git(returned, 'config', 'core.bare')).toBe('true');
    await expect(readFile(join(back, 'escaped.json'))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(readFile(join(returned, '.git/hooks/post-checkout'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('GIT-52: records that tell another story are stored as they are; the documents stay beside them', async () => {
    const { root, back, returned } = await start();
    const records: ProjectRecord[] = [];
    await withStore(root, async (store) => {
      for await (const record of store.exportProject(TREE_ID))
        records.push(
          record.type === 'node' && record.value.id === 'n2'
            ? { ...record, value: { ...record.value, interrupted: true } }
            : record,
        );
    });
    await withStore(back, async (store) => {
      await store.importProject(recordsOf(records));
      expect((await store.findNode(nodeId('n2'))).interrupted).toBe(true);
      expect(heldBy(await store.foreignDocuments(TREE_ID))).toMatchObject({ merge: 1 });
    });
    expect(git(returned, 'log', '--format=%an', 'main')).not.toContain('Somebody');
  });

  test('MV-20: a source that holds more than can be kept is not deleted, and what it holds is named', async () => {
    const { root, directory, elsewhere } = await start();
    await writeFile(join(directory, '.git/hooks/pre-commit'), '#!/bin/sh\n');
    git(directory, 'config', 'remote.origin.url', 'https://user:secret@example.org/x.git');
    await withStore(root, async (store) => {
      const move = moveProject(store, elsewhere, TREE_ID, { deleteSource: true });
      await expect(move).rejects.toMatchObject({
        code: 'not_kept',
        differences: ['.git/config', '.git/hooks/pre-commit'],
      });
      expect(await elsewhere.listProjects()).toStrictEqual([]);
      // A copy takes along what can be kept; no setting is, which may hold a password.
      await moveProject(store, elsewhere, TREE_ID);
      expect(JSON.stringify(await elsewhere.foreignDocuments(TREE_ID))).not.toContain('secret');
      expect((await store.getProject(TREE_ID)).name).toBe('Forest notes');
    });
    await elsewhere.close();
  });

  test('MV-20: a missing object does not keep the others from being kept', async () => {
    const { root, directory, elsewhere } = await start();
    const blob = git(directory, 'rev-parse', 'main~3:artefact.md');
    await rm(join(directory, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    const { beside } = await withStore(root, (store) => moveProject(store, elsewhere, TREE_ID));
    expect(beside).toMatchObject({ 'missing object': 1, commit: 8 });
    await elsewhere.close();
  });
});

describe('stars', () => {
  const starsOf = (directory: string): readonly string[] =>
    (JSON.parse(git(directory, 'show', 'main:stars.json')) as { starredNodeIds: string[] }).starredNodeIds;
  const star = (id: string) =>
    ({ projectId: TREE_ID, nodeId: nodeId(id), kind: 'star', name: '', text: '', changedAt: NOW }) as const;
  const NOW = '2026-01-01T00:00:00.000Z';

  test('GIT-174: ResearchTree’s stars are Bough’s, and what Bough stars is in ResearchTree’s file', async () => {
    const { root, directory } = await start();
    const nodes = await withStore(root, async (store) => {
      expect((await store.annotations({})).map(({ kind, nodeId: id }) => [kind, id])).toStrictEqual([['star', 'n2']]);
      await store.annotate(TREE_ID, { put: [star('n5'), star('n1')], remove: [] });
      expect(starsOf(directory)).toStrictEqual(['n2', 'n1', 'n5']);
      await store.annotate(TREE_ID, { put: [], remove: [{ nodeId: nodeId('n2'), kind: 'star', name: '' }] });
      expect(starsOf(directory)).toStrictEqual(['n1', 'n5']);
      // A note is nothing for that file: no commit is made for it.
      const commit = git(directory, 'rev-parse', 'main');
      await store.annotate(TREE_ID, { put: [{ ...star('n1'), kind: 'note', text: 'mine' }], remove: [] });
      expect(git(directory, 'rev-parse', 'main')).toBe(commit);
      await talk(store, 'main');
      expect(starsOf(directory)).toStrictEqual(['n1', 'n5']);
      return (await store.graph(TREE_ID)).nodes.length;
    });
    expect(fsck(directory)).toBe('');
    await readAsResearchTree(directory);
    // ResearchTree takes one back and gives another, and one to a node that Bough does not have.
    git(directory, 'checkout', '--quiet', '-f', 'main');
    await writeFile(join(directory, 'stars.json'), '{"starredNodeIds":["n1","n2","n6"],"more":1}');
    git(directory, 'commit', '--quiet', '-am', '[stars] Update starred nodes (3)');
    await withStore(root, async (store) => {
      const stars = await store.annotations({ kinds: ['star'] });
      const known = new Set((await store.graph(TREE_ID)).nodes.map(({ id }) => id));
      expect(known.size).toBe(nodes);
      const wanted = ['n1', 'n2', 'n6'].filter((id) => known.has(nodeId(id)));
      expect(stars.map(({ nodeId: id }) => id).sort()).toStrictEqual(wanted);
      await store.annotate(TREE_ID, { put: [], remove: [{ nodeId: nodeId('n1'), kind: 'star', name: '' }] });
    });
    expect(JSON.parse(git(directory, 'show', 'main:stars.json'))).toStrictEqual({
      starredNodeIds: ['n2', 'n6'],
      more: 1,
    });
  });

  test('GIT-175: stars that were given elsewhere are in ResearchTree’s file when the project comes back', async () => {
    const { root, elsewhere, back, returned } = await start();
    await withStore(root, (store) => moveProject(store, elsewhere, TREE_ID, { deleteSource: true }));
    expect((await elsewhere.annotations({})).map(({ nodeId: id }) => id)).toStrictEqual(['n2']);
    await elsewhere.annotate(TREE_ID, {
      put: [star('n4')],
      remove: [{ nodeId: nodeId('n2'), kind: 'star', name: '' }],
    });
    await withStore(back, (store) => moveProject(elsewhere, store, TREE_ID, { deleteSource: true }));
    expect(starsOf(returned)).toStrictEqual(['n4']);
    expect(JSON.parse(await readFile(join(returned, 'stars.json'), 'utf8'))).toStrictEqual({ starredNodeIds: ['n4'] });
    expect(fsck(returned)).toBe('');
    expect(git(returned, 'status', '--porcelain').trim()).toBe('M project.json');
    await elsewhere.close();
  });
});

describe('after Bough has written, ResearchTree goes on', () => {
  const configOf = async (directory: string) =>
    (JSON.parse(await readFile(join(directory, '.git/rt-branch-config.json'), 'utf8')) as { branches: object })
      .branches;

  test('GIT-48: no lock names a response that the provider never stored, nor one that no longer ends the branch', async () => {
    const { root, directory } = await start();
    const before = await configOf(directory);
    await withStore(root, (store) => talk(store, 'main'));
    // What a lock says already, also by saying nothing, stays to the letter.
    expect(await configOf(directory)).toStrictEqual(before);
    await withStore(root, (store) => talk(store, 'idea'));
    expect(await configOf(directory)).toMatchObject({ idea: { previousResponseId: null, isHidden: true } });
  });

  test('GIT-50: a lock that ResearchTree does not know stays out of its file, and is kept', async () => {
    const { root, directory } = await start();
    await withStore(root, async (store) => {
      const project = await store.getProject(TREE_ID);
      const envelope = {
        provider: 'simulated',
        model: 'sim-1',
        systemPrompt: null,
        tools: [],
        thinking: 'off',
      } as const;
      await store.createBranch(buildBranch(project, { name: 'sim', tipId: nodeId('n2'), envelope }));
    });
    expect(Object.keys(await readAsResearchTree(directory)).sort()).toStrictEqual(['idea', 'main', 'sim']);
    expect(await withStore(root, (store) => store.getBranch(TREE_ID, 'sim'))).toMatchObject({
      envelope: { provider: 'simulated', model: 'sim-1' },
    });
  });

  test('GIT-49: a pin in the work tree is seen, and one that Bough sets is seen there', async () => {
    const { root, directory } = await start();
    const pinOf = async () =>
      (JSON.parse(await readFile(join(directory, 'project.json'), 'utf8')) as Record<string, unknown>)[
        'pinnedBranchName'
      ];
    const pinned = (store: Store) =>
      store.listBranches(TREE_ID).then((all) => all.filter((one) => one.pinned).map(({ name }) => name));
    await withStore(root, async (store) => {
      expect(await pinned(store)).toStrictEqual(['idea']);
      const main = await store.getBranch(TREE_ID, 'main');
      await store.updateBranch(TREE_ID, main.id, { pinned: true });
      expect([await pinOf(), await pinned(store)]).toStrictEqual(['main', ['main']]);
      await store.updateBranch(TREE_ID, main.id, { pinned: false });
      expect(await pinOf()).toBeUndefined();
    });
    const file = JSON.parse(await readFile(join(directory, 'project.json'), 'utf8')) as object;
    await writeFile(join(directory, 'project.json'), JSON.stringify({ ...file, pinnedBranchName: 'idea' }));
    expect(await withStore(root, pinned)).toStrictEqual(['idea']);
  });
});
