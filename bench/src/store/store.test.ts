import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { store } from './index.ts';

it('everybody keeps the same conversations and gives back what was written', async () => {
  const scratch = await mkdtemp(join(tmpdir(), 'bough-bench-store-'));
  try {
    const results = await store.run({ quick: true, install: false, scratch, progress: () => undefined });
    const smallest = results.filter(({ size }) => size === '100 nodes');
    expect(smallest.map(({ work }) => work).sort()).toEqual([...store.works].sort());
    expect(new Set(smallest.flatMap(({ figures }) => figures.map(({ contestant }) => contestant)))).toEqual(
      new Set(['Bough', 'plain INSERT / SELECT', 'LangGraph checkpointer', 'one file a node', 'nodes.jsonl rewritten']),
    );
    for (const { figures } of results) for (const { median } of figures) expect(median).toBeGreaterThan(0);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
});
