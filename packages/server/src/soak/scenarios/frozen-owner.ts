import { setTimeout as sleep } from 'node:timers/promises';
import type { Finding } from '../finding.ts';
import { Lane } from '../lane.ts';
import type { Scenario } from './scenario.ts';

/** After this time the woken server has noticed whatever it will notice: it renews its leases far more often. */
const WAKING_MS = 500;

/** One of two servers freezes until the other takes over its turns, and then continues as if nothing had happened. */
export const frozenOwner: Scenario = {
  name: 'frozen-owner',
  what: 'two servers on one database, one is frozen until its turns are taken over, and wakes up',
  stores: ['postgres'],
  conversations: [4, 8],
  writers: [2, 6],
  open: async (options) => {
    const lane = await Lane.open({ ...options, servers: 2 });
    return {
      lane,
      strike: async ({ random, turns }) => {
        const at = performance.now();
        const victim = random.pick(lane.members);
        const thaw = lane.freeze(victim);
        // Those that only it can run: begun and confirmed on it.
        const orphans = turns().filter(
          (turn) => turn.done === null && turn.turnId !== null && [...turn.askedOf].every((asked) => asked === victim),
        );
        // Until all of its turns are taken over; or only until the first is, so that it wakes up while the others are
        // being closed; or only for a moment, which nobody should notice.
        const until = random.pick(['all', 'all', 'first', 'moment'] as const);
        if (until === 'moment') await sleep(random.between(300, 2_500));
        const left = () => orphans.filter((turn) => turn.done === null);
        const enough = until === 'all' ? 0 : until === 'first' ? Math.max(0, orphans.length - 1) : orphans.length;
        while (left().length > enough && performance.now() < at + lane.patienceMs) await sleep(20);
        const missed = left().length > enough ? left() : [];
        const findings = missed.map(({ request, turnId }): Finding => ({
          kind: 'stuck',
          what: `was not taken over within ${lane.patienceMs / 1000} s while its owner was frozen`,
          projectId: request.projectId,
          turnId: turnId ?? undefined,
        }));
        thaw();
        await sleep(WAKING_MS);
        return { at, hit: [victim], findings };
      },
      close: () => Promise.resolve(),
    };
  },
};
