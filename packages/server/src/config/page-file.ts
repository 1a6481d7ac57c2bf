import { join } from 'node:path';
import { writePrivately } from '../data-directory/write-privately.ts';
import type { PageFile } from './file.ts';
import { parsePageFile } from './file.ts';
import { readOwnFile } from './read-file.ts';

export const PAGE_FILE = 'page.config.json';

/**
 * What was set in the settings page, in the form of a configuration file. It is a file of its own: rewriting the user's
 * would lose its formatting, end the trust in it, and be impossible where it is read-only.
 */
export interface PageSettings {
  readonly path: string;
  readonly current: () => PageFile;
  /** Changes the file, or throws and changes nothing. */
  readonly change: (edit: (file: PageFile) => PageFile) => void;
}

export function readPageFile(dataDir: string): PageFile {
  const path = join(dataDir, PAGE_FILE);
  const bytes = readOwnFile(path);
  return bytes === null ? {} : parsePageFile(path, bytes);
}

export function openPageSettings(dataDir: string, read: PageFile): PageSettings {
  const path = join(dataDir, PAGE_FILE);
  let current = read;
  return {
    path,
    current: () => current,
    change: (edit) => {
      // Read again: somebody may have edited it since, and this process may have been told to leave out a part of it.
      const next = edit(readPageFile(dataDir));
      const content = `${JSON.stringify(next, null, 2)}\n`;
      parsePageFile(path, Buffer.from(content));
      writePrivately(path, content);
      current = next;
    },
  };
}
