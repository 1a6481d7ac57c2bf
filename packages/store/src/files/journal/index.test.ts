import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FileChange } from './change.ts';
import type { Home } from './index.ts';
import { homeAt, openFileSet, recoverFiles } from './index.ts';
import { recordOf } from './record.ts';
import type { Signer } from './secret.ts';

let outer = '';
let base = '';
let own = '';
let home: Home;
let signer: Signer;
let segment = '';
beforeEach(async () => {
  outer = await mkdtemp(join(tmpdir(), 'bough-journal-'));
  base = join(outer, 'store');
  own = join(base, '.bough');
  segment = join(own, 'journal', '00000001.jsonl');
  await mkdir(join(own, 'journal'), { recursive: true });
  await mkdir(join(own, 'tmp'), { recursive: true });
  home = await homeAt(base);
  signer = await home.secret.obtain();
});
afterEach(() => rm(outer, { recursive: true }));

const put = (path: string, text: string): FileChange => ({ type: 'put', path, text });
const append = (path: string, offset: number, text: string): FileChange => ({ type: 'append', path, offset, text });
const textOf = (path: string): Promise<string> => readFile(join(base, path), 'utf8');

describe('FileSet', () => {
  test('FS-6: what was committed is read at once and is in the files when settled', async () => {
    const files = await openFileSet(home, new Map());
    await files.commit([put('a/b/one.json', '1'), { type: 'put', path: 'two.gz', text: 'two', gzip: true }]);
    expect(await files.read('a/b/one.json')).toBe('1');
    expect(await files.readCompressed('two.gz')).toBe('two');
    expect(await files.read('three')).toBeNull();
    await files.settle();
    expect(await textOf('a/b/one.json')).toBe('1');
    expect(gunzipSync(await readFile(join(base, 'two.gz'))).toString()).toBe('two');
    await files.commit([{ type: 'delete', path: 'a/b/one.json' }]);
    expect(await files.read('a/b/one.json')).toBeNull();
    await files.close();
    expect(await readdir(own)).toStrictEqual([]);
    expect(await readdir(join(base, 'a/b'))).toStrictEqual([]);
  });

  test('FS-6: appends find their place, also when many are under way and after opening again', async () => {
    const files = await openFileSet(home, new Map());
    const lines = Array.from({ length: 200 }, (_, index) => `${index}\n`);
    await Promise.all(lines.map((text) => files.commit([{ type: 'append', path: 'log', text }])));
    await files.close();
    expect(await textOf('log')).toBe(lines.join(''));
    const again = await openFileSet(home, new Map([['log', lines.join('').length]]));
    await again.commit([{ type: 'append', path: 'log', text: 'end' }]);
    await again.close();
    expect(await textOf('log')).toBe(`${lines.join('')}end`);
  });

  test('FS-6: the journal stays small however much is written', async () => {
    const files = await openFileSet(home, new Map());
    for (let index = 0; index < 40; index += 1) await files.commit([put(`f${index % 3}`, 'x'.repeat(200_000))]);
    await files.settle();
    await files.commit([put('last', '')]);
    await files.settle();
    const segments = await readdir(join(own, 'journal'));
    const sizes = await Promise.all(segments.map(async (name) => (await stat(join(own, 'journal', name))).size));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(3_000_000);
    await files.close();
  });

  test('FS-6: a file that cannot be written is tried again, and nothing more is accepted meanwhile', async () => {
    const files = await openFileSet(home, new Map());
    await mkdir(join(base, 'blocked', 'inside'), { recursive: true });
    await files.commit([put('blocked', 'text')]);
    await expect(files.settle()).rejects.toMatchObject({ code: expect.stringMatching(/EISDIR|ENOTEMPTY|EEXIST/) });
    await expect(files.commit([put('other', 'text')])).rejects.toMatchObject({ syscall: 'rename' });
    expect(await files.read('blocked')).toBe('text');
    await rm(join(base, 'blocked'), { recursive: true });
    await files.commit([put('other', 'text')]);
    await files.close();
    expect([await textOf('blocked'), await textOf('other')]).toStrictEqual(['text', 'text']);
  });
});

