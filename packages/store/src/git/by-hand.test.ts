import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  buildBranch,
  buildNode,
  buildProject,
  buildReply,
  idsOf,
  seedChain,
  seedProject,
  seedTurn,
} from '../contract/build.ts';
import { snapshotProject } from '../contract/snapshot.ts';
import { fsck, git, linesAt, openStore, temporaryDirectory } from './testing/workplace.ts';

describe('GIT-20: what people see with git', () => {
  test('GIT-20: git log reads as the conversation, and git diff shows the lines that were added', async () => {
    const root = await temporaryDirectory();
    const store = await openStore(root);
    const project = buildProject({ name: 'Trees' });
    await store.createProject(project);
    const branch = buildBranch(project, { name: 'main' });
    await store.createBranch(branch);
    const user = buildNode(project, null, 'What is a tree?\nAnd\u0000 a bough?');
    await store.appendNodes(project.id, [user], { branchId: branch.id, expected: null, next: user.id });
    const reply = buildReply(project, user, `A tree is ${'very '.repeat(40)}tall.`);
    await store.appendNodes(project.id, [reply], { branchId: branch.id, expected: user.id, next: reply.id });

    const directory = join(root, project.id);
    const subjects = git(directory, 'log', '--format=%s').split('\n');
    expect(subjects).toStrictEqual([
      `assistant: A tree is ${'very '.repeat(10)}`.slice(0, 71).concat('…'),
      'user: What is a tree? And a bough?',
      'Start',
    ]);
    expect(git(directory, 'log', '--oneline').split('\n').length).toBe(3);
    const diff = git(directory, 'diff', 'main~1', 'main');
    const added = diff.split('\n').filter((line) => line.startsWith('+{'));
    const removed = diff.split('\n').filter((line) => line.startsWith('-{'));
    expect(added.map((line) => (JSON.parse(line.slice(1)) as { id: string }).id)).toStrictEqual([reply.id]);
    expect(removed).toStrictEqual([]);
    expect(git(directory, 'ls-tree', '--name-only', 'main')).toBe('nodes.jsonl\nproject.json');
    expect(JSON.parse(git(directory, 'show', 'main:project.json'))).toMatchObject({ id: project.id, name: 'Trees' });
    expect(fsck(directory)).toBe('');
  });

  test('GIT-2: a fork shares the commits of its source, and a branch repeats the whole path', async () => {
    const root = await temporaryDirectory();
    const store = await openStore(root);
    const { project, branch } = await seedProject(store);
    const first = await seedTurn(store, project, branch, null);
    const second = await seedTurn(store, project, branch, first.reply.id);
    const fork = buildBranch(project, { name: 'try: another', tipId: first.reply.id, forkedFromId: first.reply.id });
    await store.createBranch(fork);
    const other = buildNode(project, first.reply, 'other');
    await store.appendNodes(project.id, [other], { branchId: fork.id, expected: first.reply.id, next: other.id });

    const directory = join(root, project.id);
    const ref = 'try%3A%20another';
    expect(git(directory, 'merge-base', 'main', ref)).toBe(git(directory, 'rev-parse', 'main~2'));
    const idsAt = (at: string): unknown[] =>
      linesAt(directory, at).map((line) => (JSON.parse(line) as { id: string }).id);
    expect(idsAt(ref)).toStrictEqual(idsOf([first.user, first.reply, other]));
    expect(idsAt('main')).toStrictEqual(idsOf([first.user, first.reply, second.user, second.reply]));
  });

  test('GIT-2: a fork inside of what one write added gets a commit of its own', async () => {
    const root = await temporaryDirectory();
    let store = await openStore(root);
    const { project, branch } = await seedProject(store);
    const chain = await seedChain(store, project, null, ['a', 'b', 'c', 'd']);
    const [, b, , d] = chain;
    await store.moveTip(project.id, branch.id, { expected: null, next: d?.id ?? null });
    await store.close();
    store = await openStore(root);
    await store.createBranch(buildBranch(project, { name: 'middle', tipId: b?.id ?? null }));
    const directory = join(root, project.id);
    expect(linesAt(directory, 'middle')).toStrictEqual(linesAt(directory, 'main').slice(0, 2));
    expect(await store.path(project.id, d?.id ?? chain[0]?.id ?? (project.id as never))).toStrictEqual(chain);
    expect(fsck(directory)).toBe('');
  });

  test('GIT-4: git gc drops no node: siblings, tips that were left, deleted branches', async () => {
    const root = await temporaryDirectory();
    let store = await openStore(root);
    const { project, branch } = await seedProject(store);
    const first = await seedTurn(store, project, branch, null);
    const again = buildReply(project, first.user, 'again');
    await store.appendNodes(project.id, [again], { branchId: branch.id, expected: first.reply.id, next: again.id });
    const doomed = buildBranch(project, { name: 'doomed', tipId: first.user.id });
    await store.createBranch(doomed);
    const lost = buildReply(project, first.user, 'on a branch that goes');
    await store.appendNodes(project.id, [lost], { branchId: doomed.id, expected: first.user.id, next: lost.id });
    await store.deleteBranch(project.id, doomed.id);
    const loose = await seedChain(store, project, again, ['never on a branch', 'nor this']);
    const before = await snapshotProject(store, project.id);
    await store.close();

    const directory = join(root, project.id);
    git(directory, 'gc', '--quiet', '--prune=now');
    store = await openStore(root);
    expect(await snapshotProject(store, project.id)).toStrictEqual(before);
    expect(idsOf(await store.children(project.id, first.user.id))).toStrictEqual(idsOf([first.reply, again, lost]));
    expect(git(directory, 'for-each-ref', '--format=%(refname)', 'refs/bough/leaves').split('\n').sort()).toStrictEqual(
      [first.reply, lost, loose[1]].map((node) => `refs/bough/leaves/${node?.id ?? ''}`).sort(),
    );
    // Everything continues to work from packed objects.
    await seedTurn(store, project, branch, again.id);
    expect(fsck(directory)).toBe('');
  });

  test('GIT-20: what is pushed and cloned holds everything, and opens', async () => {
    const root = await temporaryDirectory();
    const store = await openStore(root);
    const { project, branch } = await seedProject(store);
    const first = await seedTurn(store, project, branch, null);
    await store.appendNodes(project.id, [buildReply(project, first.user, 'a sibling')]);
    await store.createBranch(buildBranch(project, { name: 'side', tipId: first.user.id }));
    const directory = join(root, project.id);
    const bare = join(root, '.remote.git');
    git(root, 'init', '--quiet', '--bare', bare);
    git(directory, 'push', '--quiet', bare, 'refs/heads/*', 'refs/bough/*');
    expect(git(bare, 'log', '--oneline', 'main').split('\n').length).toBe(3);

    const elsewhere = await temporaryDirectory();
    await mkdir(join(elsewhere, project.id));
    git(elsewhere, 'clone', '--quiet', '--mirror', bare, join(elsewhere, project.id, '.git'));
    const clone = await openStore(elsewhere);
    expect(await snapshotProject(clone, project.id)).toStrictEqual(await snapshotProject(store, project.id));
    const next = await seedTurn(clone, project, branch, first.reply.id);
    git(join(elsewhere, project.id), 'push', '--quiet', bare, 'refs/heads/*');
    expect(linesAt(bare, 'main').length).toBe(4);
    expect(next.turn.status).toBe('complete');
  });

  test('GIT-20: a clone of nothing but the branches opens too', async () => {
    const root = await temporaryDirectory();
    const store = await openStore(root);
    const { project, branch } = await seedProject(store);
    const { user, reply } = await seedTurn(store, project, branch, null);
    await store.updateProject(project.id, { name: 'Renamed' });
    const elsewhere = await temporaryDirectory();
    git(elsewhere, 'clone', '--quiet', join(root, project.id), join(elsewhere, project.id));
    const clone = await openStore(elsewhere);
    expect(await clone.listProjects()).toStrictEqual([{ ...project, name: 'Renamed' }]);
    const found = await clone.getBranch(project.id, 'main');
    expect(found.tipId).toBe(reply.id);
    expect(idsOf(await clone.path(project.id, reply.id))).toStrictEqual(idsOf([user, reply]));
  });

  test('GIT-12: a branch that was moved by hand meanwhile is a conflict; then Bough goes on from there', async () => {
    const root = await temporaryDirectory();
    const store = await openStore(root);
    const { project, branch } = await seedProject(store);
    const [a, b] = [buildNode(project, null, 'a'), buildNode(project, null, 'b')];
    const below = buildReply(project, a, 'below a');
    await store.appendNodes(project.id, [a, below], { branchId: branch.id, expected: null, next: a.id });
    git(join(root, project.id), 'update-ref', 'refs/heads/main', `refs/bough/leaves/${below.id}`);

    const late = buildNode(project, a, 'late');
    const append = store.appendNodes(project.id, [late], { branchId: branch.id, expected: a.id, next: late.id });
    await expect(append).rejects.toMatchObject({ code: 'tip_moved', conflicting: below.id });
    expect((await store.getBranch(project.id, 'main')).tipId).toBe(below.id);
    const next = buildNode(project, below, 'next');
    await store.appendNodes(project.id, [next, b], { branchId: branch.id, expected: below.id, next: next.id });
    expect(idsOf(await store.path(project.id, next.id))).toStrictEqual(idsOf([a, below, next]));
    expect(idsOf(await store.children(project.id, a.id))).toStrictEqual([below.id]);
    expect(fsck(join(root, project.id))).toBe('');
  });

  test('GIT-12: branches that are made, renamed and deleted by hand are seen when the project is opened', async () => {
    const root = await temporaryDirectory();
    let store = await openStore(root);
    const { project, branch } = await seedProject(store);
    const { user, reply } = await seedTurn(store, project, branch, null);
    const doomed = buildBranch(project, { name: 'doomed', tipId: reply.id });
    await store.createBranch(doomed);
    await store.close();
    const directory = join(root, project.id);
    git(directory, 'branch', 'by-hand', 'main~1');
    git(directory, 'branch', '-D', '--quiet', 'doomed');
    store = await openStore(root);
    const branches = await store.listBranches(project.id);
    expect(branches.map(({ name, tipId }) => [name, tipId])).toStrictEqual([
      ['by-hand', user.id],
      ['main', reply.id],
    ]);
    expect(branches[1]).toStrictEqual({ ...branch, tipId: reply.id });
  });

  test('GIT-13: a deleted node is in no history any more, once git has swept', async () => {
    const root = await temporaryDirectory();
    const store = await openStore(root);
    const { project, branch } = await seedProject(store);
    const first = await seedTurn(store, project, branch, null);
    const second = await seedTurn(store, project, branch, first.reply.id);
    await store.deleteNode(project.id, second.user.id, 'cascade');
    await store.deleteNode(project.id, first.user.id, 'reparent');
    const directory = join(root, project.id);
    git(directory, 'gc', '--quiet', '--prune=now');
    const everything = git(directory, 'log', '--all', '-p', '--format=%B');
    for (const gone of [first.user, second.user, second.reply]) expect(everything).not.toContain(gone.id);
    expect(everything).toContain(first.reply.id);
    expect(await store.path(project.id, first.reply.id)).toMatchObject([{ id: first.reply.id, parentId: null }]);
  });
});
