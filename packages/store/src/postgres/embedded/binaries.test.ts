import { execFile } from 'node:child_process';
import { chmod, cp, lstat, mkdir, mkdtemp, readFile, readdir, rm, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { accountForServer, canRead, runsAsRoot } from './account.ts';
import { findBinaryPackage, readyBinaries } from './binaries.ts';

const run = promisify(execFile);

async function freshDirectory(mode = 0o755): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'bough-binaries-'));
  onTestFinished(async () => {
    await chmod(directory, 0o755);
    await rm(directory, { recursive: true, force: true });
  });
  await chmod(directory, mode);
  return directory;
}

/** The package as `npm ci --ignore-scripts` leaves it: without its links. */
async function unlinkedPackage(parent: string): Promise<{ packageDir: string; links: string[] }> {
  const packageDir = join(parent, 'package');
  await cp(findBinaryPackage(), packageDir, { recursive: true, verbatimSymlinks: true });
  const list: unknown = JSON.parse(await readFile(join(packageDir, 'native', 'pg-symlinks.json'), 'utf8'));
  const links = (list as { target: string }[]).map(({ target }) => join(packageDir, target));
  for (const link of links) await unlink(link);
  return { packageDir, links };
}

test('PG-4: the links that an install script would have laid are laid', async () => {
  const parent = await freshDirectory();
  const { packageDir, links } = await unlinkedPackage(parent);
  const account = await accountForServer(null);
  const binaries = await readyBinaries(packageDir, { home: parent, account });
  expect(links.length).toBeGreaterThan(0);
  for (const link of links) expect((await lstat(link)).isSymbolicLink()).toBe(true);
  expect(dirname(binaries.postgres)).toBe(join(packageDir, 'native', 'bin'));
  expect((await run(binaries.initdb, ['--version'])).stdout).toMatch(/^initdb \(PostgreSQL\) \d+/);
  // Again, with everything already there.
  expect(await readyBinaries(packageDir, { home: parent, account })).toStrictEqual(binaries);
});

test('PG-4: a package that the server may not read is copied, once, to where it may', async () => {
  const account = (await accountForServer(null)) ?? { uid: 65534, gid: 65534 };
  const hidden = await freshDirectory(0o700);
  const home = await freshDirectory();
  const { packageDir } = await unlinkedPackage(hidden);
  const binaries = await readyBinaries(packageDir, { home, account });
  expect(binaries.postgres.startsWith(join(home, 'binaries'))).toBe(true);
  expect(await canRead(account, binaries.postgres)).toBe(true);
  expect((await run(binaries.initdb, ['--version'], runsAsRoot() ? account : {})).stdout).toMatch(/^initdb/);
  await readyBinaries(packageDir, { home, account });
  expect((await readdir(join(home, 'binaries'))).length).toBe(1);
});

test('PG-4: where the place beside the cluster is hidden too, the copy lies in the cache of the system', async () => {
  const account = (await accountForServer(null)) ?? { uid: 65534, gid: 65534 };
  const hidden = await freshDirectory(0o700);
  const systemCache = join(await freshDirectory(), 'cache');
  const { packageDir } = await unlinkedPackage(hidden);
  const home = join(hidden, 'home');
  await mkdir(home);
  const binaries = await readyBinaries(packageDir, { home, account }, systemCache);
  expect(binaries.postgres.startsWith(systemCache)).toBe(true);
  expect(await canRead(account, binaries.postgres)).toBe(true);
});

test('PG-8: a platform without binaries gets a message that says what to do', () => {
  expect(() => findBinaryPackage('sunos', 'sparc')).toThrow(
    expect.objectContaining({ code: 'embedded_unavailable', message: expect.stringContaining('DATABASE_URL') }),
  );
});
