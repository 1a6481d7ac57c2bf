import { writeSync } from 'node:fs';
import pg from 'pg';
import { beginTurn, buildReply, seedProject } from '../../contract/build.ts';
import { openPostgresStore } from '../index.ts';

// Begins a turn and stops itself, as SIGSTOP would, in the middle of the transaction that ends it: the statement is
// done, the commit is not sent. Prints what it wrote before, and after being resumed what became of it.
const [dataDir, schema, leaseMs] = process.argv.slice(2);
if (dataDir === undefined || schema === undefined) throw new Error('usage: <data directory> <schema> <lease>');

const store = await openPostgresStore({ dataDir, schema });
const { project, branch } = await seedProject(store);
const { turn, user } = await beginTurn(store, project, branch, null, 'frozen', Number(leaseMs));
const reply = buildReply(project, user, 'said once', { turnId: turn.id });
writeSync(1, `${JSON.stringify({ project: project.id, turn: turn.id, user: user.id, reply: reply.id })}\n`);

const query = Reflect.get(pg.Client.prototype, 'query') as (...args: unknown[]) => unknown;
let isStopped = false;
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
  const isCommit = (args[0] as { readonly text?: string }).text === 'commit';
  if (isCommit && !isStopped) {
    isStopped = true;
    process.kill(process.pid, 'SIGSTOP');
  }
  return query.apply(this, args);
} as typeof pg.Client.prototype.query;

const ending = {
  projectId: project.id,
  turnId: turn.id,
  owner: 'frozen',
  nodes: [reply],
  calls: [],
  renderings: [],
  tip: { branchId: branch.id, expected: user.id, next: reply.id },
  status: 'complete',
} as const;
const outcome = await store.commitTurn(ending).then(
  () => 'stored',
  (error: unknown) => (error as { readonly code?: string }).code ?? String(error),
);
writeSync(1, `${JSON.stringify({ outcome })}\n`);
await store.close();
