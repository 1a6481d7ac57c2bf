import type { ProjectId, Turn, TurnId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import { sql } from 'kysely';
import type { Store } from '../../store.ts';
import type { Database } from '../connection/pool.ts';
import { repeatable } from '../connection/transaction.ts';
import { nothingThere, requireThere } from '../expectations.ts';
import { NODE_COLUMNS } from '../nodes/walk.ts';
import { nodeOf } from '../rows/node.ts';
import { turnOf } from '../rows/turn.ts';
import { OPEN_STATUSES } from './open-turn.ts';

export function turnReads(database: Database): Pick<Store, 'getTurn' | 'turnOfRequest' | 'nodesOfTurn' | 'openTurns'> {
  return {
    getTurn: (project, turn) => readTurn(database, project, turn),

    turnOfRequest: async (project, clientRequestId) => {
      const found = await repeatable(database, (db) =>
        db
          .selectFrom('turns')
          .selectAll()
          .where('project_id', '=', project)
          .where('client_request_id', '=', clientRequestId)
          .executeTakeFirst(),
      );
      if (found === undefined) await requireThere(database, { project });
      return found === undefined ? null : turnOf(found);
    },

    nodesOfTurn: async (project, turn) => {
      const rows = await repeatable(database, (db) =>
        db
          .selectFrom('nodes')
          .select(NODE_COLUMNS)
          .where('project_id', '=', project)
          .where('turn_id', '=', turn)
          .orderBy('position')
          .execute(),
      );
      if (rows.length === 0) await requireThere(database, { project, turns: { present: [turn] } });
      return rows.map(nodeOf);
    },

    openTurns: async (project) => {
      const rows = await repeatable(database, (db) =>
        db
          .selectFrom('turns')
          .selectAll()
          .$if(project !== undefined, (all) => all.where('project_id', '=', project ?? ''))
          // Written out, so that the index of open turns is used whatever the plan is made for.
          .where(sql<boolean>`status IN (${sql.raw(OPEN_STATUSES)})`)
          .orderBy('position')
          .execute(),
      );
      if (rows.length === 0 && project !== undefined) await requireThere(database, { project });
      return rows.map(turnOf);
    },
  };
}

export async function readTurn(database: Database, project: ProjectId, turn: TurnId): Promise<Turn> {
  const found = await repeatable(database, (db) =>
    db.selectFrom('turns').selectAll().where('project_id', '=', project).where('id', '=', turn).executeTakeFirst(),
  );
  if (found !== undefined) return turnOf(found);
  return nothingThere(database, { project, turns: { present: [turn] } }, new UnknownIdError('turn', turn));
}
