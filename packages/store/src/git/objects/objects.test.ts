import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { git, temporaryDirectory } from '../testing/workplace.ts';
import { parseCommit, serializeCommit, subjectOf } from './commit-object.ts';
import { createObjectBatch } from './object-batch.ts';
import {
  appendBytes,
  cutText,
  EMPTY_BLOB,
  EMPTY_TEXT,
  endsInLine,
  pathTextOf,
  sliceText,
  textId,
} from './path-text.ts';
import { readLooseObject } from './read-loose.ts';
import { writeBlobObject } from './stream-blob.ts';
import { parseTree, serializeTree, type Tree } from './tree.ts';

async function newRepository(): Promise<string> {
  const directory = await temporaryDirectory();
  git(directory, 'init', '--quiet', '--bare', '.');
  return directory;
}

const show = (gitDir: string, oid: string): Buffer =>
  execFileSync('git', ['--git-dir', gitDir, 'cat-file', '-p', oid], { maxBuffer: 1 << 28 });

describe('GIT-9: objects', () => {
  test('GIT-9: what is written is what git reads, under the id that git gives it', async () => {
    const gitDir = await newRepository();
    const objects = createObjectBatch(gitDir);
    const content = Buffer.from('one\ntwo\u0000\n');
    const blob = objects.add('blob', content);
    const tree = objects.add('tree', serializeTree(new Map([['a.txt', { mode: '100644', oid: blob }]])));
    const commit = objects.add('commit', serializeCommit({ tree, parents: [], message: 'Über' }, 1_700_000_000));
    expect(await readLooseObject(gitDir, blob)).toBeNull();
    expect((await objects.flush()).count).toBe(3);
    expect(show(gitDir, blob)).toStrictEqual(content);
    expect(execFileSync('git', ['hash-object', '--stdin'], { input: content, encoding: 'utf8' }).trim()).toBe(blob);
    expect(git(gitDir, 'log', '-1', '--format=%s %ct', commit)).toBe('Über 1700000000');
    expect(git(gitDir, 'fsck', '--strict', '--no-dangling', '--no-progress')).toBe('');
    expect((await readLooseObject(gitDir, blob))?.content).toStrictEqual(content);
    const read = await readLooseObject(gitDir, commit);
    expect(parseCommit(read?.content ?? Buffer.alloc(0))).toStrictEqual({ tree, parents: [], message: 'Über\n' });
  });

  test('GIT-9: many objects go to git as one pack, and are the same objects', async () => {
    const gitDir = await newRepository();
    const objects = createObjectBatch(gitDir);
    const contents = Array.from({ length: 500 }, (_, index) => Buffer.alloc(index * index, `${index} `));
    const oids = contents.map((content) => objects.add('blob', content));
    const text = pathTextOf(Buffer.from('a line\n'.repeat(20_000)));
    const oid = objects.addText(text);
    const tree = objects.add('tree', serializeTree(new Map([['nodes.jsonl', { mode: '100644', oid }]])));
    const commit = objects.add('commit', serializeCommit({ tree, parents: [], message: 'packed' }, 1));
    await objects.flush();
    expect(git(gitDir, 'count-objects', '-v')).toMatch(/^count: 0\n.*in-pack: 503\npacks: 1\n/s);
    expect(git(gitDir, 'fsck', '--strict', '--no-dangling', '--no-progress')).toBe('');
    for (const at of [0, 3, 4, 11, 12, 90, 499])
      expect(show(gitDir, oids[at] ?? '').equals(contents[at] ?? Buffer.alloc(0))).toBe(true);
    expect(show(gitDir, `${commit}:nodes.jsonl`).length).toBe(140_000);
  });

  /** Removes what is empty, as git does, from another process: it is there in every gap. */
  async function whileEmptied(gitDir: string, work: () => Promise<void>): Promise<void> {
    const sweeping = spawn(process.execPath, ['-e', SWEEP, join(gitDir, 'objects')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(sweeping.stdout, 'data');
      await work();
    } finally {
      sweeping.kill('SIGKILL');
      await once(sweeping, 'close');
    }
  }
  const SWEEP = `
    const { readdirSync, rmdirSync } = require('node:fs');
    process.stdout.write('ready');
    for (;;) for (const name of readdirSync(process.argv[1])) {
      try { if (name.length === 2) rmdirSync(process.argv[1] + '/' + name); } catch { /* It is not empty. */ }
    }`;

  test('GIT-9: objects are written while git packs and removes what it has emptied', async () => {
    const gitDir = await newRepository();
    const objects = createObjectBatch(gitDir);
    const oids: string[] = [];
    await whileEmptied(gitDir, async () => {
      for (let round = 0; round < 15; round += 1) {
        for (let index = 0; index < 30; index += 1) oids.push(objects.add('blob', Buffer.from(`${round} ${index}`)));
        await objects.flush();
      }
    });
    const read = await Promise.all(oids.map((oid) => readLooseObject(gitDir, oid)));
    expect(read.filter((object) => object === null)).toStrictEqual([]);
  });

  test('GIT-9: so are files', async () => {
    const gitDir = await newRepository();
    const oids: string[] = [];
    await whileEmptied(gitDir, async () => {
      for (let index = 0; index < 100; index += 1) {
        const file = Buffer.from(`${index}`);
        oids.push(await writeBlobObject(gitDir, file.length, Readable.from([file])));
      }
    });
    const read = await Promise.all(oids.map((oid) => readLooseObject(gitDir, oid)));
    expect(read.filter((object) => object === null)).toStrictEqual([]);
  });

  test('GIT-9: a tree is sorted as git sorts it, directories as if they ended in a slash', async () => {
    const gitDir = await newRepository();
    const objects = createObjectBatch(gitDir);
    const blob = objects.add('blob', Buffer.from('x'));
    const inner = objects.add('tree', serializeTree(new Map([['f', { mode: '100644', oid: blob }]])));
    const entries: Tree = new Map([
      ['a.b', { mode: '100644', oid: blob }],
      ['a', { mode: '40000', oid: inner }],
      ['a0', { mode: '100644', oid: blob }],
      ['ä', { mode: '100644', oid: blob }],
      ['Z', { mode: '100644', oid: blob }],
    ]);
    const tree = objects.add('tree', serializeTree(entries));
    await objects.flush();
    expect(git(gitDir, '-c', 'core.quotePath=false', 'ls-tree', '--name-only', tree).split('\n')).toStrictEqual([
      'Z',
      'a.b',
      'a',
      'a0',
      'ä',
    ]);
    expect(git(gitDir, 'fsck', '--strict', '--no-dangling', '--no-progress')).toBe('');
    expect(new Map(parseTree(serializeTree(entries)))).toStrictEqual(entries);
  });

  test('GIT-20: a subject is one short line, whatever the text holds', () => {
    expect(subjectOf('a\n\tb\u0000\u001b[0m  c ')).toBe('a b [0m c');
    expect(Array.from(subjectOf('🌳'.repeat(100))).length).toBe(72);
    expect(subjectOf('')).toBe('');
  });
});

describe('GIT-11: the text of a path', () => {
  test('GIT-11: a text that was put together piece by piece is the same object as one that was written whole', async () => {
    const gitDir = await newRepository();
    const line = (index: number): Buffer =>
      Buffer.from(`{"id":"${index}","text":"${'lorem ipsum '.repeat(index % 90)}"}\n`);
    let text = EMPTY_TEXT;
    const parts: Buffer[] = [];
    const objects = createObjectBatch(gitDir);
    for (let index = 0; index < 400; index += 1) {
      parts.push(line(index));
      text = appendBytes(text, line(index));
      if (index % 57 === 0) objects.addText(text);
    }
    const whole = Buffer.concat(parts);
    const oid = objects.addText(text);
    expect(oid).toBe(textId(pathTextOf(whole)));
    const fork = objects.addText(appendBytes(cutText(text, 100_000), Buffer.from('another end\n')));
    await objects.flush();
    expect(show(gitDir, oid).equals(whole)).toBe(true);
    expect(show(gitDir, fork).equals(Buffer.concat([whole.subarray(0, 100_000), Buffer.from('another end\n')]))).toBe(
      true,
    );
    expect(git(gitDir, 'fsck', '--strict', '--no-dangling', '--no-progress')).toBe('');
  });

  test('GIT-11: cutting, slicing and appending agree with plain bytes', () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 30_000 }), { maxLength: 12 });
    fc.assert(
      fc.property(pieces, fc.nat(200_000), fc.nat(200_000), (given, a, b) => {
        const whole = Buffer.concat(given);
        const text = given.reduce((sum, piece) => appendBytes(sum, Buffer.from(piece)), EMPTY_TEXT);
        const [start, end] = [Math.min(a, b, whole.length), Math.min(Math.max(a, b), whole.length)];
        expect(text.length).toBe(whole.length);
        expect(sliceText(text, start, end).equals(whole.subarray(start, end))).toBe(true);
        const cut = cutText(text, end);
        expect(textId(cut)).toBe(textId(pathTextOf(whole.subarray(0, end))));
        expect(
          sliceText(appendBytes(cut, whole), 0, end + whole.length).equals(
            Buffer.concat([whole.subarray(0, end), whole]),
          ),
        ).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  test('GIT-11: the empty text is git’s empty file', () => {
    expect(textId(EMPTY_TEXT)).toBe(EMPTY_BLOB);
    expect(endsInLine(EMPTY_TEXT)).toBe(true);
    expect(endsInLine(pathTextOf(Buffer.from('a')))).toBe(false);
    expect(endsInLine(pathTextOf(Buffer.from('a\n')))).toBe(true);
  });
});

describe('GIT-18: a damaged object', () => {
  test('GIT-18: is left to git to judge', async () => {
    const gitDir = await newRepository();
    const objects = createObjectBatch(gitDir);
    const blob = objects.add('blob', Buffer.from('x'.repeat(1000)));
    await objects.flush();
    const path = join(gitDir, 'objects', blob.slice(0, 2), blob.slice(2));
    execFileSync('sh', ['-c', `chmod u+w ${path} && truncate -s 10 ${path}`]);
    expect(await readLooseObject(gitDir, blob)).toBeNull();
  });
});
