import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Program } from '../../contract/crash/program.ts';
import { startMember } from '../testing/member.ts';
import { bundleStandalone } from '../testing/standalone.ts';
import { canRead, runsAsRoot } from './account.ts';
import { findBinaryPackage } from './binaries.ts';
import { joinEmbeddedServer } from './index.ts';
import { readPostmaster } from './postmaster.ts';

const NOBODY = { uid: 65534, gid: 65534 };

let program: Program;
beforeAll(async () => {
  program = await bundleStandalone(new URL('../programs/member.ts', import.meta.url));
});
afterAll(() => program.dispose());

async function freshDirectory(mode: number): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'bough-privileges-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  await chmod(directory, mode);
  return directory;
}

/** A package that this user can read: ours, or a copy where the repository is in a private home. */
async function packageFor(account: typeof NOBODY): Promise<string> {
  const own = findBinaryPackage();
  if (await canRead(account, join(own, 'native', 'bin', 'postgres'))) return own;
  const copy = join(await freshDirectory(0o755), 'package');
  await cp(own, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

const ownerOf = async (pid: number): Promise<number> => (await stat(`/proc/${pid}`)).uid;

// Only root can switch users. For everybody else the other tests of the embedded server prove the second half.
describe.runIf(runsAsRoot() && process.platform === 'linux')('PG-3: privileges', () => {
  test('PG-3: root runs the server as another user', async () => {
    const dataDir = await freshDirectory(0o755);
    const server = await joinEmbeddedServer({ dataDir });
    onTestFinished(server.leave);
    const postmaster = await readPostmaster(join(server.home, 'cluster'));
    expect(await ownerOf(postmaster?.pid ?? 0)).not.toBe(0);
    expect((await stat(join(server.home, 'cluster'))).uid).not.toBe(0);
  });

  test('PG-3: root keeps its data below a directory that only root may enter, and changes no permission on the way', async () => {
    const outer = await freshDirectory(0o700);
    const dataDir = join(outer, 'private', 'bough');
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    for (let start = 0; start < 2; start += 1) {
      const server = await joinEmbeddedServer({ dataDir });
      onTestFinished(server.leave);
      expect(server.home).toBe(join(dataDir, 'postgres'));
      const client = new pg.Client(server.connection());
      await client.connect();
      await client.query('CREATE TABLE IF NOT EXISTS kept (n integer)');
      await client.query('INSERT INTO kept VALUES (1)');
      const { rows } = await client.query<{ count: string }>('SELECT count(*) FROM kept');
      expect(rows[0]?.count).toBe(String(start + 1));
      await client.end();
      await server.leave();
      for (const directory of [outer, join(outer, 'private'), dataDir]) {
        expect((await stat(directory)).mode & 0o777).toBe(0o700);
        expect((await stat(directory)).uid).toBe(0);
      }
    }
  });

  test('PG-3: an ordinary user runs the server as himself', async () => {
    const dataDir = await freshDirectory(0o700);
    await chown(dataDir, NOBODY.uid, NOBODY.gid);
    const member = await startMember(program.path, [dataDir, await packageFor(NOBODY)], NOBODY);
    onTestFinished(() => member.kill('SIGKILL'));
    expect(member.uid).toBe(NOBODY.uid);
    expect(await ownerOf(member.postmaster)).toBe(NOBODY.uid);
    await member.leave();
    expect(await readPostmaster(join(member.home, 'cluster'))).toBeNull();
  });

  test('PG-3: a cluster keeps the owner that made it', async () => {
    const dataDir = await freshDirectory(0o700);
    await chown(dataDir, NOBODY.uid, NOBODY.gid);
    const binaryPackage = await packageFor(NOBODY);
    const member = await startMember(program.path, [dataDir, binaryPackage], NOBODY);
    onTestFinished(() => member.kill('SIGKILL'));
    await member.leave();
    const server = await joinEmbeddedServer({ dataDir, binaryPackage });
    onTestFinished(server.leave);
    const postmaster = await readPostmaster(join(server.home, 'cluster'));
    expect(await ownerOf(postmaster?.pid ?? 0)).toBe(NOBODY.uid);
  });

  test('PG-8: a directory that may not be written to is told as such, and nothing is made in it', async () => {
    const parent = await freshDirectory(0o755);
    const dataDir = join(parent, 'data');
    await mkdir(dataDir, { mode: 0o555 });
    const failure = startMember(program.path, [dataDir, await packageFor(NOBODY)], NOBODY);
    await expect(failure).rejects.toThrow(/data_dir_not_writable/);
    await expect(failure).rejects.toThrow(/BOUGH_DATA_DIR/);
    await expect(readFile(join(dataDir, 'postgres', 'server.log'))).rejects.toThrow(/ENOENT/);
  });
});
