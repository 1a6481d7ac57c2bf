import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { nodeId, projectId } from '@bough/core';
import { describe, expect, test, vi } from 'vitest';
import { buildBranch, idsOf, seedTurn } from '../contract/build.ts';
import { verifyStore } from '../verify/index.ts';
import { EAGER_PACKING } from './crash-backend.ts';
import { objectId } from './objects/object.ts';
import {
  type Canary,
  dropNewestText,
  FOREIGN_ID,
  foreignRepository,
  newCanary,
  signNewest,
} from './testing/foreign.ts';
import { fsck, git, openStore, temporaryDirectory } from './testing/workplace.ts';

const PROJECT = projectId(FOREIGN_ID);

/** git settings that name a command, or a file of settings. */
const commandSettings = ({ command }: Canary): readonly (readonly [string, string])[] => [
  ['core.fsmonitor', command],
  ['core.sshCommand', command],
  ['core.gitProxy', command],
  ['core.askPass', command],
  ['core.editor', command],
  ['core.pager', command],
  ['core.alternateRefsCommand', command],
  ['credential.helper', command],
  ['gc.recentObjectsHook', command],
  ['gpg.program', command],
  ['gpg.ssh.program', command],
  ['log.showSignature', 'true'],
  ['pager.log', command],
  ['pager.cat-file', command],
  ['diff.external', command],
  ['diff.lines.command', command],
  ['diff.lines.textconv', command],
  ['filter.lines.smudge', command],
  ['filter.lines.clean', command],
  ['filter.lines.process', command],
  ['uploadpack.packObjectsHook', command],
  ['alias.prune-packed', `!${command}`],
  ['alias.repack', `!${command}`],
  ['protocol.ext.allow', 'always'],
  ['protocol.file.allow', 'always'],
];

const HOOKS = ['reference-transaction', 'pre-auto-gc', 'post-index-change', 'update', 'post-update', 'post-rewrite'];

async function setHooks(directory: string, { command }: Canary): Promise<void> {
  for (const hook of HOOKS) {
    const path = join(directory, hook);
    await writeFile(path, `#!/bin/sh\n${command} hook ${hook}\nexit 0\n`);
    await chmod(path, 0o755);
  }
}

interface Hostility {
  readonly name: string;
  readonly make: (directory: string, canary: Canary) => Promise<void>;
}

const set = (directory: string, settings: readonly (readonly [string, string])[]): void => {
  for (const [name, value] of settings) git(directory, 'config', name, value);
};

const promising = (url: string, command: string): readonly (readonly [string, string])[] => [
  ['core.repositoryformatversion', '1'],
  ['extensions.partialClone', 'origin'],
  ['remote.origin.url', url],
  ['remote.origin.promisor', 'true'],
  ['remote.origin.partialclonefilter', 'blob:none'],
  ['remote.origin.uploadpack', command],
  ['protocol.ext.allow', 'always'],
];

/** Repositories that promise to fetch what is missing, each with a different way to run a command. */
const PROMISES: readonly Hostility[] = [
  {
    name: 'by the program that would be asked for it',
    make: async (directory, { command }) => set(directory, promising(directory, command)),
  },
  {
    name: 'by an address that is a command',
    make: async (directory, { command }) => set(directory, promising(`ext::${command} %S`, 'git-upload-pack')),
  },
  {
    name: 'by the command that would make the connection',
    make: async (directory, { command }) =>
      set(directory, [...promising('ssh://localhost/nowhere', 'x'), ['core.sshCommand', command]]),
  },
  {
    name: 'by a file of settings that another one names',
    make: async (directory, { command }) => {
      const included = join(directory, '.git/more');
      for (const [name, value] of promising(directory, command))
        if (!name.startsWith('core.')) git(directory, 'config', '--file', included, name, value);
      set(directory, [
        ['core.repositoryformatversion', '1'],
        ['extensions.partialClone', 'origin'],
        ['include.path', included],
      ]);
    },
  },
  {
    name: 'by the settings of its work tree',
    make: async (directory, { command }) => {
      set(directory, [['extensions.worktreeConfig', 'true'], ...promising(directory, 'git-upload-pack')]);
      git(directory, 'config', '--file', join(directory, '.git/config.worktree'), 'remote.origin.uploadpack', command);
    },
  },
];

