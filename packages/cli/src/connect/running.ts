import { isPlainObject } from '@bough/core';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A running server announces itself in a small file in its data directory, so that commands on the same data find it.
 */
export interface RunningServer {
  readonly url: string;
  readonly pid: number;
  /** How it keeps data; absent in what an older version left. */
  readonly store?: string;
}

const fileIn = (dataDir: string): string => join(dataDir, 'server.json');

export async function announce(dataDir: string, server: RunningServer): Promise<void> {
  await writeFile(fileIn(dataDir), `${JSON.stringify(server)}\n`, { mode: 0o600 });
}

/** Removes the file if it is still this process's own: a server started since may have written another. */
export async function withdraw(dataDir: string, pid: number): Promise<void> {
  if ((await announced(dataDir))?.pid === pid) await rm(fileIn(dataDir), { force: true });
}

/** The server that announced itself here and answers; a file left behind by a killed one is ignored. */
export async function findRunning(dataDir: string): Promise<RunningServer | null> {
  const server = await announced(dataDir);
  if (server === null) return null;
  const health = await fetch(`${server.url}/api/healthz`, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
  await health?.body?.cancel();
  // A server that requires a token answers 401: it is there.
  return health !== null && (health.ok || health.status === 401) ? server : null;
}

async function announced(dataDir: string): Promise<RunningServer | null> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    if (!isPlainObject(value)) return null;
    const { url, pid, store } = value;
    if (typeof url !== 'string' || typeof pid !== 'number') return null;
    return { url, pid, ...(typeof store === 'string' && { store }) };
  } catch (error) {
    // Half a file, from a server that was killed while writing it.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
