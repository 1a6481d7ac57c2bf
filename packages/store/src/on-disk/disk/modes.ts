import { lstat, mkdir, stat } from 'node:fs/promises';
import { StoreError } from '../../errors.ts';
import { diskTrouble, hasCode } from './trouble.ts';

/** Who may read what is written into a directory: derived from the directory, whose owner has decided. */
export interface Modes {
  readonly directory: number;
  readonly file: number;
  /**
   * The mode of a file to be written: an existing file keeps its own, except where the directory is closed to others.
   */
  readonly ofFile: (path: string) => Promise<number>;
}

/** Makes the directory for its owner alone if there is none; what is written into it takes after it. */
export async function modesOf(directory: string): Promise<Modes> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return modesAfter((await stat(directory)).mode);
  } catch (error) {
    if (!hasCode(error, 'EEXIST', 'ENOTDIR', 'ENOENT')) throw diskTrouble(directory, error);
    const message = `${directory} is no directory, or a link to none. Move it away, or choose another directory.`;
    throw new StoreError('not_a_directory', directory, message, { cause: error });
  }
}

function modesAfter(mode: number): Modes {
  const isPrivate = (mode & 0o077) === 0;
  const file = 0o600 | (mode & 0o066);
  return {
    directory: 0o700 | (mode & 0o077),
    file,
    ofFile: async (path) => (isPrivate ? file : ((await modeOf(path)) ?? file)),
  };
}

async function modeOf(path: string): Promise<number | null> {
  try {
    const found = await lstat(path);
    return found.isFile() ? found.mode & 0o777 : null;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}
