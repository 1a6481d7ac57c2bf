import { constants } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { diskTrouble, eachOf, hasCode, syncDirectory, writeAtomically } from '../../on-disk/disk/index.ts';
import { openNoLink, reachInside } from '../../on-disk/inside/index.ts';
import type { FileChange } from './change.ts';
import type { Home } from './home.ts';

const compress = promisify(gzip);

/**
 * Applies changes to the files, durably. Directories are made and removed in order; the files between them are written
 * a few at a time.
 */
export async function applyChanges(
  home: Home,
  temporaryDirectory: string,
  changes: readonly FileChange[],
): Promise<void> {
  const touched = new Set<string>();
  // Up to the top: a directory that was made on the way is a new entry in its parent.
  const touch = (path: string): void => {
    for (let parent = dirname(path); ; parent = dirname(parent)) {
      touched.add(join(home.directory, parent));
      if (parent === '.') return;
    }
  };
  let files: FileChange[] = [];
  const flush = async (): Promise<void> => {
    const batch = files;
    files = [];
    await eachOf(batch, 8, async (change) => {
      await applyToFile(home, temporaryDirectory, change);
      touch(change.path);
    });
  };
  for (const change of changes) {
    if (change.type === 'removeTree' || change.type === 'adoptTree') {
      await flush();
      await applyToTree(home, change);
      touch(change.path);
    } else files.push(change);
  }
  await flush();
  await eachOf([...touched], 8, syncDirectory);
}

async function applyToTree(
  { directory }: Home,
  change: Extract<FileChange, { type: 'removeTree' | 'adoptTree' }>,
): Promise<void> {
  const path = await reachInside(directory, change.path);
  if (change.type === 'removeTree') {
    await rm(path, { recursive: true, force: true });
    return;
  }
  try {
    await rename(await reachInside(directory, change.from), path);
  } catch (error) {
    // Already done, before a crash.
    if (!hasCode(error, 'ENOENT')) throw diskTrouble(path, error);
  }
}

async function applyToFile(home: Home, temporaryDirectory: string, change: FileChange): Promise<void> {
  const path = await reachInside(home.directory, change.path);
  if (change.type === 'put') {
    const data = change.gzip ? await compress(change.text) : change.text;
    await writeAtomically(path, data, temporaryDirectory, home.modes);
  } else if (change.type === 'append') await appendAt(path, change.offset, change.text, home);
  else await rm(path, { force: true });
}

const { O_CREAT, O_RDWR, O_TRUNC, O_WRONLY } = constants;

async function appendAt(path: string, offset: number, text: string, { modes }: Home): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: modes.directory });
    const handle = await openNoLink(path, offset === 0 ? O_WRONLY | O_CREAT | O_TRUNC : O_RDWR, modes.file);
    try {
      const bytes = Buffer.from(text);
      for (let written = 0; written < bytes.length;) {
        const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, offset + written);
        written += bytesWritten;
      }
      await handle.truncate(offset + bytes.length);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw diskTrouble(path, error);
  }
}
