import type { BlobHash, ProjectId } from '@bough/core';
import { BoughError } from '@bough/core';
import type { Store } from '@bough/store';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Conversations are private. */
export const PRIVATE = { mode: 0o600 };
export const PRIVATE_DIRECTORY = { recursive: true, mode: 0o700 };

/**
 * Writes a directory that becomes visible as a whole: until it is finished, it has another name. What Bough wrote there
 * before is replaced; anything else belongs to somebody, and stays.
 */
export async function writeDirectory<Report>(
  directory: string,
  isOlder: (entries: readonly string[]) => Promise<boolean>,
  fill: (draft: string) => Promise<Report>,
): Promise<Report> {
  const entries = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new BoughError('not_a_directory', `${directory} cannot be used: ${error.message}`, { cause: error });
  });
  if (entries.length > 0 && !(await isOlder(entries)))
    throw new BoughError('directory_not_empty', `${directory} holds other files.`);
  const draft = `${directory}.partial`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, PRIVATE_DIRECTORY);
  try {
    const report = await fill(draft);
    await rm(directory, { recursive: true, force: true });
    await rename(draft, directory);
    return report;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

/** A file of a message, in pieces: it may be larger than the memory. */
export async function writeBlob(store: Store, project: ProjectId, hash: BlobHash, path: string): Promise<void> {
  const read = await store.blobs.read(project, hash);
  if (read === undefined)
    throw new BoughError('blob_missing', `A message refers to a file that is not stored (SHA-256 ${hash}).`);
  await mkdir(dirname(path), PRIVATE_DIRECTORY);
  await writeFile(path, read.bytes, PRIVATE);
}
