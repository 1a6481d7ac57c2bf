import { beforeAll, expect, test } from 'vitest';
import { beginTurn, buildNode, buildReply, seedProject } from '../contract/build.ts';
import { openPostgresStore } from './index.ts';
import type { TestServer } from './testing/server.ts';
import { freshSchema, useTestServer } from './testing/server.ts';

// The database itself keeps the tree consistent: against a bug of ours, and against any other program that opens it.

const server = useTestServer();
const schema = freshSchema();
let query: TestServer['query'];
let here: string;
let elsewhere: string;
let root: string;
let foreign: string;
let running: string;
let branch: string;

beforeAll(async () => {
  const started = await server();
  query = (text) => started.query(text, schema);
  const store = await openPostgresStore(started.options(schema));
  const [one, other] = [await seedProject(store), await seedProject(store)];
  const begun = await beginTurn(store, one.project, one.branch, null);
  const stranger = buildNode(other.project, null, 'elsewhere');
  await store.appendNodes(other.project.id, [stranger]);
  await store.appendNodes(one.project.id, [buildReply(one.project, begun.user, 'reply', { turnId: begun.turn.id })]);
  await store.close();
  [here, elsewhere, root, foreign] = [one.project.id, other.project.id, begun.user.id, stranger.id];
  [running, branch] = [begun.turn.id, one.branch.id];
});

const insertNode = (columns: Record<string, string>): Promise<unknown> => {
  const row = {
    project_id: `'${here}'`,
    id: `'new'`,
    role: `'user'`,
    content_blocks: `'[]'`,
    is_error: 'false',
    interrupted: 'false',
    include_thinking: 'false',
    match_key: `''`,
    created_at: `''`,
    ...columns,
  };
  return query(`INSERT INTO nodes (${Object.keys(row).join(', ')}) VALUES (${Object.values(row).join(', ')})`);
};

const violating = (constraint: string) => expect.objectContaining({ constraint });

test('PG-17: a node hangs from a node of its own project, and not from itself', async () => {
  await expect(insertNode({ parent_id: `'nowhere'` })).rejects.toThrow(violating('nodes_parent'));
  await expect(insertNode({ parent_id: `'${foreign}'` })).rejects.toThrow(violating('nodes_parent'));
  await expect(insertNode({ parent_id: `'new'` })).rejects.toThrow(violating('nodes_not_own_parent'));
  await expect(insertNode({ project_id: `'nowhere'` })).rejects.toThrow(violating('nodes_project_id_fkey'));
  await expect(insertNode({ turn_id: `'nowhere'` })).rejects.toThrow(violating('nodes_turn'));
});

test('PG-17: a node has a role that exists, and a tool node says which call it answers', async () => {
  await expect(insertNode({ role: `'oracle'` })).rejects.toThrow(violating('nodes_role'));
  await expect(insertNode({ role: `'tool'` })).rejects.toThrow(violating('nodes_tool_answers_a_call'));
});

test('PG-17: what a node says of its thinking is whole', async () => {
  await expect(insertNode({ availability: `'full'` })).rejects.toThrow(violating('nodes_thinking_whole'));
  await expect(insertNode({ availability: `'some'`, thinking_truncated: 'false' })).rejects.toThrow(
    violating('nodes_availability'),
  );
  await expect(insertNode({ previous_thinking: `'${root}'` })).rejects.toThrow(violating('nodes_made_with_whole'));
});

test('PG-17: one turn is open on a branch, and only a running turn has an owner and a lease', async () => {
  const insertTurn = (values: string): Promise<unknown> =>
    query(`INSERT INTO turns (project_id, id, branch_id, is_thinking_mode, created_at, status, owner, lease_until)
      VALUES ('${here}', 'new', ${values})`);
  await expect(insertTurn(`'${branch}', false, '', 'running', 'o', 1`)).rejects.toThrow(
    violating('turns_one_open_per_branch'),
  );
  await expect(insertTurn(`NULL, false, '', 'running', 'o', NULL`)).rejects.toThrow(
    violating('turns_lease_while_running'),
  );
  await expect(insertTurn(`NULL, false, '', 'complete', 'o', NULL`)).rejects.toThrow(
    violating('turns_owner_while_running'),
  );
  await expect(insertTurn(`NULL, false, '', 'dreaming', NULL, NULL`)).rejects.toThrow(violating('turns_status'));
});

test('PG-17: a tip, a call, a rendering and a log line point to what is there', async () => {
  await expect(query(`UPDATE branches SET tip_id = '${foreign}' WHERE id = '${branch}'`)).rejects.toThrow(
    violating('branches_tip'),
  );
  await expect(query(`INSERT INTO renderings VALUES ('${here}', '${foreign}', 'k', '')`)).rejects.toThrow(
    violating('renderings_node'),
  );
  await expect(query(`INSERT INTO raws VALUES ('${here}', 'no call', '')`)).rejects.toThrow(violating('raws_call'));
  await expect(query(`INSERT INTO stream_log VALUES ('${elsewhere}', '${running}', 1, '')`)).rejects.toThrow(
    violating('stream_log_turn'),
  );
  await expect(query(`INSERT INTO stream_log VALUES ('${here}', '${running}', 0, '')`)).rejects.toThrow(
    violating('stream_log_seq'),
  );
});

test('PG-17: a node that is deleted by hand takes its subtree, once no branch points into it, and a project everything', async () => {
  await query(`INSERT INTO stream_log VALUES ('${here}', '${running}', 1, '')`);
  await expect(query(`DELETE FROM nodes WHERE id = '${root}'`)).rejects.toThrow(violating('branches_tip'));
  await query(`UPDATE branches SET tip_id = NULL WHERE project_id = '${here}'`);
  await query(`DELETE FROM nodes WHERE id = '${root}'`);
  expect(await query(`SELECT id FROM nodes WHERE project_id = '${here}'`)).toStrictEqual([]);
  await query(
    `UPDATE branches SET tip_id = '${foreign}', forked_from_id = '${foreign}' WHERE project_id = '${elsewhere}'`,
  );
  await query(`DELETE FROM projects WHERE id IN ('${here}', '${elsewhere}')`);
  for (const table of ['branches', 'turns', 'nodes', 'calls', 'raws', 'renderings', 'stream_log'])
    expect(await query(`SELECT 1 FROM ${table}`)).toStrictEqual([]);
});
