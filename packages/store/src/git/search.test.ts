import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildNode, idsOf, searchAll, searchIn, seedProject } from '../contract/build.ts';
import { openGitStore, type GitStore } from './index.ts';
import { git, gitWithInput, linesAt, openStore, temporaryDirectory } from './testing/workplace.ts';

async function saying(store: GitStore, text: string) {
  const { project, branch } = await seedProject(store);
  const node = buildNode(project, null, text);
  await store.appendNodes(project.id, [node], { branchId: branch.id, expected: null, next: node.id });
  return { project, node };
}

test('GIT-40: a project that is as it was when it was indexed is searched without being opened', async () => {
  const root = join(await temporaryDirectory(), 'projects');
  const first = await openGitStore({ directory: root });
  const granite = await saying(first, 'granite');
  const basalt = await saying(first, 'basalt');
  await first.close();
  // Whoever searches for the first time opens them all, and notes in which state they were.
  const second = await openGitStore({ directory: root });
  expect((await searchAll(second, 'granite')).map(({ nodeId }) => nodeId)).toStrictEqual([granite.node.id]);
  await second.close();
  // A project without its objects cannot be opened.
  const objects = join(root, basalt.project.id, '.git', 'objects');
  await rename(objects, join(root, 'away'));
  const third = await openGitStore({ directory: root });
  expect((await searchAll(third, 'granite')).map(({ nodeId }) => nodeId)).toStrictEqual([granite.node.id]);
  expect(third.problems()).toStrictEqual([]);
  await third.close();
  await rename(join(root, 'away'), objects);
  const fourth = await openStore(root);
  expect((await searchAll(fourth, 'basalt')).map(({ nodeId }) => nodeId)).toStrictEqual([basalt.node.id]);
});

test('GIT-41: what another program committed is found once the store is opened again; so is all without the index', async () => {
  const root = join(await temporaryDirectory(), 'projects');
  const first = await openGitStore({ directory: root });
  const { project, node } = await saying(first, 'granite');
  expect(await searchIn(first, project, 'granite')).toStrictEqual([node.id]);
  await first.close();
  const directory = join(root, project.id);
  const lines = linesAt(directory, 'main');
  const added = JSON.stringify({
    ...(JSON.parse(lines[0] ?? '{}') as object),
    id: 'by-hand',
    parent: node.id,
    content: 'marble',
    bough: undefined,
  });
  const blob = gitWithInput(directory, [...lines, added, ''].join('\n'), 'hash-object', '-w', '--stdin');
  const others = git(directory, 'ls-tree', 'main')
    .split('\n')
    .filter((line) => !line.endsWith('nodes.jsonl'));
  const tree = gitWithInput(directory, [...others, `100644 blob ${blob}\tnodes.jsonl`, ''].join('\n'), 'mktree');
  const commit = git(directory, 'commit-tree', tree, '-p', 'main', '-m', 'by hand');
  git(directory, 'update-ref', 'refs/heads/main', commit);
  const second = await openGitStore({ directory: root });
  expect(await searchIn(second, project, 'marble')).toStrictEqual(['by-hand']);
  expect(idsOf(await second.getNodes(project.id, [node.id]))).toStrictEqual(await searchIn(second, project, 'granite'));
  await second.close();
  await rm(`${root}.cache`, { recursive: true });
  const third = await openStore(root);
  expect(await searchIn(third, project, 'marble')).toStrictEqual(['by-hand']);
  expect((await readdir(`${root}.cache`, { recursive: true })).some((name) => name.endsWith('search.lines'))).toBe(
    true,
  );
});
