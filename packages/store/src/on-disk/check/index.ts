import { randomBytes, randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { diskTrouble } from '../disk/index.ts';

const BYTES = 64 * 1024;

/** Only a write shows whether a disk can be written: free blocks say nothing about quotas and limits. */
export async function checkDisk(directory: string): Promise<void> {
  const path = join(directory, `check-${randomUUID()}`);
  try {
    await writeFile(path, randomBytes(BYTES), { mode: 0o600, flush: true });
  } catch (error) {
    throw diskTrouble(directory, error);
  } finally {
    await rm(path, { force: true });
  }
}
