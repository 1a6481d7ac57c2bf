import { execFile, spawnSync } from 'node:child_process';
import { watch } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createObjectBatch } from '../objects/object-batch.ts';
import { serializeCommit } from '../objects/commit-object.ts';
import { serializeTree } from '../objects/tree.ts';
import { git, gitWithInput, newRepository } from '../testing/workplace.ts';
import { moveRefs, type RefMove, RefsMovedError } from './move.ts';
import { isRefName } from './name.ts';
import { packRefs } from './pack.ts';
import { readRef, readRefs } from './read.ts';

const run = promisify(execFile);

/** A chain of commits, oldest first. */
async function commitsIn(gitDir: string, count: number): Promise<readonly string[]> {
  const objects = createObjectBatch(gitDir);
  const tree = objects.add('tree', serializeTree(new Map()));
  const commits: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const parents = commits.slice(-1);
    commits.push(objects.add('commit', serializeCommit({ tree, parents, message: String(at) }, at)));
  }
  await objects.flush();
  return commits;
}

async function repositoryWith(
  count: number,
): Promise<{ readonly gitDir: string; readonly commits: readonly string[] }> {
  const { gitDir } = await newRepository();
  return { gitDir, commits: await commitsIn(gitDir, count) };
}

const allOf = (gitDir: string): string => git(gitDir, 'for-each-ref', '--format=%(refname) %(objectname)');