/** Intact repositories that run a command whatever is done with them. */
const TRAPS: readonly Hostility[] = [
  { name: 'settings that name commands', make: async (directory, canary) => set(directory, commandSettings(canary)) },
  { name: 'hooks', make: (directory, canary) => setHooks(join(directory, '.git/hooks'), canary) },
  {
    name: 'hooks in another place',
    make: async (directory, canary) => {
      const place = join(directory, '.git/elsewhere');
      await mkdir(place);
      await setHooks(place, canary);
      set(directory, [['core.hooksPath', place]]);
    },
  },
  {
    name: 'attributes that ask for filters and text conversion',
    make: async (directory, canary) => {
      set(directory, commandSettings(canary));
      await writeFile(join(directory, '.git/info/attributes'), '* filter=lines diff=lines\n');
    },
  },
  {
    name: 'signatures to be checked',
    make: async (directory, canary) => {
      signNewest(directory);
      set(directory, commandSettings(canary));
    },
  },
];

const looseIn = (root: string): number => Number(git(join(root, FOREIGN_ID), 'count-objects').split(' ')[0]);

/** Everything that a store does with a project, including packing. */
async function useEverything(root: string): Promise<void> {
  const store = await openStore(root, { packing: { ...EAGER_PACKING, looseObjects: 1, packs: 2 } });
  const project = await store.getProject(PROJECT);
  expect(idsOf(await store.path(PROJECT, nodeId('n4')))).toStrictEqual(['n1', 'n2', 'n3', 'n4']);
  await store.createBranch(buildBranch(project, { name: 'again', tipId: nodeId('n2') }));
  let main = await store.getBranch(PROJECT, 'main');
  for (let round = 0; round < 4; round += 1) {
    await seedTurn(store, project, main, main.tipId);
    main = await store.getBranch(PROJECT, 'main');
    await vi.waitFor(() => expect(looseIn(root)).toBeLessThan(5), { timeout: 20_000 });
  }
  await store.deleteBranch(PROJECT, (await store.getBranch(PROJECT, 'again')).id);
  // The match keys of the contract's builders are invented.
  const { findings } = await verifyStore(store);
  expect(findings.filter(({ code }) => code !== 'match_key_differs')).toStrictEqual([]);
  await store.close();
}

describe('GIT-21: a repository’s settings are not obeyed', () => {
  for (const { name, make } of PROMISES) {
    test(`GIT-21: an object that it promises to fetch ${name} is missing, and nothing is run`, async () => {
      const root = await temporaryDirectory();
      const directory = await foreignRepository(root);
      const blob = await dropNewestText(directory);
      const canary = await newCanary();
      await make(directory, canary);
      const store = await openStore(root);
      await expect(store.listBranches(PROJECT)).rejects.toMatchObject({
        code: 'corrupt_object',
        subject: `${join(directory, '.git')} ${blob}`,
      });
      expect(await store.listProjects()).toStrictEqual([]);
      await store.close();
      expect(await canary.sang()).toBe('');
    });
  }

  for (const { name, make } of TRAPS) {
    test(`GIT-21: ${name} are left alone by reading, writing, packing and verifying`, async () => {
      const root = await temporaryDirectory();
      const directory = await foreignRepository(root);
      const canary = await newCanary();
      await make(directory, canary);
      const before = await readFile(join(directory, '.git/config'), 'utf8');
      await useEverything(root);
      expect(await canary.sang()).toBe('');
      expect(await readFile(join(directory, '.git/config'), 'utf8')).toBe(before);
    });
  }

  test('GIT-21: what it replaces or grafts is read as it was written', async () => {
    const root = await temporaryDirectory();
    const directory = await foreignRepository(root);
    const at = (name: string): string => git(directory, 'rev-parse', name);
    const [newest, first, text, before] = [at('main'), at('main~3'), at('main:nodes.jsonl'), at('main~3:nodes.jsonl')];
    git(directory, 'replace', newest, first);
    git(directory, 'replace', text, before);
    await mkdir(join(directory, '.git/info'), { recursive: true });
    await writeFile(join(directory, '.git/info/grafts'), `${newest}\n`);
    await useEverything(root);
  });

  test('GIT-20: what Bough wrote is sound for the git of its owner', async () => {
    const root = await temporaryDirectory();
    const directory = await foreignRepository(root);
    await useEverything(root);
    expect(fsck(directory)).toBe('');
    expect(git(directory, 'log', '--format=%s', 'main').split('\n').length).toBe(13);
    const bare = join(root, '.remote.git');
    git(root, 'init', '--quiet', '--bare', bare);
    git(directory, 'push', '--quiet', bare, 'main');
    expect(git(bare, 'rev-parse', 'main')).toBe(git(directory, 'rev-parse', 'main'));
  });
});

