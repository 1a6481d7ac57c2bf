import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { diskTrouble } from '../../on-disk/disk/index.ts';

// git obeys the settings of the directory that it works in, and settings name commands. So it works in a directory that
// Bough has made, and gets nothing from a repository but its objects.

export const OWN_DIRECTORY = '.bough-git-';

const CONFIG = '[core]\n\trepositoryformatversion = 0\n\tbare = true\n';

/**
 * Makes a directory for git to work in. `tips` are the objects that it should treat as refs: everything reachable from
 * them counts as used when it packs.
 */
export async function createOwnDirectory(parent: string, tips: Iterable<string> = []): Promise<string> {
  const directory = join(parent, `${OWN_DIRECTORY}${randomBytes(8).toString('hex')}`);
  try {
    await mkdir(join(directory, 'refs'), { recursive: true, mode: 0o700 });
    await writeFile(join(directory, 'config'), CONFIG);
    await writeFile(join(directory, 'HEAD'), 'ref: refs/heads/none\n');
    const lines = [...new Set(tips)].map((oid, at) => `${oid} refs/tips/${at}\n`);
    if (lines.length > 0) await writeFile(join(directory, 'packed-refs'), lines.join(''));
    return directory;
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw diskTrouble(directory, error);
  }
}
