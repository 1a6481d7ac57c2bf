import type { BoughError, ProjectId, TurnId } from '@bough/core';
import { sql } from 'kysely';
import type { LogEntry } from '../../store.ts';
import type { Database } from '../connection/pool.ts';
import { patience } from '../connection/patience.ts';
import { prepared } from '../connection/prepared.ts';
import { repeatable } from '../connection/transaction.ts';
import { codeOf, databaseTrouble, isConnectionLoss } from '../connection/trouble.ts';
import { idTaken, whatIsWrong } from '../expectations.ts';
import { notOwner, OPEN_STATUSES } from '../turns/open-turn.ts';
import { CUT_TEXT, inOneRun } from './one-run.ts';

/** The lines of one call: stored whole or not at all. */
export interface Append {
  readonly project: ProjectId;
  readonly turn: TurnId;
  readonly entries: readonly LogEntry[];
}

const UNIQUE_VIOLATION = '23505';

/**
 * Stores the appends of a round in one statement, which is one commit. If a number is already taken, each append is
 * stored separately, so that only the one at fault fails.
 */
export async function storeAppends(
  database: Database,
  appends: readonly Append[],
): Promise<readonly (BoughError | null)[]> {
  const { open, uncertain } = await store(database, appends);
  if (open !== null) return Promise.all(appends.map((append) => answer(database, append, open)));
  const answers: (BoughError | null)[] = [];
  for (const append of appends) answers.push(await storeAlone(database, append, uncertain));
  return answers;
}

async function storeAlone(database: Database, append: Append, uncertain: boolean): Promise<BoughError | null> {
  const alone = await store(database, [append]);
  if (alone.open !== null) return answer(database, append, alone.open);
  // The answer to a commit may have been lost: then the lines that are there are our own.
  if ((uncertain || alone.uncertain) && (await isStored(database, append))) return null;
  return idTaken('log line', `${append.turn} ${append.entries[0]?.seq}`);
}

interface Outcome {
  /** The turns whose lines were stored; null where a number was taken and nothing was stored. */
  readonly open: ReadonlySet<string> | null;
  /** The connection broke in between: an earlier attempt may have stored everything. */
  readonly uncertain: boolean;
}

async function store(database: Database, appends: readonly Append[]): Promise<Outcome> {
  const again = patience(database);
  for (let uncertain = false; ;) {
    try {
      return { open: await insert(database, appends), uncertain };
    } catch (error) {
      if (codeOf(error) === UNIQUE_VIOLATION) return { open: null, uncertain };
      uncertain ||= isConnectionLoss(error);
      if (!(await again(error))) throw databaseTrouble(error, database.target.name);
    }
  }
}

const APPEND = prepared<{ readonly project_id: string; readonly id: string }>(
  'append_log',
  `WITH open AS (
    SELECT turn.project_id, turn.id, named.nth
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS named (project_id, id, nth)
    CROSS JOIN LATERAL (
      SELECT project_id, id FROM turns
      WHERE turns.project_id = named.project_id AND turns.id = named.id AND status IN (${OPEN_STATUSES}) FOR SHARE
    ) AS turn
  ),
  stored AS (
    INSERT INTO stream_log (project_id, turn_id, seq, data)
    SELECT open.project_id, open.id, given.seq, ${CUT_TEXT}
    FROM (SELECT $3::bytea) AS texts (bytes),
      unnest($4::bigint[], $5::bigint[], $6::integer[], $7::integer[]) AS given (nth, seq, start, length)
    JOIN open ON open.nth = given.nth
  )
  SELECT project_id, id FROM open`,
);

/**
 * Stores the lines of those turns that are open, and says which are. The lock keeps a turn from ending in between.
 */
async function insert(database: Database, appends: readonly Append[]): Promise<ReadonlySet<string>> {
  // Everybody who locks several turns does so in the same order: otherwise two could deadlock, and both lose a turn.
  const turns = [...new Map(appends.map((append) => [keyOf(append), append])).values()].sort((a, b) =>
    a.turn < b.turn ? -1 : 1,
  );
  const nthOf = new Map(turns.map((append, at) => [keyOf(append), at + 1]));
  const lines = appends.flatMap((append) => {
    const nth = nthOf.get(keyOf(append));
    return append.entries.map(({ seq, data }) => ({ nth, seq, data }));
  });
  const { bytes, starts, lengths } = inOneRun(lines);
  const rows = await APPEND.run(database, [
    turns.map(({ project }) => project),
    turns.map(({ turn }) => turn),
    bytes,
    lines.map(({ nth }) => nth),
    lines.map(({ seq }) => seq),
    starts,
    lengths,
  ]);
  return new Set(rows.map(({ project_id: project, id }) => keyOf({ project, turn: id })));
}

async function answer(
  database: Database,
  { project, turn }: Append,
  open: ReadonlySet<string>,
): Promise<BoughError | null> {
  if (open.has(keyOf({ project, turn }))) return null;
  return (await whatIsWrong(database, { project, turns: { present: [turn] } })) ?? notOwner(turn);
}

async function isStored(database: Database, { project, turn, entries }: Append): Promise<boolean> {
  const rows = await repeatable(database, (db) =>
    db
      .selectFrom('stream_log')
      .select(['seq', 'data'])
      .where('project_id', '=', project)
      .where('turn_id', '=', turn)
      .where(sql<boolean>`seq = ANY(${entries.map(({ seq }) => seq)})`)
      .execute(),
  );
  const stored = new Map(rows.map(({ seq, data }) => [seq, data]));
  return entries.every(({ seq, data }) => stored.get(seq) === data);
}

const keyOf = ({ project, turn }: { readonly project: string; readonly turn: string }): string =>
  JSON.stringify([project, turn]);
