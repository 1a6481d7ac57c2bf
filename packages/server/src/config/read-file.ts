import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { dirname } from 'node:path';
import { SettingError } from './setting-error.ts';

const MAX_BYTES = 1024 * 1024;

/** The bytes of a small regular file; null where there is none. Anything else (a pipe would never end) is an error. */
export function readSmallFile(path: string, check: (stats: Stats) => void = () => undefined): Buffer | null {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new SettingError(path, `cannot be read (${code}). Give the user that runs Bough the right to read it.`, {
      cause,
    });
  }
  try {
    // The opened file itself is checked and read: its name could mean another file a moment later.
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new SettingError(path, 'is not a file.');
    if (stats.size > MAX_BYTES) throw new SettingError(path, `has more than ${MAX_BYTES} bytes.`);
    check(stats);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** A file that decides which programs are run: anybody else who can write it could run them as us. */
export function readOwnFile(path: string): Buffer | null {
  const own = process.getuid?.();
  return readSmallFile(path, (stats) => {
    if (own === undefined) return;
    const directory = dirname(path);
    for (const [place, found] of [
      [path, stats],
      [directory, statSync(directory)],
    ] as const) {
      const problem = strangerProblem(found, own);
      if (problem !== null) throw new SettingError(place, problem);
    }
  });
}

/** What is wrong with a file or directory that only its user may write; null where nothing is. */
export function strangerProblem({ uid, gid, mode }: Pick<Stats, 'uid' | 'gid' | 'mode'>, own: number): string | null {
  if (uid !== own && uid !== 0) {
    return `belongs to another user (${uid}), who could change what Bough runs. Make it your own with chown.`;
  }
  // A group with the same number as its user is that user's alone: as Kubernetes hands over a volume, the directory is
  // root's, and its group ours. In a directory with the sticky bit, only owners can replace files.
  const open = (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== uid && gid !== own);
  const sticky = (mode & constants.S_IFMT) === constants.S_IFDIR && (mode & 0o1000) !== 0;
  if (!open || sticky) return null;
  return 'can be written by others, who could change what Bough runs. Run chmod go-w on it.';
}