describe('GIT-9: moving refs', () => {
  test('GIT-9: refs move together, or not at all where one stands elsewhere', async () => {
    const { gitDir, commits } = await repositoryWith(2);
    const [first = '', second = ''] = commits;
    await moveRefs(gitDir, [
      { ref: 'refs/heads/a', from: null, to: first },
      { ref: 'refs/heads/b', from: null, to: first },
    ]);
    const refused = moveRefs(gitDir, [
      { ref: 'refs/heads/a', from: first, to: second },
      { ref: 'refs/heads/b', from: second, to: first },
    ]);
    await expect(refused).rejects.toBeInstanceOf(RefsMovedError);
    await expect(refused).rejects.toThrow('refs/heads/b');
    const taken = moveRefs(gitDir, [{ ref: 'refs/heads/a', from: null, to: second }]);
    await expect(taken).rejects.toBeInstanceOf(RefsMovedError);
    expect(git(gitDir, 'rev-parse', 'a', 'b').split('\n')).toStrictEqual([first, first]);
    await moveRefs(gitDir, [
      { ref: 'refs/heads/a', from: first, to: second },
      { ref: 'refs/heads/b', from: first, to: null },
    ]);
    expect(allOf(gitDir)).toBe(`refs/heads/a ${second}`);
    expect((await readdir(join(gitDir, 'refs/heads'))).sort()).toStrictEqual(['a']);
  });

  test('GIT-9: refs are moved in the order in which they are given', async () => {
    // A crash between two of them must leave the first one moved: all writes across several refs depend on it.
    const { gitDir, commits } = await repositoryWith(1);
    const names = ['m', 'z', 'a', 'q', 'b'];
    const heads = join(gitDir, 'refs/heads');
    await mkdir(heads, { recursive: true });
    const seen = new Set<string>();
    const watcher = watch(heads, (_, name) => {
      if (name !== null && !name.endsWith('.lock')) seen.add(name);
    });
    onTestFinished(() => watcher.close());
    const moves = names.map((name) => ({ ref: `refs/heads/${name}`, from: null, to: commits[0] ?? '' }));
    await moveRefs(gitDir, moves);
    await vi.waitFor(() => expect([...seen]).toStrictEqual(names), { timeout: 30_000 });
  });

  test('GIT-9: what git would do with any moves is what happens', async () => {
    const NAMES = ['refs/heads/a', 'refs/heads/a/b', 'refs/heads/a/b/c', 'refs/heads/d', 'refs/heads/alias'];
    const move = fc.record({
      ref: fc.constantFrom(...NAMES),
      // Most expectations are right, so most moves succeed.
      from: fc.constantFrom('right', 'right', 'right', 'right', 'nothing', 'wrong'),
      to: fc.option(fc.nat(2), { nil: null, freq: 3 }),
    });
    const distinct = fc.uniqueArray(move, { minLength: 1, maxLength: 3, selector: ({ ref }) => ref });
    const step = fc.oneof({ weight: 5, arbitrary: distinct }, { weight: 1, arbitrary: fc.constant('pack' as const) });
    const [ours, theirs] = [await repositoryWith(3), await repositoryWith(3)];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
        for (const { gitDir } of [ours, theirs]) {
          for (const path of ['refs/heads', 'packed-refs'])
            await rm(join(gitDir, path), { recursive: true, force: true });
        }
        for (const taken of steps) {
          if (taken === 'pack') {
            await packRefs(ours.gitDir);
            git(theirs.gitDir, 'pack-refs', '--all', '--prune');
          } else {
            const refs = await readRefs(ours.gitDir);
            const moves = taken.map(({ ref, from, to }): RefMove => {
              const right = refs.get(ref) ?? null;
              const wrong = ours.commits.find((oid) => oid !== right) ?? null;
              return {
                ref,
                from: from === 'right' ? right : from === 'nothing' ? null : wrong,
                to: to === null ? null : (ours.commits[to] ?? null),
              };
            });
            // git treats the deletion of a ref that does not exist as an error, with or without a value.
            const kept = moves.filter(({ from, to }) => from !== null || to !== null);
            if (kept.length === 0) continue;
            const outcome = await moveRefs(ours.gitDir, kept).then(
              () => true,
              (error: unknown) => (error instanceof RefsMovedError ? false : Promise.reject(error)),
            );
            expect([kept, outcome]).toStrictEqual([kept, moveByGit(theirs.gitDir, kept)]);
          }
          const lines = [...(await readRefs(ours.gitDir))].map((pair) => pair.join(' '));
          expect(lines.sort().join('\n')).toBe(allOf(theirs.gitDir));
        }
        expect(allOf(ours.gitDir)).toBe(allOf(theirs.gitDir));
      }),
      { numRuns: 30 },
    );
  });

  test('GIT-9: a packed ref is moved and deleted although an empty directory has its name', async () => {
    const { gitDir, commits } = await repositoryWith(2);
    const [first = '', second = ''] = commits;
    await moveRefs(gitDir, [{ ref: 'refs/heads/a', from: null, to: first }]);
    await packRefs(gitDir);
    // Refused, but leaves its directory.
    const inside = moveRefs(gitDir, [{ ref: 'refs/heads/a/b', from: null, to: first }]);
    await expect(inside).rejects.toBeInstanceOf(RefsMovedError);
    await moveRefs(gitDir, [{ ref: 'refs/heads/a', from: first, to: second }]);
    expect(allOf(gitDir)).toBe(`refs/heads/a ${second}`);
    await packRefs(gitDir);
    await mkdir(join(gitDir, 'refs/heads/a/b'), { recursive: true });
    await moveRefs(gitDir, [{ ref: 'refs/heads/a', from: second, to: null }]);
    expect(allOf(gitDir)).toBe('');
  });

  test('GIT-9: no two versions of packed-refs in a row have one size, and git reads each', async () => {
    const { gitDir, commits } = await repositoryWith(4);
    const ref = 'refs/heads/a';
    const sizes: number[] = [];
    for (const [at, to] of commits.entries()) {
      await moveRefs(gitDir, [{ ref, from: commits[at - 1] ?? null, to }]);
      await packRefs(gitDir);
      sizes.push((await readFile(join(gitDir, 'packed-refs'))).length);
      expect(git(gitDir, 'rev-parse', ref)).toBe(to);
    }
    expect(new Set(sizes).size).toBe(commits.length);
  });

  test('GIT-9: writers that race, and somebody who packs with git meanwhile, lose no move', async () => {
    const { gitDir, commits } = await repositoryWith(121);
    const ref = 'refs/heads/a';
    await moveRefs(gitDir, [{ ref, from: null, to: commits[0] ?? '' }]);
    const done = new AbortController();
    const packing = (async () => {
      while (!done.signal.aborted) {
        await run('git', ['--git-dir', gitDir, 'pack-refs', '--all', '--prune']).catch(() => null);
        // Two versions that git itself writes within one second can look the same to it.
        await sleep(1_100, null, { signal: done.signal }).catch(() => null);
      }
    })();
    const ownPacking = (async () => {
      while (!done.signal.aborted) await packRefs(gitDir);
    })();
    let moved = 0;
    const step = async (byGit: boolean): Promise<number> => {
      const at = commits.indexOf((await readRef(gitDir, ref)) ?? '');
      const move = { ref, from: commits[at] ?? '', to: commits[at + 1] ?? '' };
      const done = byGit
        ? run('git', ['--git-dir', gitDir, 'update-ref', ref, move.to, move.from])
        : moveRefs(gitDir, [move]);
      await done.then(
        () => (moved += 1),
        (error: unknown) => (byGit || error instanceof RefsMovedError ? null : Promise.reject(error)),
      );
      return moved;
    };
    const writer = async (byGit: boolean): Promise<void> => {
      for (let count = 0; count < 100;) count = await step(byGit);
    };
    await Promise.all([writer(false), writer(false), writer(true)]);
    done.abort();
    await Promise.all([packing, ownPacking]);
    expect(await readRef(gitDir, ref)).toBe(commits[moved]);
    expect(git(gitDir, 'rev-parse', ref)).toBe(commits[moved]);
  });

  test('GIT-9: a ref that is deleted while others pack does not come back', async () => {
    const { gitDir, commits } = await repositoryWith(1);
    const [oid = ''] = commits;
    const done = new AbortController();
    const packing = (async () => {
      while (!done.signal.aborted) await packRefs(gitDir);
    })();
    for (let round = 0; round < 60; round += 1) {
      await moveRefs(gitDir, [{ ref: 'refs/heads/a', from: null, to: oid }]);
      await moveRefs(gitDir, [{ ref: 'refs/heads/a', from: oid, to: null }]);
    }
    done.abort();
    await packing;
    expect(allOf(gitDir)).toBe('');
  });

  test('GIT-9: a ref that somebody holds is not moved, and said to be locked', async () => {
    const { gitDir, commits } = await repositoryWith(1);
    await mkdir(join(gitDir, 'refs/heads'), { recursive: true });
    await writeFile(join(gitDir, 'refs/heads/a.lock'), '');
    const moves = ['b', 'a'].map((name) => ({ ref: `refs/heads/${name}`, from: null, to: commits[0] ?? '' }));
    await expect(moveRefs(gitDir, moves)).rejects.toThrow('refs/heads/a is locked by another process');
    expect(await readdir(join(gitDir, 'refs/heads'))).toStrictEqual(['a.lock']);
  });

  test('GIT-9: a ref that names another is moved by moving that one, and deleted itself', async () => {
    const { gitDir, commits } = await repositoryWith(2);
    const [first = '', second = ''] = commits;
    git(gitDir, 'update-ref', 'refs/heads/main', first);
    git(gitDir, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
    await moveRefs(gitDir, [{ ref: 'refs/heads/alias', from: first, to: second }]);
    expect(git(gitDir, 'rev-parse', 'main')).toBe(second);
    expect(await readFile(join(gitDir, 'refs/heads/alias'), 'utf8')).toBe('ref: refs/heads/main\n');
    await moveRefs(gitDir, [{ ref: 'refs/heads/alias', from: second, to: null }]);
    expect(allOf(gitDir)).toBe(`refs/heads/main ${second}`);
  });
});

