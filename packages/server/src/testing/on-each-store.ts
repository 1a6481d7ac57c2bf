import { afterAll, beforeAll } from 'vitest';
import type { TestServer } from './start.ts';
import { startTestServer } from './start.ts';

export const STORES = ['files', 'git', 'postgres'] as const;

/** One server per store, for all tests of a file. */
export function useServers(): (store: string) => TestServer {
  const servers = new Map<string, TestServer>();
  beforeAll(async () => {
    for (const store of STORES) servers.set(store, await startTestServer({ BOUGH_STORE: store }));
  }, 120_000);
  afterAll(async () => {
    for (const server of servers.values()) await server.dispose();
  });
  return (store) => {
    const server = servers.get(store);
    if (server === undefined) throw new Error(store);
    return server;
  };
}
