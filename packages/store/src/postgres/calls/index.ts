import { UnknownIdError } from '@bough/core';
import { sql } from 'kysely';
import type { Store } from '../../store.ts';
import type { Database } from '../connection/pool.ts';
import { repeatable } from '../connection/transaction.ts';
import { nothingThere, requireThere } from '../expectations.ts';
import { callOf } from '../rows/call.ts';
import { unpackRaw } from './raw.ts';

export function callMethods(database: Database): Pick<Store, 'callsOfTurn' | 'getRaw'> {
  return {
    callsOfTurn: async (project, turn) => {
      const rows = await repeatable(database, (db) =>
        db
          .selectFrom('calls')
          .selectAll()
          .where('project_id', '=', project)
          .where('turn_id', '=', turn)
          .orderBy('position')
          .execute(),
      );
      if (rows.length === 0) await requireThere(database, { project, turns: { present: [turn] } });
      return rows.map(callOf);
    },

    getRaw: async (project, node) => {
      const { rows } = await repeatable(database, (db) =>
        sql<{ bytes: Buffer | null }>`
          SELECT ${sql.raw(rawOfNode('nodes'))} AS bytes FROM nodes WHERE project_id = ${project} AND id = ${node}`.execute(
          db,
        ),
      );
      const [found] = rows;
      if (found === undefined) {
        return nothingThere(database, { project, nodes: { present: [node] } }, new UnknownIdError('node', node));
      }
      return found.bytes === null ? null : unpackRaw(found.bytes);
    },
  };
}

/** The raw of the newest call that made the node of `alias` and has raw. */
export function rawOfNode(alias: string): string {
  return `(
    SELECT raws.bytes FROM calls JOIN raws ON raws.project_id = calls.project_id AND raws.call_id = calls.id
    WHERE calls.project_id = ${alias}.project_id AND calls.node_id = ${alias}.id
    ORDER BY calls.position DESC LIMIT 1
  )`;
}
