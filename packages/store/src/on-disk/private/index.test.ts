import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keepPrivate } from './index.ts';

let outer = '';
let dataDir = '';
beforeEach(async () => {
  outer = await mkdtemp(join(tmpdir(), 'bough-private-'));
  dataDir = join(outer, 'data');
  for (const name of ['data', 'data/files', 'data/projects', 'elsewhere']) {
    await mkdir(join(outer, name));
    await chmod(join(outer, name), 0o755);
  }
  await writeFile(join(dataDir, 'settings.json'), '{}');
});
afterEach(() => rm(outer, { recursive: true }));

const modeOf = async (path: string): Promise<number> => (await stat(join(outer, path))).mode & 0o7777;

describe('a data directory', () => {
  test('ST-62: that was open to others is closed, with what the stores keep in it', async () => {
    await keepPrivate(dataDir);
    expect([await modeOf('data'), await modeOf('data/files'), await modeOf('data/projects')]).toStrictEqual([
      0o700, 0o700, 0o700,
    ]);
  });

  test('ST-62: is closed whatever Bough itself has put there: all that docs/operations.md lists', async () => {
    const document = await readFile(new URL('../../../../../docs/operations.md', import.meta.url), 'utf8');
    const [, table = ''] = /\| place \| what it holds \|\n([^]*?)\n\n/.exec(document) ?? [];
    const places = table.split('\n').flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)]);
    expect(places.length).toBeGreaterThan(10);
    for (const [, place = ''] of places)
      if (place.endsWith('/')) await mkdir(join(dataDir, place), { recursive: true });
      else await writeFile(join(dataDir, place), '');
    await keepPrivate(dataDir);
    expect(await modeOf('data')).toBe(0o700);
  });

  test('ST-62: that holds other things too keeps its mode; the stores in it are closed', async () => {
    await writeFile(join(dataDir, 'thesis.txt'), 'years of work');
    await chmod(dataDir, 0o1777);
    await keepPrivate(dataDir);
    expect([await modeOf('data'), await modeOf('data/files')]).toStrictEqual([0o1777, 0o700]);
  });

  test('ST-62: a store that is a link to somebody’s directory leaves it as it is', async () => {
    await rm(join(dataDir, 'files'), { recursive: true });
    await symlink(join(outer, 'elsewhere'), join(dataDir, 'files'));
    await keepPrivate(dataDir);
    expect(await modeOf('elsewhere')).toBe(0o755);
  });

  test('ST-62: that is not there is nobody’s to close', async () => {
    await keepPrivate(join(outer, 'nowhere'));
    await rm(join(dataDir, 'projects'), { recursive: true });
    await keepPrivate(dataDir);
    expect(await modeOf('data')).toBe(0o700);
  });

  test('ST-62: a store of another user that others can read is refused with what to do', async () => {
    const { uid } = await stat(dataDir);
    await expect(keepPrivate(dataDir, uid + 1)).rejects.toMatchObject({
      code: 'not_private',
      subject: join(dataDir, 'files'),
      message: expect.stringMatching(new RegExp(`belongs to user ${uid}.*chmod 700`)),
    });
    expect([await modeOf('data'), await modeOf('data/files')]).toStrictEqual([0o755, 0o755]);
  });
});