describe('recoverFiles', () => {
  test('FS-6: a change that was journaled but not made is made, whole, once or again', async () => {
    await writeFile(join(base, 'log'), 'one\ntorn');
    await writeFile(join(base, 'old'), '');
    const record = recordOf([put('a/x', 'x'), append('log', 4, 'two\n'), { type: 'delete', path: 'old' }], signer);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await mkdir(join(own, 'journal'), { recursive: true });
      await writeFile(segment, record);
      await recoverFiles(home);
      expect(await textOf('a/x')).toBe('x');
      expect(await textOf('log')).toBe('one\ntwo\n');
      expect((await readdir(base)).sort()).toStrictEqual(['.bough', 'a', 'log']);
    }
  });

  test('FS-6: a line that was torn was never acknowledged: nothing of it is made', async () => {
    const [whole, torn] = [recordOf([put('x', 'new')], signer), recordOf([put('x', 'newer'), put('y', 'y')], signer)];
    for (const length of [1, 9, torn.length / 2, torn.length - 2]) {
      await mkdir(join(own, 'journal'), { recursive: true });
      await writeFile(segment, whole);
      await appendFile(segment, torn.slice(0, length));
      await recoverFiles(home);
      expect(await textOf('x')).toBe('new');
      expect(await readdir(base)).not.toContain('y');
    }
  });

  test('FS-6: a line that is damaged before others is no crash but a fault, and nothing is touched', async () => {
    const damaged = recordOf([put('x', 'one')], signer).replace('one', 'two');
    await writeFile(segment, damaged + recordOf([put('y', 'y')], signer));
    await expect(recoverFiles(home)).rejects.toMatchObject({ code: 'journal_corrupt', subject: segment });
    expect(await readdir(base)).toStrictEqual(['.bough']);
    expect(await readFile(segment, 'utf8')).toContain(damaged);
  });

  test('FS-6: directories come and go in the order of the changes', async () => {
    await mkdir(join(base, 'p/nodes'), { recursive: true });
    await writeFile(join(base, 'p/nodes/old'), '');
    await mkdir(join(own, 'incoming/new'), { recursive: true });
    await writeFile(join(own, 'incoming/new/file'), 'adopted');
    const record = recordOf(
      [
        { type: 'adoptTree', path: 'q', from: '.bough/incoming/new' },
        put('q/later', ''),
        put('p/nodes/lost', ''),
        { type: 'removeTree', path: 'p' },
        put('p/again', ''),
      ],
      signer,
    );
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await mkdir(join(own, 'journal'), { recursive: true });
      await writeFile(segment, record);
      await recoverFiles(home);
      expect((await readdir(join(base, 'q'))).sort()).toStrictEqual(['file', 'later']);
      expect(await readdir(join(base, 'p'))).toStrictEqual(['again']);
    }
  });

  test('FS-14: not even a line that this store signed leads out of it', async () => {
    await writeFile(join(outer, 'victim'), 'mine');
    const out: readonly FileChange[] = [
      put('../victim', 'theirs'),
      put('/tmp/victim', 'theirs'),
      put('a/../../victim', 'theirs'),
      append('../victim', 0, 'theirs'),
      { type: 'append', path: 'log', offset: -1, text: '' },
      { type: 'delete', path: '../victim' },
      { type: 'removeTree', path: '..' },
      { type: 'removeTree', path: '.' },
      { type: 'adoptTree', path: 'stolen', from: '../victim' },
    ];
    for (const change of out) {
      await writeFile(segment, recordOf([put('x', 'x'), change], signer));
      await expect(recoverFiles(home)).rejects.toMatchObject({ code: 'journal_foreign', subject: segment });
    }
    expect(await readFile(join(outer, 'victim'), 'utf8')).toBe('mine');
    expect(await readdir(base)).toStrictEqual(['.bough']);
  });

  test('FS-15: a signed line is not done through a link', async () => {
    await mkdir(join(outer, 'elsewhere'));
    await writeFile(join(outer, 'victim'), 'mine');
    await symlink(join(outer, 'elsewhere'), join(base, 'a'));
    await symlink(join(outer, 'victim'), join(base, 'log'));
    for (const change of [put('a/x', 'x'), append('log', 0, 'x'), append('log', 2, 'x'), append('a/log', 0, 'x')]) {
      await writeFile(segment, recordOf([change], signer));
      await expect(recoverFiles(home)).rejects.toMatchObject({ code: 'link_refused' });
    }
    expect(await readdir(join(outer, 'elsewhere'))).toStrictEqual([]);
    expect(await readFile(join(outer, 'victim'), 'utf8')).toBe('mine');
  });
});
