import type { NodeId, ProjectId, RawResponse } from '@bough/core';
import { nodeId, UnknownIdError } from '@bough/core';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Store, StoredContext } from '../../store.ts';
import { rawOfNode } from '../calls/index.ts';
import { unpackRaw } from '../calls/raw.ts';
import { ESCAPE } from '../connection/exact-text.ts';
import type { Database } from '../connection/pool.ts';
import { repeatable } from '../connection/transaction.ts';
import { nothingThere } from '../expectations.ts';
import { walkToRoot } from '../nodes/walk.ts';
import type { StoredNode } from '../rows/node.ts';
import { nodeOf } from '../rows/node.ts';

export function contextMethods(database: Database): Pick<Store, 'readContext'> {
  return {
    readContext: async (project, tip, keyPrefix) => {
      const { rows } = await repeatable(database, (db) => contextStatement(project, tip, keyPrefix).execute(db));
      if (rows.length === 0) {
        return nothingThere(database, { project, nodes: { present: [tip] } }, new UnknownIdError('node', tip));
      }
      return { path: rows.map(nodeOf), raws: await rawsOf(rows), renderings: renderingsOf(rows, keyPrefix) };
    },
  };
}

export interface ContextRow extends StoredNode {
  readonly raw: Buffer | null;
  readonly renderings: readonly (readonly [key: string, bytes: string])[] | null;
}

/**
 * One statement: the path, and beside each node its raw and its renderings. A key that had to be escaped cannot be compared here;
 * all of those are read, and sorted out afterwards.
 */
export function contextStatement(project: ProjectId, tip: NodeId, keyPrefix: string): RawBuilder<ContextRow> {
  return sql<ContextRow>`
    WITH RECURSIVE ${walkToRoot(project, tip)}
    SELECT
      walk.*,
      ${rawOfNode('walk')} AS raw,
      (
        SELECT json_agg(json_build_array(key, bytes) ORDER BY key) FROM renderings
        WHERE renderings.project_id = ${project} AND renderings.node_id = walk.id
          AND (starts_with(key, ${keyPrefix}) OR starts_with(key, ${sql.lit(ESCAPE)}))
      ) AS renderings
    FROM walk ORDER BY walk.up DESC`;
}

function renderingsOf(rows: readonly ContextRow[], keyPrefix: string): StoredContext['renderings'] {
  const renderings = new Map<NodeId, ReadonlyMap<string, string>>();
  for (const row of rows) {
    const matching = row.renderings?.filter(([key]) => key.startsWith(keyPrefix)) ?? [];
    if (matching.length > 0) renderings.set(nodeId(row.id), new Map(matching));
  }
  return renderings;
}

async function rawsOf(rows: readonly ContextRow[]): Promise<ReadonlyMap<NodeId, RawResponse>> {
  const entries = await Promise.all(
    rows.flatMap(({ id, raw }) => (raw === null ? [] : [unpackRaw(raw).then((read) => [nodeId(id), read] as const)])),
  );
  return new Map(entries);
}
