import { Lane } from '../lane.ts';
import type { Scenario } from './scenario.ts';

/** `kill -9` of the only server, which is started again. */
export const server: Scenario = {
  name: 'server',
  what: '`kill -9` of the only server, started again',
  stores: ['postgres', 'git', 'files'],
  conversations: [4, 8],
  writers: [1, 3],
  open: async (options) => {
    const lane = await Lane.open({ ...options, servers: 1 });
    return {
      lane,
      strike: async () => {
        const at = performance.now();
        const hit = [...lane.members];
        await Promise.all(hit.map((member) => lane.kill(member)));
        await lane.start();
        return { at, hit, findings: [] };
      },
      close: () => Promise.resolve(),
    };
  },
};
