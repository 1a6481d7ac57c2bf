import { StoreError } from '../errors.ts';
import type { Target } from './connection/pool.ts';
import type { EmbeddedServer } from './embedded/index.ts';

/** Somebody else's server, named by a URL. */
export function externalTarget(url: string, setting = 'DATABASE_URL'): Target {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch (error) {
    // Without the URL itself: it holds the password.
    throw new StoreError(
      'invalid_database_url',
      setting,
      `${setting} is no URL. It looks like postgres://user:password@host:5432/database, with special characters of ` +
        'the password percent-encoded.',
      { cause: error },
    );
  }
  if (!/^postgres(ql)?:$/.test(parsed.protocol)) {
    throw new StoreError('invalid_database_url', setting, `${setting} must begin with postgres:// or postgresql://.`);
  }
  // Removed from the URL, where they would replace the settings that the connections need.
  const options = parsed.searchParams.get('options') ?? '';
  parsed.searchParams.delete('options');
  const host = parsed.searchParams.get('host') ?? (parsed.hostname || 'localhost');
  return {
    connection: () => ({ connectionString: parsed.href, options }),
    name: `${host}:${parsed.port || '5432'}${parsed.pathname}`,
  };
}

/** Bough's own server. */
export function embeddedTarget(server: EmbeddedServer): Target {
  return {
    connection: () => ({ ...server.connection(), ssl: false }),
    name: server.home,
    trouble: server.trouble,
  };
}