/** Whether git accepts the moves; deletions last, as in Bough. */
function moveByGit(gitDir: string, moves: readonly RefMove[]): boolean {
  const zero = '0'.repeat(40);
  const line = ({ ref, from, to }: RefMove): string =>
    to === null ? `delete ${ref} ${from ?? zero}\n` : `update ${ref} ${to} ${from ?? zero}\n`;
  try {
    gitWithInput(gitDir, moves.map(line).join(''), 'update-ref', '--stdin');
    return true;
  } catch {
    return false;
  }
}

describe('GIT-25: names of refs', () => {
  test('GIT-25: what git does not take for a name is none', () => {
    const part = fc.oneof(
      fc.constantFrom(
        '..',
        '.',
        '/',
        '@{',
        '@',
        '.lock',
        '~',
        '^',
        ':',
        '?',
        '*',
        '[',
        '\\',
        ' ',
        '\u007f',
        '\n',
        'a',
        '-',
        'ü',
        '🌳',
      ),
      fc.string({ minLength: 1, maxLength: 3 }),
    );
    const names = fc
      .sample(fc.array(part, { minLength: 1, maxLength: 4 }), 150)
      .map((parts) => `refs/heads/${parts.join('')}`);
    for (const name of names.filter((one) => !one.includes('\0') && one.isWellFormed())) {
      const { status } = spawnSync('git', ['check-ref-format', name]);
      expect([name, isRefName(name)]).toStrictEqual([name, status === 0]);
    }
  });

  test('GIT-25: a move of anything else is refused, and nothing is written', async () => {
    const { gitDir, commits } = await repositoryWith(1);
    const before = (await readdir(gitDir, { recursive: true })).sort();
    for (const ref of [
      'refs/heads/../../../escaped',
      'refs/../config',
      '/tmp/escaped',
      'HEAD',
      'refs',
      'refs/heads/a/../../x',
    ]) {
      const move = moveRefs(gitDir, [{ ref, from: null, to: commits[0] ?? '' }]);
      await expect(move).rejects.toMatchObject({ code: 'corrupt_ref', subject: `${gitDir} ${ref}` });
    }
    expect((await readdir(gitDir, { recursive: true })).sort()).toStrictEqual(before);
  });
});

