import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';
import { storableParameter } from './exact-text.ts';
import { preparedName } from './prepared.ts';
import { TAKES_LONG, WITHOUT_LIMIT_MS } from './settings.ts';

const BEGINS = /^\s*(begin|start transaction)\b/i;
const ENDS = /^\s*(commit|rollback)\s*$/i;

type Result<R> = PostgresQueryResult<R>;

/**
 * A connection from the pool. All parameters pass through here: no statement can forget to make its strings storable.
 *
 * Behind a pooler every transaction may meet another connection of the server, with settings of its own. So each one
 * says first what its statements rely on, a statement outside of a transaction gets one of its own, and no statement
 * has a name. All of it leaves in one write: it costs no further round trip.
 */
export class ExactClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient;
  readonly #beforehand: string | null;
  #isInTransaction = false;
  #takesLong = false;

  /** `beforehand`: what each transaction says first; null where connections keep their settings. */
  constructor(client: pg.PoolClient, beforehand: string | null) {
    this.#client = client;
    this.#beforehand = beforehand;
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<Result<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query(sql: unknown, parameters: readonly unknown[] = []): unknown {
    if (typeof sql !== 'string')
      throw new TypeError('Cursors are not used: their parameters would not be made storable.');
    const beforehand = this.#beforehand;
    if (beforehand === null) return this.#send(sql, parameters);
    if (BEGINS.test(sql)) {
      this.#isInTransaction = true;
      return this.together(() => allOf([this.#send(sql, parameters), this.#send(beforehand)], 0));
    }
    if (ENDS.test(sql)) this.#isInTransaction = false;
    else if (!this.#isInTransaction) return this.#alone(beforehand, sql, parameters);
    return this.#send(sql, parameters);
  }

  /** The answer counts only once it is committed. Where the statement fails, the commit undoes. */
  #alone(beforehand: string, sql: string, parameters: readonly unknown[]): Promise<Result<unknown>> {
    return this.together(() =>
      allOf([this.#send('begin'), this.#send(beforehand), this.#send(sql, parameters), this.#send('commit')], 2),
    );
  }

  #send(sql: string, parameters: readonly unknown[] = []): Promise<Result<unknown>> {
    if (sql === TAKES_LONG) this.#takesLong = true;
    const name = this.#beforehand === null ? preparedName(sql) : undefined;
    return this.#client.query({
      text: sql,
      values: parameters.map(storableParameter),
      ...(name !== undefined && { name }),
      ...(this.#takesLong && { query_timeout: WITHOUT_LIMIT_MS }),
    }) as Promise<Result<unknown>>;
  }

  /**
   * The statements that `send` issues leave in one write: each write wakes the server, which costs more than what it
   * carries.
   */
  together<T>(send: () => T): T {
    const { stream } = this.#client.connection;
    stream.cork();
    try {
      return send();
    } finally {
      stream.uncork();
    }
  }

  release(): void {
    this.#client.release();
  }

  /** Breaks the connection, and with it whatever waits for an answer. */
  cut(): void {
    this.#client.connection.stream.destroy();
  }
}

/**
 * One of several answers, when all are there. The first failure is the reason of the later ones; none of them is left
 * without somebody who hears of it.
 */
async function allOf<R>(sent: readonly Promise<R>[], wanted: number): Promise<R> {
  const answers = await Promise.allSettled(sent);
  for (const answer of answers) if (answer.status === 'rejected') throw answer.reason;
  const answer = answers[wanted];
  if (answer?.status !== 'fulfilled') throw new RangeError('No statement was sent in that place.');
  return answer.value;
}
