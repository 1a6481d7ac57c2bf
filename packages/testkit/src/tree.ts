import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** Above this size, the length stands for the content. */
const DIGESTED_BYTES = 64 << 20;

/**
 * Everything below a directory: its kind, its mode, its content. With `times` also when it was changed: a file that was
 * created and removed again leaves a trace in the time of its directory.
 */
export async function treeOf(directory: string, { times = false } = {}): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const visit = async (path: string): Promise<void> => {
    for (const name of (await readdir(join(directory, path))).sort()) {
      const inside = path === '' ? name : `${path}/${name}`;
      const full = join(directory, inside);
      const state = await lstat(full);
      const mode = `${(state.mode & 0o7777).toString(8)}${times ? ` at ${state.mtimeMs}` : ''}`;
      if (state.isDirectory()) {
        found[inside] = `directory ${mode}`;
        await visit(inside);
      } else if (state.isSymbolicLink()) found[inside] = `link to ${await readlink(full)}`;
      else if (!state.isFile()) found[inside] = `special ${mode}`;
      else found[inside] = `file ${mode} ${await contentOf(full, state)}`;
    }
  };
  await visit('');
  return found;
}

async function contentOf(path: string, { size, mode }: Stats): Promise<string> {
  // A file that even its owner may not read is represented by its length.
  if (size > DIGESTED_BYTES || (mode & 0o400) === 0) return `${size} bytes`;
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}
