import { programOf } from '@bough/gateway';

/** Which clients came through the gateway since this server started. */
export interface SeenClients {
  readonly note: (seen: { readonly userAgent: string; readonly provider: string }) => void;
  /** The one that came last is the first. */
  readonly list: () => readonly SeenClient[];
}

export interface SeenClient {
  readonly client: string;
  readonly version: string | null;
  readonly providers: readonly string[];
  readonly requests: number;
  readonly lastSeenAt: string;
}

/** Clients are told apart by a header that anybody can invent: the list must not grow without end. */
const MAX_CLIENTS = 100;
const OTHERS = 'others';

export function createSeenClients(now: () => Date): SeenClients {
  const seen = new Map<string, SeenClient>();
  return {
    note: ({ userAgent, provider }) => {
      const named = nameOf(userAgent);
      const client = seen.has(named.client) || seen.size < MAX_CLIENTS ? named.client : OTHERS;
      const before = seen.get(client);
      const providers = before?.providers ?? [];
      seen.set(client, {
        client,
        version: named.version,
        providers: providers.includes(provider) ? providers : [...providers, provider],
        requests: (before?.requests ?? 0) + 1,
        lastSeenAt: now().toISOString(),
      });
    },
    list: () => [...seen.values()].toSorted((a, b) => b.lastSeenAt.localeCompare(a.lastSeenAt)),
  };
}

/** The name that its sessions have, and that a budget knows it by. */
function nameOf(userAgent: string): { readonly client: string; readonly version: string | null } {
  const { name, version } = programOf(userAgent);
  return { client: name, version: version.slice(name.length + 1) || null };
}
