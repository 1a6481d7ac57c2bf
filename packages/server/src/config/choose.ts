import { join, resolve } from 'node:path';
import { consequencesOf, shown } from './consequences.ts';
import type { ConfigFile } from './file.ts';
import { parseConfigFile } from './file.ts';
import { readOwnFile, readSmallFile } from './read-file.ts';
import { SettingError } from './setting-error.ts';
import { trustStateOf } from './trust.ts';

export const CONFIG_FILE = 'bough.config.json';

/** A file in the working directory that nobody has trusted: it came from whoever made the directory. */
export interface IgnoredFile {
  readonly path: string;
  /** The file was trusted, and has changed since. */
  readonly changed: boolean;
  /** What it would do, and how to use it; or why it cannot be used at all. */
  readonly told: string;
}

export interface ChosenFile {
  readonly file: ConfigFile;
  /** Null where there is no file. */
  readonly filePath: string | null;
  readonly ignored: IgnoredFile | null;
}

/**
 * One file counts: the named one, otherwise the working directory's if it is trusted, otherwise the data directory's.
 */
export function chooseFile(places: {
  readonly named: string | undefined;
  readonly cwd: string;
  readonly dataDir: string;
}): ChosenFile {
  const { named, cwd, dataDir } = places;
  if (named !== undefined) {
    const path = resolve(cwd, named);
    const bytes = readSmallFile(path);
    if (bytes === null) throw new SettingError('BOUGH_CONFIG', `there is no file ${path}.`);
    return { file: parseConfigFile(path, bytes), filePath: path, ignored: null };
  }
  const own = join(dataDir, CONFIG_FILE);
  const here = resolve(cwd, CONFIG_FILE);
  const found = here === own ? null : inWorkingDirectory(here, dataDir);
  if (found !== null && 'file' in found) return { file: found.file, filePath: here, ignored: null };
  const bytes = readOwnFile(own);
  const chosen = bytes === null ? { file: {}, filePath: null } : { file: parseConfigFile(own, bytes), filePath: own };
  return { ...chosen, ignored: found };
}

function inWorkingDirectory(path: string, dataDir: string): { readonly file: ConfigFile } | IgnoredFile | null {
  let bytes: Buffer | null;
  try {
    bytes = readSmallFile(path);
  } catch (error) {
    return { path, changed: false, told: whyNot(error) };
  }
  if (bytes === null) return null;
  const state = trustStateOf(dataDir, path, bytes);
  if (state === 'trusted') return { file: parseConfigFile(path, bytes) };
  try {
    const would = consequencesOf(parseConfigFile(path, bytes));
    const told = `It would ${would}. Look at it; \`bough trust\` uses it from then on.`;
    return { path, changed: state === 'changed', told };
  } catch (error) {
    return { path, changed: state === 'changed', told: whyNot(error) };
  }
}

/** A stranger's file must not keep Bough from starting, whatever it is. */
function whyNot(error: unknown): string {
  if (!(error instanceof SettingError)) throw error;
  return `It could not be used anyway: ${shown(error.message)}`;
}

/** One line for a person: that the file exists, what it would do, and how to use it. */
export function ignoredNotice({ path, changed, told }: IgnoredFile): string {
  const why = changed ? 'has changed since it was trusted' : 'lies in the working directory and is not trusted';
  return `${shown(path)} is not used: it ${why}. ${told}`;
}
