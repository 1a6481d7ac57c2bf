import { execFileSync } from 'node:child_process';
import {
  appendFile,
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { crc32, gzipSync } from 'node:zlib';
import type { NodeId, ProjectId, TreeNode } from '@bough/core';
import { nodeId, projectId } from '@bough/core';
import { treeOf } from '@bough/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildNode, buildProject } from '../contract/build.ts';
import { StoreError } from '../errors.ts';
import type { FilesStore } from './index.ts';
import { openFilesStore } from './index.ts';

const FIXTURE = new URL('./fixtures/loom/', import.meta.url);
const ROOT = projectId('root-1');

/** Somebody else's directory; next to it, files that it must not reach. */
let outer = '';
let directory = '';
let victim = '';
let opened: FilesStore[] = [];
beforeEach(async () => {
  outer = await mkdtemp(join(tmpdir(), 'bough-foreign-'));
  directory = join(outer, 'loom');
  victim = join(outer, 'victim.txt');
  await cp(FIXTURE, directory, { recursive: true });
  await chmod(directory, 0o755);
  await writeFile(victim, 'mine');
  await mkdir(join(outer, 'elsewhere'));
  await writeFile(join(outer, 'elsewhere', 'kept.json'), '{}');
  opened = [];
});
afterEach(async () => {
  for (const store of opened) await store.close();
  await rm(outer, { recursive: true });
});

async function open(at = directory): Promise<FilesStore> {
  const store = await openFilesStore({ directory: at });
  opened.push(store);
  return store;
}

const nodeIn = (project: ProjectId, id: NodeId): TreeNode =>
  buildNode(buildProject({ id: project }), null, 'new', { id });

/** Everything but the store itself. */
const outside = async (): Promise<Record<string, string>> => {
  const found = await treeOf(outer, { times: true });
  return Object.fromEntries(Object.entries(found).filter(([path]) => path !== 'loom' && !path.startsWith('loom/')));
};

/** A line as earlier versions wrote it: with a checksum that anybody can compute. */
const unsigned = (changes: unknown): string => {
  const json = JSON.stringify(changes);
  return `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`;
};

async function plantJournal(text: string): Promise<string> {
  const segment = join(directory, '.bough/journal/00000001.jsonl');
  await mkdir(dirname(segment), { recursive: true });
  await writeFile(segment, text);
  return segment;
}

describe('a journal that somebody else wrote', () => {
  const attacks: readonly [string, unknown][] = [
    ['a path that leaves the directory', { type: 'put', path: '../victim.txt', text: 'theirs' }],
    ['an append that leaves it', { type: 'append', path: '../victim.txt', offset: 0, text: 'theirs' }],
    ['a deletion that leaves it', { type: 'delete', path: '../victim.txt' }],
    ['a tree that is removed elsewhere', { type: 'removeTree', path: '../elsewhere' }],
    ['a tree that is taken from elsewhere', { type: 'adoptTree', path: 'stolen', from: '../elsewhere' }],
    ['a path inside', { type: 'put', path: 'root-1/nodes/node-1.json', text: '{}' }],
  ];
  test.each(attacks)('FS-13: %s is not done; the error says what to do, and the journal stays', async (_, change) => {
    const segment = await plantJournal(unsigned([change]));
    const before = await treeOf(outer);
    await expect(openFilesStore({ directory })).rejects.toMatchObject({
      code: 'journal_foreign',
      subject: segment,
      message: expect.stringMatching(/journal.*remove/s),
    });
    expect(await treeOf(outer)).toStrictEqual(before);
  });

  test('FS-13: a line that was signed for another directory is not done either', async () => {
    const other = join(outer, 'other');
    const store = await openFilesStore({ directory: other });
    await store.createProject(buildProject());
    await cp(join(other, '.bough/journal'), join(directory, '.bough/journal'), { recursive: true });
    await store.close();
    await expect(openFilesStore({ directory })).rejects.toMatchObject({ code: 'journal_foreign' });
  });
});

describe('paths', () => {
  test('FS-14: no id of a foreign list of roots names a place outside', async () => {
    const ids = ['../elsewhere', '..', '.', '', '/', '.bough', 'a/../../elsewhere', '..\\elsewhere', '\u0000', victim];
    await writeFile(join(directory, 'roots.json'), JSON.stringify(ids.map((id) => ({ id, child_ids: [] }))));
    const before = await outside();
    const store = await open();
    expect((await store.listProjects()).map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
    for (const id of ids) {
      const project = projectId(id);
      await store.appendNodes(project, [nodeIn(project, nodeId(`${id}/../../x`))]);
      await store.deleteProject(project);
    }
    await store.close();
    expect(await outside()).toStrictEqual(before);
  });
});

describe('links', () => {
  const codeOf = (problems: readonly StoreError[]): readonly string[] => problems.map(({ code }) => code);

  test('FS-15: a node that is a link is named and not read; the rest opens', async () => {
    const path = join(directory, 'root-1/nodes/node-3.json');
    await rename(path, join(outer, 'node-3.json'));
    await symlink(join(outer, 'node-3.json'), path);
    const store = await open();
    await expect(store.findNode(nodeId('root-1/node-3'))).rejects.toMatchObject({
      code: 'link_refused',
      subject: path,
    });
    expect((await store.findNode(nodeId('root-1/node-1'))).projectId).toBe(ROOT);
  });

  test('FS-15: a link that takes the place of a file while the store is open is not read', async () => {
    const store = await open();
    const path = join(directory, 'root-1/nodes/node-3.json');
    await rename(path, join(outer, 'node-3.json'));
    await symlink(join(outer, 'node-3.json'), path);
    await expect(store.findNode(nodeId('root-1/node-3'))).rejects.toMatchObject({ code: 'link_refused' });
  });

  test.each(['root-1', 'root-1/nodes', 'root-1/bough', 'root-1/bough/branches'])(
    'FS-15: %s as a link is not read and not written through',
    async (name) => {
      const path = join(directory, name);
      const target = join(outer, 'elsewhere', 'moved');
      await rename(path, target).catch(() => mkdir(target));
      await mkdir(dirname(path), { recursive: true });
      await symlink(target, path);
      const before = await outside();
      const store = await open();
      expect(codeOf(store.problems())).toContain('link_refused');
      await expect(store.appendNodes(ROOT, [nodeIn(ROOT, nodeId('root-1/new'))])).rejects.toMatchObject({
        code: 'link_refused',
      });
      await store.close();
      expect(await outside()).toStrictEqual(before);
    },
  );

  test('FS-15: a directory that becomes a link while the store is open is not written through', async () => {
    const store = await open();
    const nodes = join(directory, 'root-1/nodes');
    await rename(nodes, join(outer, 'elsewhere/nodes'));
    await symlink(join(outer, 'elsewhere/nodes'), nodes);
    const before = await outside();
    await store.appendNodes(ROOT, [nodeIn(ROOT, nodeId('root-1/new'))]);
    await expect(store.close()).rejects.toMatchObject({ code: 'link_refused' });
    opened = [];
    // The secret stays next to the directory: the changes in the journal still have to be applied.
    expect({ ...(await outside()), 'loom.key': '' }).toStrictEqual({ ...before, 'loom.key': '' });
  });

  test.each(['.bough', '.bough/journal', '.bough/tmp', '.bough/incoming', '.bough/lock', 'roots.json'])(
    'FS-15: %s as a link leads to no write outside',
    async (name) => {
      const path = join(directory, name);
      await mkdir(dirname(path), { recursive: true });
      await rm(path, { force: true });
      await symlink(name === 'roots.json' ? join(outer, 'elsewhere/kept.json') : join(outer, 'elsewhere'), path);
      const before = await outside();
      await openFilesStore({ directory }).then(
        (store) => store.close(),
        (error: unknown) => expect(error).toBeInstanceOf(StoreError),
      );
      expect(await outside()).toStrictEqual(before);
    },
  );

  test('FS-15: the directory itself may be reached by a link: whoever opens it named it', async () => {
    const link = join(outer, 'files');
    await symlink(directory, link);
    const store = await open(link);
    await store.appendNodes(ROOT, [nodeIn(ROOT, nodeId('root-1/new'))]);
    await store.close();
    expect(await readFile(join(directory, 'root-1/nodes/new.json'), 'utf8')).toContain('root-1/new');
  });
});

describe('files that are none, or too much', () => {
  const node = nodeId('root-1/node-3');
  const path = (): string => join(directory, 'root-1/nodes/node-3.json');

  test('FS-16: a pipe in the place of a file is named, and nobody waits for it', async () => {
    await rm(path());
    execFileSync('mkfifo', [path()]);
    await expect((await open()).findNode(node)).rejects.toMatchObject({ code: 'malformed_file', subject: path() });
  });

  test('FS-16: a file that is larger than any that Bough writes is named and not read', async () => {
    await truncate(path(), 5_000_000_000);
    await expect((await open()).findNode(node)).rejects.toMatchObject({ code: 'malformed_file', subject: path() });
  });

  test('FS-16: JSON that is nested too deep is named', async () => {
    await writeFile(path(), `${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    await expect((await open()).findNode(node)).rejects.toMatchObject({ code: 'malformed_file', subject: path() });
    const text = JSON.stringify({ id: node, message: { role: 'user', content: [{ type: 'text', text: '' }] } });
    await writeFile(path(), text.replace('""', `"", "deep": ${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`));
    await expect((await open(await again())).findNode(node)).rejects.toMatchObject({ code: 'malformed_file' });
  });

  async function again(): Promise<string> {
    for (const store of opened.splice(0)) await store.close();
    return directory;
  }

  test('FS-16: raw that unpacks to more than fits is named instead of filling the memory', async () => {
    const store = await open();
    const turn = { id: 'bomb', branchId: null, isThinkingMode: false, status: 'complete', createdAt: '2026-01-01' };
    const call = {
      id: 'bomb',
      nodeId: node,
      provider: 'p',
      deployment: 'd',
      model: 'm',
      status: 'complete',
      requestHash: '',
      startedAt: '2026-01-01',
      usage: {},
      hasRaw: true,
    };
    await mkdir(join(directory, 'root-1/bough/turns'), { recursive: true });
    await mkdir(join(directory, 'root-1/bough/raw'));
    await writeFile(join(directory, 'root-1/bough/turns/bomb.json'), JSON.stringify({ ...turn, calls: [call] }));
    const bomb = join(directory, 'root-1/bough/raw/bomb.json.gz');
    const megabytes = gzipSync(Buffer.alloc(64 << 20));
    for (let count = 0; count < 8; count += 1) await appendFile(bomb, megabytes);
    await store.close();
    const reopened = await open();
    expect(reopened.problems()).toStrictEqual([]);
    await expect(reopened.getRaw(ROOT, node)).rejects.toMatchObject({ code: 'malformed_file', subject: bomb });
  });
});
