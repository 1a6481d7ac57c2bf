import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { diskTrouble, eachOf, hasCode, syncDirectory, writeAtomically } from '../../on-disk/disk/index.ts';
import type { FileChange } from './change.ts';

const compress = promisify(gzip);

/** Brings changes into the files, durably. Directories come and go in order; the files between them a few at a time. */
export async function applyChanges(
  base: string,
  temporaryDirectory: string,
  changes: readonly FileChange[],
): Promise<void> {
  const touched = new Set<string>();
  // Up to the top: a directory that was made on the way is an entry of its parent.
  const touch = (path: string): void => {
    for (let parent = dirname(path); ; parent = dirname(parent)) {
      touched.add(join(base, parent));
      if (parent === '.') return;
    }
  };
  let files: FileChange[] = [];
  const flush = async (): Promise<void> => {
    const batch = files;
    files = [];
    await eachOf(batch, 8, async (change) => {
      await applyToFile(base, temporaryDirectory, change);
      touch(change.path);
    });
  };
  for (const change of changes) {
    if (change.type === 'removeTree' || change.type === 'adoptTree') {
      await flush();
      await applyToTree(base, change);
      touch(change.path);
    } else files.push(change);
  }
  await flush();
  await eachOf([...touched], 8, syncDirectory);
}

async function applyToTree(
  base: string,
  change: Extract<FileChange, { type: 'removeTree' | 'adoptTree' }>,
): Promise<void> {
  const path = join(base, change.path);
  if (change.type === 'removeTree') {
    await rm(path, { recursive: true, force: true });
    return;
  }
  try {
    await rename(join(base, change.from), path);
  } catch (error) {
    // Done already, before a crash.
    if (!hasCode(error, 'ENOENT')) throw diskTrouble(path, error);
  }
}

async function applyToFile(base: string, temporaryDirectory: string, change: FileChange): Promise<void> {
  const path = join(base, change.path);
  if (change.type === 'put') {
    await writeAtomically(path, change.gzip ? await compress(change.text) : change.text, temporaryDirectory);
  } else if (change.type === 'append') await appendAt(path, change.offset, change.text);
  else await rm(path, { force: true });
}

async function appendAt(path: string, offset: number, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    const handle = await open(path, offset === 0 ? 'w' : 'r+');
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
