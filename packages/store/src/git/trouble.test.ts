import { spawn } from 'node:child_process';
import { chmod, copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { projectId } from '@bough/core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { buildReply, idsOf, seedProject, seedTurn } from '../contract/build.ts';
import { bundleProgram, type Program } from '../contract/crash/program.ts';
import { openGitStore } from './index.ts';
import { fsck, git, linesAt, openStore, temporaryDirectory } from './testing/workplace.ts';

let program: Program;
beforeAll(async () => {
  program = await bundleProgram(new URL('./programs/attempts.ts', import.meta.url));
});
afterAll(() => program.dispose());

/** Root may write anywhere, so the program runs as a user who may not. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

async function run(command: string, args: readonly string[], options: object = {}): Promise<string[]> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], ...options });
  return (await text(child.stdout)).trim().split('\n');
}

describe('GIT-18: damage', () => {
  test('GIT-18: a line that cannot be read is named with its branch and number; other projects open', async () => {
    const root = await temporaryDirectory();
    let store = await openStore(root);
    const damaged = await seedProject(store);
    const sound = await seedProject(store);
    const { user } = await seedTurn(store, damaged.project, damaged.branch, null);
    const kept = await seedTurn(store, sound.project, sound.branch, null);
    await store.close();

    const directory = join(root, damaged.project.id);
    const [first = '', second = ''] = linesAt(directory, 'main');
    const work = await temporaryDirectory();
    git(directory, 'worktree', 'add', '--quiet', join(work, 'tree'), 'main');
    for (const [line, problem] of [
      [second.slice(0, 40), 'JSON'],
      ['[]', 'not an object with an id'],
      [second.replace(/"parent":"[^"]*"/, '"parent":"nobody"'), 'not the message above'],
      [first.replace('"parent":null', `"parent":"${user.id}"`), 'stands above already'],
    ] as const) {
      await writeFile(join(work, 'tree/nodes.jsonl'), `${first}\n${line}\n`);
      git(join(work, 'tree'), 'commit', '--quiet', '-am', 'damage');
      store = await openStore(root);
      const reading = store.listBranches(damaged.project.id);
      const subject = `${join(directory, '.git')} refs/heads/main:nodes.jsonl line 2`;
      await expect(reading).rejects.toMatchObject({
        code: 'corrupt_line',
        subject,
        message: expect.stringContaining(problem) as string,
      });
      expect(await store.findNode(kept.reply.id)).toStrictEqual(kept.reply);
      expect(store.problems().map((trouble) => trouble.subject)).toStrictEqual([subject]);
      await seedTurn(store, sound.project, sound.branch, (await store.getBranch(sound.project.id, 'main')).tipId);
      await store.close();
    }
  });

  test('GIT-18: an object that cannot be read is named; other projects open', async () => {
    const root = await temporaryDirectory();
    let store = await openStore(root);
    const damaged = await seedProject(store);
    const sound = await seedProject(store);
    await seedTurn(store, damaged.project, damaged.branch, null);
    await store.close();
    const gitDir = join(root, damaged.project.id, '.git');
    const blob = git(gitDir, 'rev-parse', 'main:nodes.jsonl');
    const file = join(gitDir, 'objects', blob.slice(0, 2), blob.slice(2));
    await chmod(file, 0o644);
    await writeFile(file, 'no object');
    store = await openStore(root);
    await expect(store.listBranches(damaged.project.id)).rejects.toMatchObject({
      code: 'corrupt_object',
      subject: `${gitDir} ${blob}`,
    });
    expect((await store.listBranches(sound.project.id)).map(({ name }) => name)).toStrictEqual(['main']);
    // Listing does not need the damaged part: the project can still be named, and deleted.
    expect(idsOf(await store.listProjects())).toStrictEqual(idsOf([damaged.project, sound.project]));
    await store.deleteProject(damaged.project.id);
    expect(idsOf(await store.listProjects())).toStrictEqual([sound.project.id]);
  });

  test('GIT-18: a record of Bough that cannot be read is named', async () => {
    const root = await temporaryDirectory();
    let store = await openStore(root);
    const { project } = await seedProject(store);
    await store.close();
    const directory = join(root, project.id);
    await writeFile(join(directory, '.git/rt-branch-config.json'), '{"version":1,');
    store = await openStore(root);
    await expect(store.listBranches(project.id)).rejects.toMatchObject({
      code: 'corrupt_file',
      subject: join(directory, '.git/rt-branch-config.json'),
    });
  });
});

describe('GIT-24: refs', () => {
  for (const ref of ['refs/heads/main', 'refs/bough/meta', 'leaf']) {
    test(`GIT-24: an emptied ref (${ref}) is told as damage that names it, not as something that is not there`, async () => {
      const root = await temporaryDirectory();
      let store = await openStore(root);
      const damaged = await seedProject(store);
      const sound = await seedProject(store);
      const { user, reply } = await seedTurn(store, damaged.project, damaged.branch, null);
      const other = buildReply(damaged.project, user, 'a sibling');
      await store.appendNodes(damaged.project.id, [other]);
      await store.close();
      const gitDir = join(root, damaged.project.id, '.git');
      const name = ref === 'leaf' ? `refs/bough/leaves/${other.id}` : ref;
      for (const content of ['', '\0'.repeat(41)]) {
        await writeFile(join(gitDir, name), content);
        store = await openStore(root);
        const damage = { code: 'corrupt_ref', subject: `${gitDir} ${name}` };
        await expect(store.getBranch(damaged.project.id, 'main')).rejects.toMatchObject(damage);
        await expect(store.path(damaged.project.id, reply.id)).rejects.toMatchObject(damage);
        expect((await store.listBranches(sound.project.id)).map(({ name: branch }) => branch)).toStrictEqual(['main']);
        await store.close();
        expect(await readFile(join(gitDir, name), 'utf8')).toBe(content);
      }
    });
  }

  test('GIT-26: refs that are kept as reftable are told, and nothing is written', async () => {
    const root = await temporaryDirectory();
    const store = await openStore(root);
    const { project } = await seedProject(store);
    await store.close();
    const gitDir = join(root, project.id, '.git');
    await mkdir(join(gitDir, 'reftable'));
    await writeFile(join(gitDir, 'reftable/tables.list'), '');
    const again = await openStore(root);
    await expect(again.listBranches(project.id)).rejects.toMatchObject({
      code: 'unsupported_repository',
      message: expect.stringContaining('reftable') as string,
    });
  });
});

describe('GIT-19: a machine that lacks something', () => {
  test('GIT-19: without git the error says what to do', async () => {
    const root = await temporaryDirectory();
    vi.stubEnv('PATH', root);
    try {
      await expect(openGitStore({ directory: root })).rejects.toMatchObject({
        code: 'git_missing',
        message: expect.stringMatching(/Install git .* BOUGH_STORE/) as string,
      });
      await writeFile(join(root, 'git'), '#!/bin/sh\necho git version 2.11.0\n', { mode: 0o755 });
      await expect(openGitStore({ directory: root })).rejects.toMatchObject({ code: 'git_too_old' });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test('GIT-19: a full disk is a clear error, and nothing is damaged or half there', async () => {
    // The system itself refuses to let a file grow beyond 200 blocks of 512 bytes.
    const root = await temporaryDirectory();
    const script = 'ulimit -f 200; exec "$0" "$@"';
    const sizes = ['100', '300000', '50000', '400000', '100'];
    const outcomes = await run('/bin/sh', ['-c', script, process.execPath, program.path, root, ...sizes]);
    const codes = outcomes.map((outcome) => outcome.split(' ')[0]);
    expect([codes[1], codes[3], codes[5]]).toStrictEqual(['disk_full', 'disk_full', 'closed']);
    const [project = ''] = outcomes[0]?.split(' ') ?? [];
    const stored = [0, 2, 4].map((at) => outcomes[at]?.split(' ')[1]);
    const store = await openStore(root);
    expect(idsOf(await store.children(projectId(project), null))).toStrictEqual(stored);
    expect(fsck(join(root, project))).toBe('');
  });

  test('GIT-19: a directory that may not be written is a clear error, and stays as it is', async () => {
    const root = await temporaryDirectory();
    const copied = join(root, 'program.mjs');
    await copyFile(program.path, copied);
    const directory = join(root, 'store');
    await mkdir(directory);
    await chmod(root, 0o755);
    await chmod(directory, 0o555);
    const [outcome, ...others] = await run(process.execPath, [copied, directory, '1'], { ...NOBODY, cwd: root });
    expect(outcome).toMatch(/^read_only /);
    expect(others).toStrictEqual([]);
    expect(await readdir(directory)).toStrictEqual([]);
  });
});
