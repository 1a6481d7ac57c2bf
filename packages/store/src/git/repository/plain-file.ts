import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { diskTrouble } from '../../on-disk/disk/index.ts';

export interface Replacement {
  /** Puts the new content in place. Needs no disk space, so it cannot fail for lack of it. */
  readonly finish: () => Promise<void>;
  readonly discard: () => Promise<void>;
}

/** Writes a file's new content next to it. Readers see the whole old file, then the whole new one. */
export async function prepareReplacement(path: string, content: Buffer, durable: boolean): Promise<Replacement> {
  const temporary = join(dirname(path), `bough-${randomBytes(6).toString('hex')}.tmp`);
  const discard = (): Promise<void> => rm(temporary, { force: true });
  try {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(temporary, 'wx');
    try {
      await file.writeFile(content);
      if (durable) await file.datasync();
    } finally {
      await file.close();
    }
  } catch (cause) {
    await discard();
    throw diskTrouble(path, cause);
  }
  return { discard, finish: () => rename(temporary, path) };
}

export async function replaceFile(path: string, content: Buffer, durable: boolean): Promise<void> {
  await (await prepareReplacement(path, content, durable)).finish();
}