describe('GIT-18: objects that are not what they seem', () => {
  /** Stores arbitrary bytes among the objects under an arbitrary name. */
  async function plant(directory: string, oid: string, type: string, content: Buffer): Promise<void> {
    const path = join(directory, '.git/objects', oid.slice(0, 2), oid.slice(2));
    await mkdir(dirname(path), { recursive: true });
    await rm(path, { force: true });
    await writeFile(path, deflateSync(Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content])));
  }

  test('GIT-18: content under the id of another is damage, and no other project sees it', async () => {
    const root = await temporaryDirectory();
    const directory = await foreignRepository(root);
    const blob = git(directory, 'rev-parse', 'main:nodes.jsonl');
    await plant(directory, blob, 'blob', Buffer.from('{"id":"n1","parent":null,"type":"message","role":"user"}\n'));
    const store = await openStore(root);
    await expect(store.listBranches(PROJECT)).rejects.toMatchObject({
      code: 'corrupt_object',
      subject: `${join(directory, '.git')} ${blob}`,
    });
  });

  test('GIT-18: a tree that is none ends in an error, and not in a loop', async () => {
    for (const content of [Buffer.alloc(100, 'x'), Buffer.from('100644 a\0short'), Buffer.from('1 '.repeat(40))]) {
      const root = await temporaryDirectory();
      const directory = await foreignRepository(root);
      const tree = objectId('tree', [content]);
      await plant(directory, tree, 'tree', content);
      const who = 'a <a@b> 1 +0000';
      const commit = Buffer.from(`tree ${tree}\nauthor ${who}\ncommitter ${who}\n\nx\n`);
      const oid = objectId('commit', [commit]);
      await plant(directory, oid, 'commit', commit);
      await writeFile(join(directory, '.git/refs/heads/main'), `${oid}\n`);
      const store = await openStore(root);
      await expect(store.listBranches(PROJECT)).rejects.toMatchObject({
        code: 'corrupt_object',
        subject: `${join(directory, '.git')} ${tree}`,
      });
      await store.close();
    }
  });

  test('GIT-23: an id that is a path leads nowhere', async () => {
    const root = await temporaryDirectory();
    const directory = await foreignRepository(root);
    const outside = join(root, 'outside');
    await writeFile(outside, deflateSync(Buffer.from('tree 0\0')));
    const id = '../../../outside';
    const commit = Buffer.from(`tree ${id}\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\nx\n`);
    const oid = objectId('commit', [commit]);
    await plant(directory, oid, 'commit', commit);
    await writeFile(join(directory, '.git/refs/heads/main'), `${oid}\n`);
    const store = await openStore(root);
    await expect(store.listBranches(PROJECT)).rejects.toMatchObject({
      code: 'corrupt_object',
      subject: `${join(directory, '.git')} ${id}`,
    });
  });
});
