import type { Store } from '../../store.ts';
import type { Database } from '../connection/pool.ts';
import { inTransaction, repeatable } from '../connection/transaction.ts';
import { requireThere } from '../expectations.ts';
import { gather } from '../gather.ts';
import { OPEN, turnRunning } from '../turns/open-turn.ts';
import type { Append } from './append.ts';
import { storeAppends } from './append.ts';

/** A round is one statement; beyond this it would hold up the streams behind it for longer than another round costs. */
const ROUND_CHARACTERS = 4_000_000;

interface Log extends Pick<Store, 'appendLog' | 'readLog' | 'dropLog'> {
  /** Resolves when everything that was given is stored. */
  readonly settled: () => Promise<void>;
}

export function openLog(database: Database): Log {
  const appends = gather<Append>({
    carry: (round) => storeAppends(database, round),
    weigh: ({ entries }) => entries.reduce((sum, { data }) => sum + data.length + 100, 0),
    capacity: ROUND_CHARACTERS,
  });
  return {
    settled: appends.settled,

    appendLog: async (project, turn, entries) => {
      if (entries.length > 0) await appends.give({ project, turn, entries });
    },

    dropLog: async (project, turn) => {
      const open = await inTransaction(database, async (trx) => {
        const found = await trx
          .selectFrom('turns')
          .select('id')
          .where('project_id', '=', project)
          .where('id', '=', turn)
          .where('status', 'in', OPEN)
          .executeTakeFirst();
        if (found !== undefined) return true;
        await trx.deleteFrom('stream_log').where('project_id', '=', project).where('turn_id', '=', turn).execute();
        return false;
      });
      // What is still being written, and what nothing else holds yet.
      if (open) throw turnRunning(turn);
      await requireThere(database, { project, turns: { present: [turn] } });
    },

    readLog: async (project, turn, after, limit) => {
      const rows = await repeatable(database, (db) =>
        db
          .selectFrom('stream_log')
          .select(['seq', 'data'])
          .where('project_id', '=', project)
          .where('turn_id', '=', turn)
          .where('seq', '>', after)
          .orderBy('seq')
          .limit(limit)
          .execute(),
      );
      if (rows.length === 0) await requireThere(database, { project, turns: { present: [turn] } });
      return rows;
    },
  };
}
