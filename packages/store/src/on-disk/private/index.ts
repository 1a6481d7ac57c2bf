import type { Stats } from 'node:fs';
import { chmod, lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError } from '../../errors.ts';
import { diskTrouble, hasCode } from '../disk/index.ts';

/** What Bough itself puts into a data directory. */
const OWN_NAMES: ReadonlySet<string> = new Set([
  'bough.config.json',
  'files',
  'files.cache',
  'files.key',
  'key',
  'page.config.json',
  'postgres',
  'projects',
  'projects.cache',
  'scratch',
  'server.json',
  'settings.json',
  'trusted.json',
]);

/** Where the stores keep conversations as files. */
const STORES = ['files', 'projects'];

/**
 * Conversations are private: the directories of the stores are closed to others, and so is the data directory if it
 * holds nothing but Bough's own files. A directory that holds other things as well keeps its mode: somebody else may
 * need them. A store that is a link to another directory leaves that directory's mode as it is.
 */
export async function keepPrivate(dataDir: string, user = process.geteuid?.()): Promise<void> {
  // Windows has no such modes.
  if (user === undefined) return;
  try {
    const found = await stat(dataDir);
    if (isOpen(found) && found.uid === user && (await holdsOnlyOurs(dataDir))) await chmod(dataDir, 0o700);
    for (const name of STORES) await closeStore(join(dataDir, name), user);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw diskTrouble(dataDir, error);
  }
}

async function closeStore(path: string, user: number): Promise<void> {
  const found = await lstat(path).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  });
  if (found?.isDirectory() !== true || !isOpen(found)) return;
  if (found.uid !== user) {
    throw new StoreError(
      'not_private',
      path,
      `${path} can be read by others and belongs to user ${found.uid}, so that Bough cannot close it. Run chmod 700 ${path} as that user, or give it to this one with chown.`,
    );
  }
  await chmod(path, 0o700);
}

const isOpen = ({ mode }: Stats): boolean => (mode & 0o077) !== 0;

async function holdsOnlyOurs(dataDir: string): Promise<boolean> {
  return (await readdir(dataDir)).every((name) => OWN_NAMES.has(name));
}
