import { execFile } from 'node:child_process';
import { chmod, chown, cp, lstat, mkdir, mkdtemp, readFile, readdir, rm, unlink } from 'node:fs/promises';
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

test('PG-4: a package that is read-only, folders included, is copied with its links, and a copy without them gets them', async () => {
  const place = await freshDirectory();
  const home = join(place, 'home');
  await mkdir(home);
  const { packageDir } = await unlinkedPackage(place);
  await run('chmod', ['-R', 'a-w,a+rX', packageDir]);
  onTestFinished(async () => void (await run('chmod', ['-R', 'u+w', place])));
  const ready = await asOrdinaryUser(home, () => readyBinaries(packageDir, { home, account: null }));
  expect(ready.initdb.startsWith(join(home, 'binaries'))).toBe(true);
  expect((await run(ready.initdb, ['--version'])).stdout).toMatch(/^initdb/);
  // As an older version left it.
  const lib = join(dirname(dirname(ready.initdb)), 'lib');
  for (const entry of await readdir(lib, { withFileTypes: true }))
    if (entry.isSymbolicLink()) await unlink(join(lib, entry.name));
  await asOrdinaryUser(home, () => readyBinaries(packageDir, { home, account: null }));
  expect((await run(ready.initdb, ['--version'])).stdout).toMatch(/^initdb/);
});

/** Root may write everywhere: what belongs to nobody is done as nobody. */
async function asOrdinaryUser<T>(home: string, work: () => Promise<T>): Promise<T> {
  if (!runsAsRoot()) return work();
  const nobody = 65534;
  await chown(home, nobody, nobody);
  process.seteuid?.(nobody);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

test('PG-8: a platform without binaries gets a message that says what to do', () => {
  expect(() => findBinaryPackage('sunos', 'sparc')).toThrow(
    expect.objectContaining({ code: 'embedded_unavailable', message: expect.stringContaining('DATABASE_URL') }),
  );
});
