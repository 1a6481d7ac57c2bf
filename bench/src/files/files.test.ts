import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { files } from './index.ts';

it('pictures are attached to and sent by the built program, against reading them alone', async () => {
  const scratch = await mkdtemp(join(tmpdir(), 'bough-bench-files-'));
  try {
    const results = await files.run({ quick: true, install: false, scratch, progress: () => undefined });
    expect(results.map(({ size }) => size)).toEqual([
      'attach 2 × 1 MB',
      'send 2 × 1 MB',
      'start beside 10 MB of files',
      'newest page beside 10 MB of files',
    ]);
    for (const { figures } of results) {
      expect(figures.map(({ role }) => role)).toEqual(['bough', 'floor']);
      for (const { median } of figures) expect(median).toBeGreaterThan(0);
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
});
