import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Result } from '../frame/contest.ts';
import { hold } from '../frame/contest.ts';
import type { Suite } from '../frame/suite.ts';
import { startBenchServer } from '../store/server.ts';
import { contestsIn, WORKS } from './contests.ts';
import type { Stock } from './stock.ts';
import { makeStock } from './stock.ts';

interface Size {
  readonly size: string;
  readonly nodes: number;
  /** In memory, so only where everything fits into it. */
  readonly inMemory: boolean;
}

const FULL: readonly Size[] = [
  { size: '100 k nodes', nodes: 100_000, inMemory: true },
  { size: '1 M nodes', nodes: 1_000_000, inMemory: false },
];
const QUICK: readonly Size[] = [{ size: '1 k nodes', nodes: 1_000, inMemory: true }];

export const search: Suite = {
  name: 'search',
  works: WORKS,
  about:
    'the first page of a common word, a rarer one, a rare one and a phrase: the 95th percentile of twenty searches',
  run: async (settings) => {
    const { quick, scratch } = settings;
    const place = join(scratch, 'search');
    await mkdir(place, { recursive: true });
    const server = await startBenchServer(place);
    const results: Result[] = [];
    try {
      for (const { size, nodes, inMemory } of quick ? QUICK : FULL) {
        settings.progress(`${size}: filling`);
        const stock: Stock = await makeStock(server, nodes, inMemory);
        try {
          for (const contest of contestsIn(stock, size, quick ? 2 : 5)) {
            const result = await hold(contest);
            const told = result.figures.map(({ contestant, median }) => `${contestant} ${median.toFixed(1)} ms`);
            settings.progress(`${contest.work}, ${size}: ${told.join(', ')}`);
            results.push(result);
          }
        } finally {
          await stock.close();
        }
      }
      return results;
    } finally {
      await server.stop();
    }
  },
};
