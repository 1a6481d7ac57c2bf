import type { LogEntry, Store } from '../../store.ts';
import type { Database } from '../connection/pool.ts';
import { prepared } from '../connection/prepared.ts';
import { repeatable } from '../connection/transaction.ts';
import { requireThere } from '../expectations.ts';
import { gather } from '../../gather.ts';
import { OPEN_STATUSES, turnRunning } from '../turns/open-turn.ts';
import type { Append } from './append.ts';
import { storeAppends } from './append.ts';

/** A round is one statement; beyond this size it would hold up the next streams for longer than another round costs. */
const ROUND_CHARACTERS = 4_000_000;

interface Log extends Pick<Store, 'appendLog' | 'readLog' | 'dropLog'> {
  /** Resolves when everything that was given is stored. */
  readonly settled: () => Promise<void>;
}

const READ = prepared<LogEntry>(
  'read_log',
  'SELECT seq, data FROM stream_log WHERE project_id = $1 AND turn_id = $2 AND seq > $3 ORDER BY seq LIMIT $4',
);

const DROP = prepared<{ readonly open: boolean }>(
  'drop_log',
  `WITH turn AS (SELECT status IN (${OPEN_STATUSES}) AS open FROM turns WHERE project_id = $1 AND id = $2),
  dropped AS (
    DELETE FROM stream_log WHERE project_id = $1 AND turn_id = $2 AND EXISTS (SELECT FROM turn WHERE NOT open)
  )
  SELECT open FROM turn`,
);

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
      const [found] = await repeatable(database, () => DROP.run(database, [project, turn]));
      if (found === undefined) await requireThere(database, { project, turns: { present: [turn] } });
      // Its log is still being written, and nothing else holds the content yet.
      else if (found.open) throw turnRunning(turn);
    },

    readLog: async (project, turn, after, limit) => {
      const rows = await repeatable(database, () => READ.run(database, [project, turn, after, limit]));
      if (rows.length === 0) await requireThere(database, { project, turns: { present: [turn] } });
      return rows;
    },
  };
}
