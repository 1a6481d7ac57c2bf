import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { diskTrouble, hasCode } from '../../on-disk/disk/index.ts';

/** What lies in a project's directory and is neither Loom's nor Bough's: it would go with the project. */
export async function leftIn(base: string, directory: string): Promise<readonly string[]> {
  const entries = await readdir(join(base, directory), { recursive: true, withFileTypes: true }).catch(
    (error: unknown) => {
      if (hasCode(error, 'ENOENT')) return [];
      throw diskTrouble(join(base, directory), error);
    },
  );
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(base.length + 1))
    .filter((path) => !OURS.test(path.slice(directory.length + 1)))
    .sort();
}

const OURS = /^(?:nodes\/[^/]+\.json|bough\/.*)$/;
