import type { Envelope } from '@bough/core';
import type { Store } from '@bough/store';
import { openFilesStore } from '@bough/store';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { importPath, ImportStoppedError, rehearseImport } from './index.ts';
import type { ImportOptions } from './index.ts';
import type { ImportReport } from './report.ts';

const ENVELOPE: Envelope = { provider: 'simulated', model: 'sim-1', systemPrompt: null, tools: [], thinking: 'off' };

let dir: string;
let store: Store;
let canary: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bough-repositories-test-'));
  store = await openFilesStore({ directory: join(dir, 'store') });
  canary = join(dir, 'canary');
  await writeFile(canary, `#!/bin/sh\necho "$*" >> ${join(dir, 'marker')}\nexit 1\n`);
  await chmod(canary, 0o755);
});
afterEach(async () => {
  await store.close();
  await rm(dir, { recursive: true, force: true });
});

const git = (directory: string, ...words: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...words], {
    cwd: directory,
    encoding: 'utf8',
  }).trim();

/** A repository with one message and everything in it that git would run. */
async function hostileRepository(parent: string, name: string): Promise<string> {
  const directory = join(parent, name);
  await mkdir(directory, { recursive: true });
  git(directory, 'init', '-q', '-b', 'main');
  const line = { id: `${name}-1`, type: 'message', timestamp: 1, parent: null, role: 'user', content: 'Hello' };
  await writeFile(join(directory, 'nodes.jsonl'), `${JSON.stringify({ ...line, createdOnBranch: 'main' })}\n`);
  await writeFile(
    join(directory, 'project.json'),
    JSON.stringify({ id: name, name, createdAt: '2024-01-01T00:00:00Z' }),
  );
  git(directory, 'add', '.');
  git(directory, 'commit', '-q', '-m', 'all');
  for (const hook of ['reference-transaction', 'post-index-change', 'pre-auto-gc']) {
    await writeFile(join(directory, '.git/hooks', hook), `#!/bin/sh\n${canary} ${hook}\n`);
    await chmod(join(directory, '.git/hooks', hook), 0o755);
  }
  for (const [key, value] of [
    ['core.repositoryformatversion', '1'],
    ['extensions.partialClone', 'origin'],
    ['remote.origin.url', `ext::${canary} %S`],
    ['remote.origin.promisor', 'true'],
    ['remote.origin.uploadpack', canary],
    ['protocol.ext.allow', 'always'],
    ['core.fsmonitor', canary],
    ['core.sshCommand', canary],
    ['gc.recentObjectsHook', canary],
    ['gpg.program', canary],
    ['log.showSignature', 'true'],
  ] as const)
    git(directory, 'config', key, value);
  return directory;
}

async function dropText(directory: string): Promise<void> {
  const blob = git(directory, 'rev-parse', 'main:nodes.jsonl');
  await rm(join(directory, '.git/objects', blob.slice(0, 2), blob.slice(2)));
}

/** Every name below a directory, with times and content. */
async function stateOf(directory: string): Promise<readonly string[]> {
  const names = ['.', ...(await readdir(directory, { recursive: true }))].sort();
  return Promise.all(
    names.map(async (name) => {
      const found = await stat(join(directory, name));
      const content = found.isFile() ? (await readFile(join(directory, name))).toString('base64') : '';
      return `${name} ${found.mode} ${found.mtimeMs} ${found.ctimeMs} ${content}`;
    }),
  );
}

const load = (path: string, more: Partial<ImportOptions> = {}): Promise<ImportReport> =>
  importPath(store, path, { envelope: ENVELOPE, onError: 'stop', ...more });

const sang = async (): Promise<boolean> => (await readdir(dir)).includes('marker');

describe('a foreign repository', () => {
  it('IM-10: is read without running what it asks for, and not a byte of it changes', async () => {
    const repository = await hostileRepository(join(dir, 'there'), 'whole');
    await rm(join(dir, 'marker'), { force: true });
    const before = await stateOf(join(dir, 'there'));
    expect((await rehearseImport(repository, { envelope: ENVELOPE, onError: 'stop' })).nodes).toBe(1);
    expect((await load(repository)).nodes).toBe(1);
    expect((await load(join(dir, 'there'))).projects).toMatchObject([{ outcome: 'unchanged' }]);
    expect(await sang()).toBe(false);
    expect(await stateOf(join(dir, 'there'))).toEqual(before);
  });

  it('IM-10: does not fetch what it lacks: the object is named, and others are imported', async () => {
    const [lacking] = [
      await hostileRepository(join(dir, 'there'), 'lacking'),
      await hostileRepository(join(dir, 'there'), 'whole'),
    ];
    await dropText(lacking);
    await rm(join(dir, 'marker'), { force: true });
    const before = await stateOf(join(dir, 'there'));
    await expect(load(join(dir, 'there'))).rejects.toBeInstanceOf(ImportStoppedError);
    const report = await load(join(dir, 'there'), { onError: 'skip' });
    expect(report.projects.map(({ name }) => name)).toEqual(['whole']);
    expect(report.problems.map(({ where }) => where)).toEqual([expect.stringMatching(/lacking\/\.git [0-9a-f]{40}$/)]);
    expect(await sang()).toBe(false);
    expect(await stateOf(join(dir, 'there'))).toEqual(before);
  });

  it('IM-10: leads nowhere else: links, a .git that is a file, objects of others are told and not followed', async () => {
    const there = join(dir, 'there');
    const [linked, pointing, sharing] = [
      await hostileRepository(there, 'linked'),
      await hostileRepository(there, 'pointing'),
      await hostileRepository(there, 'sharing'),
    ];
    await hostileRepository(there, 'whole');
    await rename(join(linked, '.git/refs/heads'), join(dir, 'heads'));
    await symlink(join(dir, 'heads'), join(linked, '.git/refs/heads'));
    await rename(join(pointing, '.git'), join(dir, 'git'));
    await writeFile(join(pointing, '.git'), `gitdir: ${join(dir, 'git')}\n`);
    await writeFile(join(sharing, '.git/objects/info/alternates'), `${join(dir, 'git/objects')}\n`);
    const before = await stateOf(there);
    const report = await load(there, { onError: 'skip' });
    expect(report.projects.map(({ name }) => name)).toEqual(['whole']);
    expect(report.problems.map(({ where }) => where).sort()).toEqual([
      join(linked, '.git/refs/heads'),
      join(pointing, '.git'),
      join(sharing, '.git/objects/info/alternates'),
    ]);
    await expect(load(pointing)).rejects.toThrow('does not follow');
    expect(await stateOf(there)).toEqual(before);
  });

  it('IM-10: is found under any name that a directory has', async () => {
    for (const name of ['.hidden', 'With Capitals', 'ümlaut']) {
      const repository = await hostileRepository(dir, name);
      expect((await load(`${repository}/`)).projects.map((project) => project.name)).toEqual([name]);
    }
  });
});
