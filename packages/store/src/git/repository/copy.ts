import type { Dirent } from 'node:fs';
import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { diskTrouble, eachOf, hasCode } from '../../on-disk/disk/index.ts';
import { fileNameOf } from '../../on-disk/file-names/index.ts';
import { CONFIG_FILE } from '../meta/layout.ts';
import { PACKED_REFS } from '../refs/packed.ts';
import { refFiles } from '../refs/read.ts';
import { requirePlain } from './require-plain.ts';

const AT_ONCE = 16;

/**
 * Copies a repository into a directory of repositories (`openGitStore`), without touching the original: refs, objects,
 * the branches' locks, the log of refs, and the files at the top of its work tree. Its settings, hooks and whatever
 * else it came with are left out.
 */
export async function copyRepository(source: string, root: string): Promise<void> {
  const from = join(source, '.git');
  const to = join(root, fileNameOf(basename(resolve(source))), '.git');
  await requirePlain(from);
  // Refs before objects, packed refs and packs last: what somebody adds or packs meanwhile is there by then.
  const steps = [
    async () => ['HEAD', CONFIG_FILE, ...(await refFiles(from)).filter((file) => !file.endsWith('.lock'))],
    async () => [PACKED_REFS],
    () => looseObjects(from),
    () => packs(from),
  ];
  try {
    for (const directory of ['objects', 'refs']) await mkdir(join(to, directory), { recursive: true });
    for (const files of steps) await eachOf(await files(), AT_ONCE, (file) => copyIfThere(from, to, file));
    // Beside git's own: the log of refs, and what was never committed, such as ResearchTree's pin.
    await eachOf(await logFiles(from, 'logs'), AT_ONCE, (file) => copyIfThere(from, to, file));
    await eachOf(await plainFiles(source), AT_ONCE, (file) => copyIfThere(source, dirname(to), file));
  } catch (error) {
    throw diskTrouble(to, error);
  }
}

async function looseObjects(from: string): Promise<readonly string[]> {
  const directories = (await namesIn(join(from, 'objects'))).filter((name) => /^[0-9a-f]{2}$/.test(name));
  const found: string[] = [];
  for (const directory of directories) {
    const names = await namesIn(join(from, 'objects', directory));
    found.push(...names.filter((name) => /^[0-9a-f]{38}$/.test(name)).map((name) => join('objects', directory, name)));
  }
  return found;
}

async function packs(from: string): Promise<readonly string[]> {
  const names = await namesIn(join(from, 'objects/pack'));
  return names.filter((name) => /^pack-[0-9a-f]+\.(?:pack|idx)$/.test(name)).map((name) => join('objects/pack', name));
}

async function logFiles(from: string, directory: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await entriesIn(join(from, directory))) {
    if (entry.isDirectory()) found.push(...(await logFiles(from, join(directory, entry.name))));
    else if (entry.isFile()) found.push(join(directory, entry.name));
  }
  return found;
}

/** Files of the work tree itself: nothing of a conversation lies deeper. */
async function plainFiles(source: string): Promise<readonly string[]> {
  return (await entriesIn(source)).filter((entry) => entry.isFile()).map(({ name }) => name);
}

async function entriesIn(directory: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}

async function copyIfThere(from: string, to: string, file: string): Promise<void> {
  await mkdir(dirname(join(to, file)), { recursive: true });
  try {
    // What was packed or removed meanwhile is in a file that is copied later.
    if ((await lstat(join(from, file))).isFile())
      await copyFile(join(from, file), join(to, file), constants.COPYFILE_FICLONE);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}
