import { setImmediate } from 'node:timers/promises';
import type { CachedTurn, NodeId, RawResponse } from '@bough/core';
import { MARKED, nodeId, UnknownIdError } from '@bough/core';
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
    readContext: async (project, tip, keyPrefix, slot) => {
      const walked = await repeatable(database, () => CONTEXT.run(database, [project, tip, keyPrefix, slot ?? null]));
      const rows = fromTheRoot(walked);
      const last = rows.at(-1);
      if (last === undefined) {
        return nothingThere(database, { project, nodes: { present: [tip] } }, new UnknownIdError('node', tip));
      }
      return {
        marks: last.marks ?? '',
        nodes: rows.map(nodeOf),
        cachedTurns: cachedTurnsOf(last, slot ?? ''),
        raws: await rawsOf(rows),
        renderings: renderingsOf(rows, keyPrefix),
      };
    },
  };
}

interface ContextRow extends StoredNode {
  readonly up: number;
  readonly raw: Buffer | null;
  readonly renderings: readonly (readonly [key: string, bytes: string])[] | null;
  // These four are set for the tip only.
  readonly marks: string | null;
  readonly cached: readonly (readonly [id: string, key: string, length: number])[] | null;
  readonly cached_facts: string | null;
  readonly cached_bytes: string | null;
}

/**
 * The step from a node to its parent, as in `parentOf`, reading only its mark, written as `marksOf` does. (An id that
 * had to be escaped is escaped here: its cached turn is not found.)
 */
const WALKED = (condition: string) => `
  SELECT id, parent_id, role,
    CASE WHEN include_thinking THEN '+' ELSE '-' END || left(match_key, ${MARKED}) || to_json(id)::text || chr(10) AS mark
  FROM nodes WHERE nodes.project_id = $1::text AND nodes.id = ${condition}`;

/** Occurs in no fact. */
const BETWEEN = '\u001e';

/**
 * One statement: the marks of the path, its turns cached in the slot `$4`, and the nodes after those, each with its raw
 * and its renderings whose keys begin with `$3`. A key that had to be escaped cannot be compared here; all of those are
 * read, and filtered afterwards. Marks and cached turns come as one value each: a row for every node of a long path
 * costs more than everything else. A closed turn is always followed by a user message: nothing else is looked up.
 */
const CONTEXT = prepared<ContextRow>(
  'context',
  `WITH RECURSIVE walk AS (
    SELECT tip.*, 0 AS up, false AS closes FROM (${WALKED('$2::text')}) AS tip
    UNION ALL
    SELECT parent.*, walk.up + 1, walk.role = 'user'
    FROM walk CROSS JOIN LATERAL (${WALKED('walk.parent_id')} OFFSET 0) AS parent
  ), cached AS MATERIALIZED (
    SELECT walk.up, turn.* FROM walk CROSS JOIN LATERAL (
      SELECT node_id, key, facts, bytes FROM cached_turns
      WHERE cached_turns.node_id = walk.id AND cached_turns.slot = $4::text AND cached_turns.project_id = $1::text OFFSET 0
    ) AS turn
    WHERE walk.closes
  )
  SELECT ${nodeColumns('node')}, walk.up, ${rawOfNode('node')} AS raw,
    (
      SELECT json_agg(json_build_array(key, bytes) ORDER BY key) FROM renderings
      WHERE renderings.project_id = $1 AND renderings.node_id = walk.id
        AND (starts_with(key, $3::text) OR starts_with(key, chr(${ESCAPE.charCodeAt(0)})))
    ) AS renderings,
    CASE WHEN walk.up = 0 THEN (SELECT string_agg(mark, '' ORDER BY up DESC) FROM walk) END AS marks,
    CASE WHEN walk.up = 0 THEN (
      SELECT json_agg(json_build_array(node_id, key, octet_length(bytes)) ORDER BY up DESC) FROM cached
    ) END AS cached,
    CASE WHEN walk.up = 0 THEN (
      SELECT string_agg(facts, chr(${BETWEEN.charCodeAt(0)}) ORDER BY up DESC) FROM cached
    ) END AS cached_facts,
    CASE WHEN walk.up = 0 THEN (SELECT string_agg(bytes, '' ORDER BY up DESC) FROM cached) END AS cached_bytes
  FROM walk
  CROSS JOIN LATERAL (
    SELECT * FROM nodes WHERE nodes.project_id = $1::text AND nodes.id = walk.id OFFSET 0
  ) AS node
  WHERE walk.up < COALESCE((SELECT min(up) FROM cached), walk.up + 1)`,
);

/** The bytes are consecutive slices of one buffer: nobody has to join them. */
function cachedTurnsOf(row: ContextRow, slot: string): readonly CachedTurn[] {
  const facts = row.cached_facts?.split(BETWEEN) ?? [];
  const bytes = Buffer.from(row.cached_bytes ?? '');
  let at = 0;
  return (row.cached ?? []).map(([id, key, length], index) => {
    const own = bytes.subarray(at, at + length);
    at += length;
    return { nodeId: nodeId(id), slot, key, facts: facts[index] ?? '', bytes: own };
  });
}

function renderingsOf(rows: readonly ContextRow[], keyPrefix: string): StoredContext['renderings'] {
  const renderings = new Map<NodeId, ReadonlyMap<string, string>>();
  for (const row of rows) {
    const matching = row.renderings?.filter(([key]) => key.startsWith(keyPrefix)) ?? [];
    if (matching.length > 0) renderings.set(nodeId(row.id), new Map(matching));
  }
  return renderings;
}

/** How many raws are unpacked before other work gets its turn. */
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
