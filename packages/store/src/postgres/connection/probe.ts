import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientConfig } from 'pg';
import type pg from 'pg';
import { EndingClient } from './ending-client.ts';
import type { Target } from './pool.ts';
import { meaningOf, pooledConfig, sessionConfig } from './settings.ts';
import type { SessionSettings } from './settings.ts';
import { codeOf, databaseTrouble } from './trouble.ts';

const PATIENCE_MS = 20_000;
const RETRY_MS = 50;

/**
 * How poolers refuse a connection that asks for settings: as a violation of the protocol (PgBouncer) or as a feature
 * that they do not have (RDS Proxy).
 */
const REFUSES_SETTINGS: ReadonlySet<string> = new Set(['08P01', '0A000']);

/**
 * Tries the server once, without waiting, so that a wrong address or password is reported at once. Says whether a
 * pooler is in between: one that refuses the settings of a connection, or that accepts and ignores them. Tables would
 * be sought, and made, in another schema then.
 */
export async function probe(
  target: Target,
  options: Pick<SessionSettings, 'schema' | 'statementTimeoutMs'>,
): Promise<{ readonly isPooled: boolean }> {
  const settings = { ...options, patienceMs: PATIENCE_MS };
  const patienceEnds = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      const keepsSettings = await connectsWith(sessionConfig(target.connection(), settings), (client) =>
        hasSettings(client, options.schema),
      ).catch((error: unknown) => {
        if (REFUSES_SETTINGS.has(codeOf(error) ?? '')) return null;
        throw error;
      });
      if (keepsSettings === true) return { isPooled: false };
      // Refused or ignored: whatever else is wrong shows without them.
      if (keepsSettings === null)
        await connectsWith(pooledConfig(target.connection(), settings), (client) => client.query('SELECT'));
      return { isPooled: true };
    } catch (error) {
      // A server that is just starting says so, and is worth waiting for.
      const starting = codeOf(error) === '57P03' && performance.now() < patienceEnds;
      if (!starting) throw databaseTrouble(error, target.name);
      await sleep(RETRY_MS);
    }
  }
}

async function hasSettings(client: pg.Client, schema: string): Promise<boolean> {
  const wanted = Object.entries(meaningOf(schema));
  const { rows } = await client.query<{ readonly value: string }>(
    'SELECT current_setting(name) AS value FROM unnest($1::text[]) WITH ORDINALITY AS asked (name, nth) ORDER BY nth',
    [wanted.map(([name]) => name)],
  );
  const found = rows.map(({ value }) => value.replaceAll(/[\s"]/g, ''));
  return wanted.every(([, value], index) => found[index] === value);
}

async function connectsWith<T>(config: ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new EndingClient(config);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
