import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { nodeId, projectId } from '@bough/core';
import { describe, expect, test } from 'vitest';
import { beginTurn, idsOf, seedProject, seedTurn } from '../contract/build.ts';
import { StoreError } from '../errors.ts';
import { FOREIGN_ID, foreignRepository } from './testing/foreign.ts';
import { git, gitWithInput, openStore, temporaryDirectory } from './testing/workplace.ts';

const PROJECT = projectId(FOREIGN_ID);

/** Every file below a directory with its content and time: none of it may change. */
async function stateOf(directory: string): Promise<readonly string[]> {
  const names = (await readdir(directory, { recursive: true })).sort();
  return Promise.all(
    names.map(async (name) => {
      const found = await stat(join(directory, name));
      const content = found.isFile() ? (await readFile(join(directory, name))).toString('base64') : '';
      return `${name} ${found.mtimeMs} ${content}`;
    }),
  );
}

/** Moves part of the repository out of it and leaves a link: following it would find everything in order. */
async function linkOut(directory: string, part: string, elsewhere: string): Promise<string> {
  const [inside, outside] = [join(directory, part), join(elsewhere, 'part')];
  await mkdir(dirname(inside), { recursive: true });
  await rename(inside, outside).catch(() => mkdir(outside));
  await symlink(outside, inside);
  return inside;
}

const objectOf = (directory: string, name: string): string => {
  const oid = git(directory, 'rev-parse', name);
  return `.git/objects/${oid.slice(0, 2)}/${oid.slice(2)}`;
};

const LINKED: readonly (readonly [string, (directory: string) => string])[] = [
  ['the repository', () => '.git'],
  ['HEAD', () => '.git/HEAD'],
  ['the refs', () => '.git/refs'],
  ['the branches', () => '.git/refs/heads'],
  ['a branch', () => '.git/refs/heads/main'],
  ['the place of Bough’s own refs', () => '.git/refs/bough'],
  ['the packed refs', () => '.git/packed-refs'],
  ['the objects', () => '.git/objects'],
  ['some objects', (directory) => dirname(objectOf(directory, 'main'))],
  ['an object', (directory) => objectOf(directory, 'main:nodes.jsonl')],
  ['the packs', () => '.git/objects/pack'],
  ['the place of Bough’s own files', () => '.git/bough'],
  ['the place of the logs', () => '.git/bough/log'],
  ['the summary', () => '.git/bough/summary.json'],
  ['the locks of the branches', () => '.git/rt-branch-config.json'],
];

