import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConflictError } from '../../errors.ts';
import { acquireLock } from './index.ts';

let directory = '';
let path = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bough-lock-'));
  path = join(directory, 'lock');
});
afterEach(() => rm(directory, { recursive: true }));

const holder = (given: object): string =>
  JSON.stringify({ token: 'theirs', pid: 1, host: hostname(), started: null, ...given });

/** A process that runs until it is killed. */
async function startSleeper() {
  const child = spawn(process.execPath, ['-e', 'console.log("up"); setInterval(() => {}, 1000)']);
  await once(child.stdout, 'data');
  return {
    pid: child.pid ?? 0,
    end: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

describe('acquireLock', () => {
  test('FS-5: a held lock keeps the same process out, and a released one does not', async () => {
    const lock = await acquireLock(path);
    await expect(acquireLock(path)).rejects.toMatchObject({ code: 'store_locked', conflicting: String(process.pid) });
    await expect(acquireLock(path)).rejects.toBeInstanceOf(ConflictError);
    await lock.release();
    await (await acquireLock(path)).release();
    expect(await readdir(directory)).toStrictEqual([]);
  });

  test('FS-5: a living process keeps us out; a dead one does not', async () => {
    const sleeper = await startSleeper();
    await writeFile(path, holder({ pid: sleeper.pid }));
    await expect(acquireLock(path)).rejects.toMatchObject({ code: 'store_locked', conflicting: String(sleeper.pid) });
    await sleeper.end();
    await (await acquireLock(path)).release();
    expect(await readdir(directory)).toStrictEqual([]);
  });

  test('FS-5: a process that only has the number of the dead one does not hold its lock', async () => {
    const sleeper = await startSleeper();
    try {
      await writeFile(path, holder({ pid: sleeper.pid, started: 'in another life' }));
      const lock = await acquireLock(path);
      expect(await readFile(path, 'utf8')).toContain(`"pid":${process.pid}`);
      await lock.release();
      // After a restart in a container, the file may even hold our own process id.
      await writeFile(path, holder({ pid: process.pid }));
      await (await acquireLock(path)).release();
    } finally {
      await sleeper.end();
    }
  });

  test('FS-5: what another machine holds is not guessed about', async () => {
    await writeFile(path, holder({ host: `not-${hostname()}` }));
    await expect(acquireLock(path)).rejects.toThrow(`not-${hostname()}`);
    expect(await readFile(path, 'utf8')).toContain('theirs');
  });

  test('FS-5: a file that is no lock of ours keeps nobody out', async () => {
    await writeFile(path, '');
    await (await acquireLock(path)).release();
    await writeFile(path, '{"token":1}');
    await (await acquireLock(path)).release();
    expect(await readdir(directory)).toStrictEqual([]);
  });

  test('FS-5: of many that find a dead lock one gets it', async () => {
    await writeFile(path, holder({ pid: 0 }));
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => acquireLock(path)));
    const locks = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(locks.length).toBe(1);
    for (const lock of locks) await lock.release();
    expect(await readdir(directory)).toStrictEqual([]);
  });
});
