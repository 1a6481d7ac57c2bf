import { setImmediate } from 'node:timers/promises';
import type { NodeId, RawResponse } from '@bough/core';
import { nodeId, UnknownIdError } from '@bough/core';
import type { Store, StoredContext } from '../../store.ts';
import { rawOfNode } from '../calls/index.ts';
import { unpackRaw } from '../calls/raw.ts';
import { ESCAPE } from '../connection/exact-text.ts';
import type { Database } from '../connection/pool.ts';
import { prepared } from '../connection/prepared.ts';
import { repeatable } from '../connection/transaction.ts';
import { nothingThere } from '../expectations.ts';
import { fromTheRoot, nodeColumns, WALK_TO_ROOT } from '../nodes/walk.ts';
import type { StoredNode } from '../rows/node.ts';
import { nodeOf } from '../rows/node.ts';

export function contextMethods(database: Database): Pick<Store, 'readContext'> {
  return {
    readContext: async (project, tip, keyPrefix) => {
      const walked = await repeatable(database, (db) => CONTEXT.run(db, [project, tip, keyPrefix]));
      if (walked.length === 0) {
        return nothingThere(database, { project, nodes: { present: [tip] } }, new UnknownIdError('node', tip));
      }
      const rows = fromTheRoot(walked);
      return { path: rows.map(nodeOf), raws: await rawsOf(rows), renderings: renderingsOf(rows, keyPrefix) };
    },
  };
}

interface ContextRow extends StoredNode {
  readonly up: number;
  readonly raw: Buffer | null;
  readonly renderings: readonly (readonly [key: string, bytes: string])[] | null;
}

/**
 * One statement: the path, and beside each node its raw and its renderings whose keys begin with `$3`. A key that had to be escaped cannot
 * be compared here; all of those are read, and sorted out afterwards.
 */
const CONTEXT = prepared<ContextRow>(
  'context',
  `WITH RECURSIVE ${WALK_TO_ROOT}
  SELECT ${nodeColumns('walk')}, walk.up, ${rawOfNode('walk')} AS raw,
    (
      SELECT json_agg(json_build_array(key, bytes) ORDER BY key) FROM renderings
      WHERE renderings.project_id = $1 AND renderings.node_id = walk.id
        AND (starts_with(key, $3::text) OR starts_with(key, chr(${ESCAPE.charCodeAt(0)})))
    ) AS renderings
  FROM walk`,
);

function renderingsOf(rows: readonly ContextRow[], keyPrefix: string): StoredContext['renderings'] {
  const renderings = new Map<NodeId, ReadonlyMap<string, string>>();
  for (const row of rows) {
    const matching = row.renderings?.filter(([key]) => key.startsWith(keyPrefix)) ?? [];
    if (matching.length > 0) renderings.set(nodeId(row.id), new Map(matching));
  }
  return renderings;
}

/** How many raws are unpacked before others get their turn. */
const AT_ONCE = 50;

async function rawsOf(rows: readonly ContextRow[]): Promise<ReadonlyMap<NodeId, RawResponse>> {
  const raws = new Map<NodeId, RawResponse>();
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    if (at > 0) await setImmediate();
    const unpacked = await Promise.all(
      rows
        .slice(at, at + AT_ONCE)
        .map(async ({ id, raw }) => ({ id, raw: raw === null ? null : await unpackRaw(raw) })),
    );
    for (const { id, raw } of unpacked) if (raw !== null) raws.set(nodeId(id), raw);
  }
  return raws;
}
