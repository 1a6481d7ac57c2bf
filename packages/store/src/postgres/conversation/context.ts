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
import { fromTheRoot, nodeColumns } from '../nodes/walk.ts';
import type { StoredNode } from '../rows/node.ts';
import { nodeOf } from '../rows/node.ts';

export function contextMethods(database: Database): Pick<Store, 'readContext'> {
  return {
    readContext: async (project, tip, keyPrefix, ends = []) => {
      const walked = await repeatable(database, () => CONTEXT.run(database, [project, tip, keyPrefix, ends]));
      if (walked.length === 0) {
        return nothingThere(database, { project, nodes: { present: [tip] } }, new UnknownIdError('node', tip));
      }
      const rows = fromTheRoot(walked);
      return {
        front: frontOf(rows),
        path: rows.map(nodeOf),
        versions: new Map(rows.map(({ id, version }) => [nodeId(id), version])),
        raws: await rawsOf(rows),
        renderings: renderingsOf(rows, keyPrefix),
      };
    },
  };
}

interface ContextRow extends StoredNode {
  readonly up: number;
  readonly version: string;
  // Both of the tip alone.
  readonly front_end: string | null;
  readonly front_versions: string | null;
  readonly raw: Buffer | null;
  readonly renderings: readonly (readonly [key: string, bytes: string])[] | null;
}

/** The step from a node to its parent, as in `parentOf`, with what makes its version: PostgreSQL writes a row anew whenever it changes, and says which transaction did. */
const WALKED = (condition: string) => `
  SELECT id, parent_id, json_build_array(id, xmin::text)::text AS version FROM nodes
  WHERE nodes.project_id = $1::text AND nodes.id = ${condition}`;

/**
 * One statement: the path behind the newest of the nodes `$4` above the tip, and beside each node its raw and its renderings whose keys begin
 * with `$3`. A key that had to be escaped cannot be compared here; all of those are read, and sorted out afterwards.
 */
const CONTEXT = prepared<ContextRow>(
  'context',
  `WITH RECURSIVE walk AS (
    SELECT tip.*, 0 AS up FROM (${WALKED('$2::text')}) AS tip
    UNION ALL
    SELECT parent.*, walk.up + 1 FROM walk CROSS JOIN LATERAL (${WALKED('walk.parent_id')} OFFSET 0) AS parent
  ), front AS (
    SELECT min(up) AS up FROM walk WHERE up > 0 AND id = ANY($4::text[])
  )
  SELECT ${nodeColumns('node')}, walk.up, walk.version, ${rawOfNode('node')} AS raw,
    (
      SELECT json_agg(json_build_array(key, bytes) ORDER BY key) FROM renderings
      WHERE renderings.project_id = $1 AND renderings.node_id = walk.id
        AND (starts_with(key, $3::text) OR starts_with(key, chr(${ESCAPE.charCodeAt(0)})))
    ) AS renderings,
    CASE WHEN walk.up = 0 THEN (SELECT above.id FROM walk AS above JOIN front USING (up)) END AS front_end,
    CASE WHEN walk.up = 0 THEN (
      SELECT string_agg(above.version, ',' ORDER BY above.up DESC) FROM walk AS above JOIN front ON above.up >= front.up
    ) END AS front_versions
  FROM walk
  CROSS JOIN LATERAL (
    SELECT * FROM nodes WHERE nodes.project_id = $1::text AND nodes.id = walk.id OFFSET 0
  ) AS node
  WHERE walk.up < COALESCE((SELECT up FROM front), walk.up + 1)`,
);

function frontOf(rows: readonly ContextRow[]): StoredContext['front'] {
  const { front_end: end = null, front_versions: versions = null } = rows.at(-1) ?? {};
  return end === null || versions === null ? null : { end: nodeId(end), versions };
}

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
