import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { search } from './index.ts';

it('everybody finds the words that are there', async () => {
  const scratch = await mkdtemp(join(tmpdir(), 'bough-bench-search-'));
  try {
    const results = await search.run({ quick: true, install: false, scratch, progress: () => undefined });
    expect(results.map(({ work }) => work)).toEqual(search.works);
    for (const { figures } of results)
      expect(figures.map(({ contestant }) => contestant)).toEqual(['Bough', 'ILIKE', 'MiniSearch']);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
});
