import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkDisk } from './index.ts';

test('ST-64: a disk is asked by writing; nothing stays of it, and where it cannot be done that is told', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'bough-check-'));
  await checkDisk(directory);
  expect(await readdir(directory)).toEqual([]);
  await rm(directory, { recursive: true });
  await expect(checkDisk(directory)).rejects.toThrow(directory);
});
