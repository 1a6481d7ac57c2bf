import { projectId, projectLexeme } from '@bough/core';
import { packRaw } from '../calls/raw.ts';
import { buildRaw } from '../../contract/build.ts';
import type { TestServer } from './server.ts';

/**
 * Fills a project with `size` nodes by plain SQL, in seconds: a trunk of questions and answers that makes up a fiftieth
 * of all nodes, and the rest attached to it as side replies. Each pair is a turn with a call, its raw, and renderings.
 */
export async function fillProject(server: TestServer, schema: string, project: string, size: number): Promise<void> {
  const trunk = trunkEnd(size);
  const raw = (await packRaw(buildRaw('{"of":"a large project"}', { capturedAt: '' }))).toString('hex');
  const odd = `n % 2 = 1`;
  const searched = await searchedBy(server, schema, project);
  await server.query(`
    SET search_path = ${schema}, public;
    -- What is made here fits together; checking every key of every row would take longer than making it.
    SET session_replication_role = replica;
    INSERT INTO projects (id, name, defaults, archived, created_at) VALUES ('${project}', 'large', '{}', false, '');
    INSERT INTO turns (project_id, id, branch_id, is_thinking_mode, status, created_at)
      SELECT '${project}', 't' || n, NULL, false, 'complete', '' FROM generate_series(1, ${size / 2}) AS n;
    INSERT INTO nodes (
      project_id, id, parent_id, turn_id, role, content_blocks, ${searched.column}, provider, model_used, availability, thinking_truncated,
      is_error, interrupted, include_thinking, match_key, created_at
    )
      SELECT
        '${project}', 'n' || n,
        CASE WHEN n = 1 THEN NULL WHEN n <= ${trunk} THEN 'n' || (n - 1) ELSE 'n' || (n::bigint * 7919 % ${trunk} + 1) END,
        't' || ((n + 1) / 2),
        CASE WHEN ${odd} THEN 'user' ELSE 'assistant' END,
        '[{"type":"text","text":"word' || n || ' of a message"}]', ${searched.ofNodes},
        CASE WHEN ${odd} THEN NULL ELSE 'simulated' END, CASE WHEN ${odd} THEN NULL ELSE 'sim-1' END,
        CASE WHEN ${odd} THEN NULL ELSE 'full' END, CASE WHEN ${odd} THEN NULL ELSE false END,
        false, false, false, 'key' || n, ''
      FROM generate_series(1, ${size}) AS n;
    INSERT INTO calls (
      project_id, id, turn_id, node_id, provider, deployment, model, status, request_hash, started_at
    )
      SELECT '${project}', 'c' || n, 't' || n, 'n' || (n * 2), 'simulated', 'simulated', 'sim-1', 'complete', '', ''
      FROM generate_series(1, ${size / 2}) AS n;
    INSERT INTO raws SELECT '${project}', 'c' || n, '\\x${raw}' FROM generate_series(1, ${size / 2}) AS n;
    INSERT INTO renderings SELECT '${project}', 'n' || n, 'wire:' || k, '{}'
      FROM generate_series(1, ${size}) AS n, generate_series(1, 2) AS k;
    INSERT INTO branches (
      project_id, id, name, tip_id, envelope, keep_tools_after_break, pinned, hidden, created_at
    )
      SELECT '${project}', 'b' || n, 'branch ' || n, 'n' || n, '{}', false, false, false, ''
      FROM generate_series(1, ${Math.min(size, 2000)}) AS n;
    INSERT INTO turns (project_id, id, branch_id, is_thinking_mode, status, created_at, owner, lease_until)
      SELECT '${project}', 'running' || n, 'b' || n, false, 'running', '', 'somebody', 1e15
      FROM generate_series(1, ${Math.min(size / 2, 200)}) AS n;
    INSERT INTO stream_log SELECT '${project}', 'running' || n, s, '{}'
      FROM generate_series(1, ${Math.min(size / 2, 200)}) AS n, generate_series(1, 50) AS s;
    ${searched.ofNames}
  `);
}

/** What search finds messages by, also in schemas that older programs made. */
async function searchedBy(
  server: TestServer,
  schema: string,
  project: string,
): Promise<{ readonly column: string; readonly ofNodes: string; readonly ofNames: string }> {
  const [row] = await server.query(`SELECT count(*)::int AS found FROM information_schema.columns
    WHERE table_schema = '${schema}' AND table_name = 'nodes' AND column_name = 'lexemes'`);
  if (row?.['found'] !== 1) return { column: 'folded', ofNodes: `'word' || n || ' of a message'`, ofNames: '' };
  const here = projectLexeme(projectId(project));
  return {
    column: 'lexemes',
    ofNodes: `array_to_tsvector(ARRAY['word' || n, 'of', 'a', 'message', '${here}'])`,
    ofNames: ['projects', 'branches'].map((table) => `UPDATE ${table} SET lexemes = '''${here}''';`).join('\n'),
  };
}

/** The end of the trunk. */
export function trunkEnd(size: number): number {
  return Math.max(10, Math.floor(size / 50));
}
