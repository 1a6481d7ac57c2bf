import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { start } from './index.ts';

it('the start of the built program is measured, fresh and with data, against a server that does nothing', async () => {
  const scratch = await mkdtemp(join(tmpdir(), 'bough-bench-start-'));
  try {
    const results = await start.run({ quick: true, install: false, scratch, progress: () => undefined });
    expect(results.map(({ work, size }) => [work, size])).toEqual([
      ['start', 'fresh'],
      ['start', 'with data'],
    ]);
    for (const { figures } of results) {
      expect(figures.map(({ role }) => role)).toEqual(['bough', 'floor']);
      for (const { median } of figures) expect(median).toBeGreaterThan(0);
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
});
