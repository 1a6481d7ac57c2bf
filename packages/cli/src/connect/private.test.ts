import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makePlace } from '../testing/run-cli.ts';

/** Files that another user could open: every directory above them can be entered, and they can be read. */
async function readableByOthers(path: string): Promise<readonly string[]> {
  const { mode } = await stat(path);
  if ((await stat(path)).isFile()) return (mode & 0o004) === 0 ? [] : [path];
  if ((mode & 0o001) === 0) return [];
  return (await Promise.all((await readdir(path)).map((name) => readableByOthers(join(path, name))))).flat();
}

describe('a data directory', () => {
  it.each(['files', 'git'])(
    'CLI-17: with the store %s no conversation can be read by others, also an old one',
    async (kind) => {
      const umask = process.umask(0o022);
      const place = await makePlace({ BOUGH_STORE: kind });
      try {
        await chmod(place.dir, 0o755);
        const data = join(place.dir, 'data');
        await mkdir(data);
        expect((await place.bough(['chat', '-m', 'A secret of mine'])).code).toBe(0);
        expect(await readableByOthers(place.dir)).toEqual([]);
        const store = join(data, kind === 'git' ? 'projects' : 'files');
        await chmod(data, 0o755);
        await chmod(store, 0o755);
        expect((await place.bough(['ls'])).code).toBe(0);
        expect([(await stat(data)).mode & 0o777, (await stat(store)).mode & 0o777]).toEqual([0o700, 0o700]);
      } finally {
        process.umask(umask);
        await place.dispose();
      }
    },
  );
});