describe('GIT-23: nothing outside of a repository is reached through it', () => {
  for (const [name, partOf] of LINKED) {
    test(`GIT-23: a link in the place of ${name} is not followed; other projects open`, async () => {
      const [root, elsewhere] = [await temporaryDirectory(), await temporaryDirectory()];
      const directory = await foreignRepository(root);
      const link = await linkOut(directory, partOf(directory), elsewhere);
      const before = await stateOf(elsewhere);
      const store = await openStore(root);
      const sound = await seedProject(store);
      await seedTurn(store, sound.project, sound.branch, null);
      await expect(store.listBranches(PROJECT)).rejects.toMatchObject({
        code: 'outside_repository',
        subject: link,
        message: expect.stringContaining('does not follow') as string,
      });
      expect(idsOf(await store.listProjects())).toStrictEqual([sound.project.id]);
      expect(store.problems().map(({ subject }) => subject)).toStrictEqual([link]);
      await store.close();
      expect(await stateOf(elsewhere)).toStrictEqual(before);
    });
  }

  test('GIT-23: a link in the place of a project is none', async () => {
    const [root, elsewhere] = [await temporaryDirectory(), await temporaryDirectory()];
    const directory = await foreignRepository(elsewhere);
    await symlink(directory, join(root, FOREIGN_ID));
    const store = await openStore(root);
    expect(await store.listProjects()).toStrictEqual([]);
    await expect(store.getProject(PROJECT)).rejects.toMatchObject({ code: 'unknown_id' });
  });

  test('GIT-23: a file that names the repository’s place is not followed', async () => {
    const [root, elsewhere] = [await temporaryDirectory(), await temporaryDirectory()];
    const directory = await foreignRepository(root);
    await rename(join(directory, '.git'), join(elsewhere, 'git'));
    await writeFile(join(directory, '.git'), `gitdir: ${join(elsewhere, 'git')}\n`);
    const before = await stateOf(elsewhere);
    const store = await openStore(root);
    await expect(store.getProject(PROJECT)).rejects.toMatchObject({
      code: 'outside_repository',
      subject: join(directory, '.git'),
    });
    await store.close();
    expect(await stateOf(elsewhere)).toStrictEqual(before);
  });

  test('GIT-23: a common directory in another place is not followed', async () => {
    const [root, elsewhere] = [await temporaryDirectory(), await temporaryDirectory()];
    const directory = await foreignRepository(root);
    await rename(join(directory, '.git'), join(elsewhere, 'git'));
    await mkdir(join(directory, '.git'));
    await writeFile(join(directory, '.git/HEAD'), 'ref: refs/heads/main\n');
    await writeFile(join(directory, '.git/commondir'), `${join(elsewhere, 'git')}\n`);
    const before = await stateOf(elsewhere);
    const store = await openStore(root);
    await expect(store.getProject(PROJECT)).rejects.toMatchObject({ code: 'corrupt_project' });
    await store.close();
    expect(await stateOf(elsewhere)).toStrictEqual(before);
  });

  test('GIT-23: objects of another repository are not taken, and the error says what to do', async () => {
    const [root, elsewhere] = [await temporaryDirectory(), await temporaryDirectory()];
    const original = await foreignRepository(elsewhere);
    git(root, 'clone', '--quiet', '--shared', original, join(root, FOREIGN_ID));
    const alternates = join(root, FOREIGN_ID, '.git/objects/info/alternates');
    let store = await openStore(root);
    await expect(store.getProject(PROJECT)).rejects.toMatchObject({ code: 'outside_repository', subject: alternates });
    await store.close();
    // The advice works.
    git(join(root, FOREIGN_ID), 'repack', '-a', '-d', '--quiet');
    await rm(alternates);
    store = await openStore(root);
    expect((await store.path(PROJECT, nodeId('n4'))).length).toBe(4);
  });

  test('GIT-18: a directory in the place of a file is told, and hides no other project', async () => {
    for (const part of ['packed-refs', 'rt-branch-config.json', 'bough/summary.json', 'bough/leases.json']) {
      const root = await temporaryDirectory();
      let store = await openStore(root);
      const [damaged, sound] = [await seedProject(store), await seedProject(store)];
      await beginTurn(store, damaged.project, damaged.branch, null);
      await store.close();
      const path = join(root, damaged.project.id, '.git', part);
      await rm(path, { force: true });
      await mkdir(path);
      store = await openStore(root);
      await expect(store.listBranches(damaged.project.id)).rejects.toBeInstanceOf(StoreError);
      expect(idsOf(await store.listProjects())).toContain(sound.project.id);
      await store.close();
    }
  });

  test('GIT-18: records of whatever shape hide no other project', async () => {
    const root = await temporaryDirectory();
    const directory = await foreignRepository(root);
    const other = await openStore(root);
    const sound = await seedProject(other);
    await other.close();
    const blob = (content: unknown): string =>
      gitWithInput(directory, JSON.stringify(content), 'hash-object', '-w', '--stdin');
    const project = { id: FOREIGN_ID, name: 'Trees', createdAt: '2023-11-14T22:00:00.000Z' };
    const branch = { id: 'main', name: 'main', ref: 'refs/heads/main', order: 1, envelope: null, createdAt: null };
    const turn = { turn: null, number: 1, owner: 1, leaseUntil: 'x', clientRequestId: 3 };
    const shapes = [
      [project, { ...branch, name: 5, id: 5, ref: 5 }, turn],
      [project, { ...branch, id: { toString: 1 }, name: null }, { ...turn, turn: [[]] }],
      [{ ...project, name: {}, createdAt: [], bough: { defaults: { provider: 5 }, order: 'x' } }, branch, turn],
      [{ ...project, id: 7, createdAt: 'never', bough: 5 }, branch, { ...turn, turn: { id: {}, status: 9 } }],
    ];
    for (const [file, record, running] of shapes) {
      const entry = (content: unknown): string =>
        gitWithInput(directory, `100644 blob ${blob(content)}\tx.json\n`, 'mktree');
      const entries = [
        `100644 blob ${blob(file)}\tproject.json\n`,
        `040000 tree ${entry(record)}\tbranches\n`,
        `040000 tree ${entry(running)}\trunning\n`,
      ];
      const tree = gitWithInput(directory, entries.join(''), 'mktree');
      git(directory, 'update-ref', 'refs/bough/meta', git(directory, 'commit-tree', tree, '-m', 'x'));
      const store = await openStore(root);
      const listed = idsOf(await store.listProjects());
      expect(
        [...listed, ...store.problems().map(({ subject }) => subject.split('/').at(-2) ?? '')].sort(),
      ).toStrictEqual([PROJECT, sound.project.id].sort());
      await store.claimExpiredTurns('heir', 1000);
      await store.close();
    }
  });

  test('GIT-23: a pipe in the place of a file is told, and nobody waits for it', async () => {
    for (const part of ['HEAD', 'refs/heads/pipe', 'packed-refs', 'bough']) {
      const root = await temporaryDirectory();
      const directory = await foreignRepository(root);
      const path = join(directory, '.git', part);
      await rm(path, { force: true });
      execFileSync('mkfifo', [path]);
      const store = await openStore(root);
      expect(await store.listProjects()).toStrictEqual([]);
      expect(store.problems()).toMatchObject([{ code: 'outside_repository', subject: path }]);
      await store.close();
    }
  });

  test('GIT-23: a write that a foreign repository claims to be unfinished moves no file outside', async () => {
    const root = await temporaryDirectory();
    const directory = await foreignRepository(root);
    const [oid, tree] = [git(directory, 'rev-parse', 'main'), git(directory, 'rev-parse', 'main^{tree}')];
    for (const ref of ['refs/heads/../../../../escaped', 'refs/../config', '/tmp/escaped-from-bough', 'HEAD']) {
      const note = `Claim\n\nSequence: 1\nMove: ${ref} - ${oid}`;
      git(directory, 'update-ref', 'refs/bough/meta', git(directory, 'commit-tree', tree, '-m', note));
      const before = await stateOf(root);
      const store = await openStore(root);
      await expect(store.getProject(PROJECT)).rejects.toMatchObject({
        code: 'corrupt_ref',
        subject: `${join(directory, '.git')} ${ref}`,
      });
      await store.close();
      expect(await stateOf(root)).toStrictEqual(before);
    }
  });
});
