import pg from 'pg';
import { vi } from 'vitest';
import { PLANNING } from '../connection/settings.ts';

/** A statement as it was sent to the server. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

const CONTROL = /^(begin|commit|rollback|start transaction|SELECT set_config|SELECT 1$|\/\* bough_leave_receipt)/i;

/**
 * Runs `work` and returns every statement that it sent, except transaction control and the heartbeat of the listening
 * connection.
 */
export async function statementsOf(work: () => Promise<unknown>): Promise<readonly Statement[]> {
  const spy = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await work();
    const sent = spy.mock.calls.map((args: readonly unknown[]) => statementOf(args));
    return sent.filter(({ text }) => !CONTROL.test(text));
  } finally {
    spy.mockRestore();
  }
}

/** Sent as text and values, or as a prepared statement with its name. */
function statementOf([first, second]: readonly unknown[]): Statement {
  const isPrepared = typeof first === 'object' && first !== null && 'text' in first && 'values' in first;
  const [text, values] = isPrepared ? [first.text, first.values] : [first, second];
  if (typeof text !== 'string') throw new Error('statements are sent as text and values');
  return { text, values: Array.isArray(values) ? values : [] };
}

/** What a statement's plan does, node by node, with the pages that it touched. */
export interface Plan {
  /** Tables that are scanned completely. */
  readonly scanned: readonly string[];
  readonly indexes: readonly string[];
  readonly pages: number;
}

/** The plans of statements, made as on the store's own connections, executed and rolled back. */
export async function explain(
  connection: pg.ClientConfig,
  schema: string,
  statements: readonly Statement[],
): Promise<readonly Plan[]> {
  const client = new pg.Client({ ...connection, options: `-c search_path=${schema},public ${PLANNING}` });
  await client.connect();
  try {
    const plans: Plan[] = [];
    for (const { text, values } of statements) {
      await client.query('BEGIN');
      const { rows } = await client.query<{ 'QUERY PLAN': unknown }>(
        `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${text}`,
        [...values],
      );
      await client.query('ROLLBACK');
      plans.push(planOf(rows[0]?.['QUERY PLAN']));
    }
    return plans;
  } finally {
    await client.end();
  }
}

/** The plan that a connection uses for a statement if it has kept its plans from before `grow`. */
export async function explainKept(
  connection: pg.ClientConfig,
  schema: string,
  { young, grow, grown }: { young: Statement; grow: () => Promise<unknown>; grown: Statement },
): Promise<Plan> {
  const client = new pg.Client({ ...connection, options: `-c search_path=${schema},public ${PLANNING}` });
  await client.connect();
  try {
    // PostgreSQL keeps a plan only after it has made a few.
    for (let time = 0; time < 10; time += 1)
      await client.query({ name: 'kept', text: young.text, values: [...young.values] });
    await grow();
    const values = grown.values.map(literal).join(', ');
    const { rows } = await client.query<{ 'QUERY PLAN': unknown }>(
      `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE kept (${values})`,
    );
    return planOf(rows[0]?.['QUERY PLAN']);
  } finally {
    await client.end();
  }
}

function planOf(explained: unknown): Plan {
  const nodes = planNodes(explained);
  const [top] = nodes;
  return {
    scanned: nodes.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => String(node['Relation Name'])),
    indexes: nodes.flatMap((node) => (typeof node['Index Name'] === 'string' ? [node['Index Name']] : [])),
    pages: Number(top?.['Shared Hit Blocks'] ?? 0) + Number(top?.['Shared Read Blocks'] ?? 0),
  };
}

type PlanNode = Record<string, unknown>;

/** Every object that is a step of the plan, top one first. */
function planNodes(value: unknown): readonly PlanNode[] {
  if (Array.isArray(value)) return value.flatMap(planNodes);
  if (typeof value !== 'object' || value === null) return [];
  const node = value as PlanNode;
  const below = Object.values(node).flatMap((child) => (typeof child === 'object' ? planNodes(child) : []));
  return 'Node Type' in node ? [node, ...below] : below;
}

function literal(value: unknown): string {
  const text = (one: unknown): string => pg.escapeLiteral(String(one));
  return Array.isArray(value) ? `ARRAY[${value.map(text).join(',')}]::text[]` : text(value);
}
