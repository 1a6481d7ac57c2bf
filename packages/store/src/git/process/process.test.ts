import { randomBytes } from 'node:crypto';
import { watch } from 'node:fs';
import { chmod, mkdir, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createObjectBatch } from '../objects/object-batch.ts';
import { serializeCommit } from '../objects/commit.ts';
import { serializeTree } from '../objects/tree.ts';
import { git, temporaryDirectory } from '../testing/workplace.ts';
import { createObjectReader } from './object-reader.ts';
import { createRefWriter, RefsMovedError } from './ref-writer.ts';

async function newRepository(): Promise<string> {
  const directory = await temporaryDirectory();
  git(directory, 'init', '--quiet', '--bare', '.');
  return directory;
}

async function twoCommits(gitDir: string): Promise<readonly [string, string]> {
  const objects = createObjectBatch(gitDir);
  const tree = objects.add('tree', serializeTree(new Map()));
  const first = objects.add('commit', serializeCommit({ tree, parents: [], message: 'first' }, 1));
  const second = objects.add('commit', serializeCommit({ tree, parents: [first], message: 'second' }, 2));
  await objects.flush();
  return [first, second];
}

describe('GIT-9: reading objects', () => {
  test('GIT-9: many requests at once are answered in order, large and missing ones too', async () => {
    const gitDir = await newRepository();
    const reader = createObjectReader(gitDir);
    onTestFinished(reader.close);
    const objects = createObjectBatch(gitDir);
    const contents = [0, 1, 70_000, 3_000_000].map((size) => Buffer.alloc(size, 'line\n'));
    const oids = contents.map((content) => objects.add('blob', content));
    await objects.flush();
    const answers = await Promise.all([...oids, 'f'.repeat(40), ...oids].map(reader.read));
    expect(answers[4]).toBeNull();
    for (const [at, content] of [...contents, null, ...contents].entries()) {
      if (content) expect(answers[at]?.content.equals(content)).toBe(true);
    }
    // An object that came after the process was started, and one after the process was let go.
    const later = objects.add('blob', Buffer.from('later'));
    await objects.flush();
    expect((await reader.read(later))?.content.toString()).toBe('later');
    await reader.close();
    expect((await reader.read(later))?.type).toBe('blob');
  });

  test('GIT-18: a damaged object fails alone; the requests behind it are answered', async () => {
    const gitDir = await newRepository();
    const reader = createObjectReader(gitDir);
    onTestFinished(reader.close);
    const objects = createObjectBatch(gitDir);
    const [bad, good] = [objects.add('blob', randomBytes(20_000)), objects.add('blob', Buffer.from('good'))];
    await objects.flush();
    const path = join(gitDir, 'objects', bad.slice(0, 2), bad.slice(2));
    await chmod(path, 0o644);
    await truncate(path, 9000);
    const [first, second, third] = await Promise.allSettled([good, bad, good].map(reader.read));
    expect(first?.status).toBe('fulfilled');
    expect(second).toMatchObject({
      status: 'rejected',
      reason: { code: 'corrupt_object', subject: `${gitDir} ${bad}` },
    });
    expect(third?.status).toBe('fulfilled');
  });
});

describe('GIT-9: moving refs', () => {
  test('GIT-9: refs move together, or not at all where one stands elsewhere', async () => {
    const gitDir = await newRepository();
    const [first, second] = await twoCommits(gitDir);
    const started: number[] = [];
    const writer = createRefWriter(gitDir, (pid) => started.push(pid));
    onTestFinished(writer.close);
    await writer.move([
      { ref: 'refs/heads/a', from: null, to: first },
      { ref: 'refs/heads/b', from: null, to: first },
    ]);
    const refused = writer.move([
      { ref: 'refs/heads/a', from: first, to: second },
      { ref: 'refs/heads/b', from: second, to: first },
    ]);
    await expect(refused).rejects.toBeInstanceOf(RefsMovedError);
    await expect(refused).rejects.toThrow('refs/heads/b');
    await expect(writer.move([{ ref: 'refs/heads/a', from: null, to: second }])).rejects.toBeInstanceOf(RefsMovedError);
    expect(git(gitDir, 'rev-parse', 'a', 'b').split('\n')).toStrictEqual([first, first]);
    // A failure ends git's process; the next move starts another.
    await writer.move([
      { ref: 'refs/heads/a', from: first, to: second },
      { ref: 'refs/heads/b', from: first, to: null },
    ]);
    expect(git(gitDir, 'for-each-ref', '--format=%(refname) %(objectname)')).toBe(`refs/heads/a ${second}`);
    expect(new Set(started).size).toBe(3);
  });

  test('GIT-9: a git that was ended from outside is replaced', async () => {
    const gitDir = await newRepository();
    const [first, second] = await twoCommits(gitDir);
    const started: number[] = [];
    const writer = createRefWriter(gitDir, (pid) => started.push(pid));
    onTestFinished(writer.close);
    await writer.move([{ ref: 'refs/heads/a', from: null, to: first }]);
    process.kill(started[0] ?? 0, 'SIGKILL');
    await vi.waitFor(() => expect(() => process.kill(started[0] ?? 0, 0)).toThrow('ESRCH'));
    await writer.move([{ ref: 'refs/heads/a', from: first, to: second }]);
    expect(git(gitDir, 'rev-parse', 'a')).toBe(second);
  });

  test('GIT-9: moves that are asked for together come one after the other', async () => {
    const gitDir = await newRepository();
    const [first, second] = await twoCommits(gitDir);
    const writer = createRefWriter(gitDir, () => undefined);
    onTestFinished(writer.close);
    const results = await Promise.allSettled([
      writer.move([{ ref: 'refs/heads/a', from: null, to: first }]),
      writer.move([{ ref: 'refs/heads/a', from: null, to: second }]),
      writer.move([{ ref: 'refs/heads/a', from: first, to: second }]),
    ]);
    expect(results.map(({ status }) => status)).toStrictEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(git(gitDir, 'rev-parse', 'a')).toBe(second);
  });

  test('GIT-9: git moves the refs of a transaction in the order in which they are given', async () => {
    // A crash between two of them must leave the first moved: the whole design of writes over several refs rests on it.
    const gitDir = await newRepository();
    const [first] = await twoCommits(gitDir);
    const writer = createRefWriter(gitDir, () => undefined);
    onTestFinished(writer.close);
    const names = ['m', 'z', 'a', 'q', 'b'];
    const heads = join(gitDir, 'refs/heads');
    await mkdir(heads, { recursive: true });
    const seen = new Set<string>();
    const watcher = watch(heads, (_, name) => {
      if (name !== null && !name.endsWith('.lock')) seen.add(name);
    });
    onTestFinished(() => watcher.close());
    await writer.move(names.map((name) => ({ ref: `refs/heads/${name}`, from: null, to: first })));
    await vi.waitFor(() => expect([...seen]).toStrictEqual(names));
  });
});