describe('GIT-24: damaged refs', () => {
  test('GIT-24: a ref that is empty or says nothing is named, and not taken for deleted', async () => {
    const { gitDir, commits } = await repositoryWith(1);
    const [oid = ''] = commits;
    git(gitDir, 'update-ref', 'refs/heads/main', oid);
    git(gitDir, 'pack-refs', '--all');
    for (const content of ['', '\n', '\0'.repeat(41), oid.slice(0, 20), 'ref: ../../elsewhere', 'ref: HEAD', '[]']) {
      await writeFile(join(gitDir, 'refs/heads/main'), content);
      const damage = { code: 'corrupt_ref', subject: `${gitDir} refs/heads/main` };
      await expect(readRefs(gitDir)).rejects.toMatchObject(damage);
      await expect(readRef(gitDir, 'refs/heads/main')).rejects.toMatchObject(damage);
      await expect(moveRefs(gitDir, [{ ref: 'refs/heads/main', from: oid, to: oid }])).rejects.toMatchObject(damage);
    }
    await rm(join(gitDir, 'refs/heads/main'));
    expect(await readRef(gitDir, 'refs/heads/main')).toBe(oid);
  });

  test('GIT-24: a file of packed refs that is cut off or garbled is named with its line', async () => {
    const { gitDir, commits } = await repositoryWith(1);
    const path = join(gitDir, 'packed-refs');
    const line = `${commits[0] ?? ''} refs/heads/main`;
    for (const [content, at] of [
      [line, 1],
      [`${line}\n${line.slice(0, 30)}`, 2],
      [`# pack-refs\n${'\0'.repeat(60)}\n`, 2],
      [`^${commits[0] ?? ''}\n`, 1],
    ] as const) {
      await writeFile(path, content);
      await expect(readRefs(gitDir)).rejects.toMatchObject({
        code: 'corrupt_file',
        subject: path,
        message: expect.stringContaining(`line ${at}`) as string,
      });
    }
  });

  test('GIT-26: a repository of SHA-256 is not read, and the error says so', async () => {
    const { gitDir } = await newRepository();
    const sha256 = { code: 'unsupported_repository', message: expect.stringContaining('SHA-256') as string };
    await mkdir(join(gitDir, 'refs/heads'), { recursive: true });
    await writeFile(join(gitDir, 'refs/heads/main'), `${'a'.repeat(64)}\n`);
    await expect(readRefs(gitDir)).rejects.toMatchObject(sha256);
    await rm(join(gitDir, 'refs/heads/main'));
    await writeFile(join(gitDir, 'packed-refs'), `${'a'.repeat(64)} refs/heads/main\n`);
    await expect(readRefs(gitDir)).rejects.toMatchObject(sha256);
  });
});
