import { mkdir } from 'node:fs/promises';
import { hasCode } from '../../on-disk/disk/index.ts';

const MOST_ATTEMPTS = 20;

/**
 * Does what needs a directory of objects. git removes directories that it has emptied: one that existed, or was just
 * made, may be gone again.
 */
export async function inDirectory<Made>(directory: string, work: () => Promise<Made>): Promise<Made> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!hasCode(error, 'ENOENT') || attempt > MOST_ATTEMPTS) throw error;
      await makeDirectory(directory);
    }
  }
}

async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}
