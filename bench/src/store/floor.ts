import pg from 'pg';
import type { TurnKeeper } from './keeper.ts';
import type { Message } from './payload.ts';
import { blocksOf } from './payload.ts';
import type { BenchServer } from './server.ts';
import { bytesOfSchema } from './server.ts';

/** The table that one would write on the first afternoon: a row for each message, found by its id and by its parent. */
export async function makeFloorTable(server: BenchServer, schema: string): Promise<void> {
  await server.query(`
    CREATE SCHEMA ${schema};
    CREATE TABLE ${schema}.messages (
      project_id text NOT NULL,
      id text NOT NULL,
      parent_id text,
      role text NOT NULL,
      blocks json NOT NULL,
      raw json,
      created_at timestamptz NOT NULL DEFAULT now()
    );`);
}

/** Separate from the table, so that the table can be filled first. */
export async function makeFloorIndexes(server: BenchServer, schema: string): Promise<void> {
  await server.query(`
    ALTER TABLE ${schema}.messages ADD PRIMARY KEY (id);
    CREATE INDEX ON ${schema}.messages (project_id);
    CREATE INDEX ON ${schema}.messages (parent_id);`);
}

export interface FloorKeeper extends TurnKeeper {
  readonly close: () => Promise<void>;
}

interface Row {
  readonly blocks: readonly { readonly type: string; readonly text?: string }[];
}

/** Plain statements over one connection: no turn, no tip, no check, only the rows. */
export async function floorKeeper(server: BenchServer, schema: string, project: string): Promise<FloorKeeper> {
  const client = new pg.Client({ ...server.connection, options: `-c search_path=${schema}` });
  await client.connect();

  const insert = (message: Message, raw: string | null): Promise<unknown> =>
    client.query(
      'INSERT INTO messages (project_id, id, parent_id, role, blocks, raw) VALUES ($1, $2, $3, $4, $5, $6)',
      [project, message.id, message.parentId, message.role, JSON.stringify(blocksOf(message)), raw],
    );
  const inTransaction = async (work: () => Promise<void>): Promise<void> => {
    await client.query('BEGIN');
    await work();
    await client.query('COMMIT');
  };
  const walk = async (tip: string, limit: number): Promise<readonly string[]> => {
    const { rows } = await client.query<Row>(
      `WITH RECURSIVE walk AS (
        SELECT id, parent_id, role, blocks, 1 AS up FROM messages WHERE id = $1
        UNION ALL
        SELECT m.id, m.parent_id, m.role, m.blocks, walk.up + 1 FROM walk JOIN messages AS m ON m.id = walk.parent_id
        WHERE walk.up < $2
      ) SELECT id, parent_id, role, blocks FROM walk ORDER BY up DESC`,
      [tip, limit],
    );
    return rows.map(textOf);
  };

  return {
    name: 'plain INSERT / SELECT',
    role: 'floor',
    append: ({ question, answer }) =>
      inTransaction(async () => {
        await insert(question, null);
        await insert(answer, null);
      }),
    // The question must be safe before anyone is asked for an answer: two commits, for every contestant.
    runTurn: async ({ question, answer, raw }) => {
      await inTransaction(async () => {
        await insert(question, null);
      });
      await inTransaction(async () => {
        await insert(answer, JSON.stringify(raw));
      });
    },
    newestPage: walk,
    path: (tip) => walk(tip, 2 ** 31 - 1),
    bytes: () => bytesOfSchema(server, schema),
    close: () => client.end(),
  };
}

function textOf({ blocks }: Row): string {
  return blocks.map(({ type, text }) => (type === 'text' ? (text ?? '') : '')).join('');
}
