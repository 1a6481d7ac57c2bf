import { setTimeout as sleep } from 'node:timers/promises';
import { Lane } from '../lane.ts';
import type { Scenario } from './scenario.ts';

/** Nothing happens: whatever this finds is a mistake of the suite, or a loss without any fault. */
export const calm: Scenario = {
  name: 'calm',
  what: 'nothing happens',
  stores: ['postgres', 'git', 'files'],
  conversations: [4, 6],
  writers: [1, 2],
  open: async (options) => {
    const lane = await Lane.open({ ...options, servers: 1 });
    return {
      lane,
      strike: async () => {
        await sleep(500);
        return { at: performance.now(), hit: [], findings: [] };
      },
      close: () => Promise.resolve(),
    };
  },
};
