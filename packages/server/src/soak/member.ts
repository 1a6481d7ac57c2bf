import type { Client } from '@bough/api';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerProcess } from '../testing/process.ts';
import { spawnServer } from '../testing/process.ts';
import { hold } from './held.ts';

/** One server of a lane. */
export interface Member {
  readonly client: Client;
  readonly server: ServerProcess;
  /** Resolves once nothing more is expected of it, or not for a while. */
  readonly lost: Promise<void>;
  readonly isLost: () => boolean;
  readonly lose: () => void;
}

const TOOLS_PATIENCE_MS = 30_000;

/** Starts a server and waits until its tools are available. */
export async function startMember(env: Readonly<Record<string, string>>): Promise<Member> {
  const server = await spawnServer(env);
  const forget = hold(() => {
    server.thaw();
    return server.terminate();
  });
  void server.ended.then(forget);
  const giveUp = performance.now() + TOOLS_PATIENCE_MS;
  for (;;) {
    const { tools } = await server.client.listTools();
    if (tools.some(({ source, available }) => source === 'soak' && available)) break;
    if (performance.now() > giveUp) throw new Error(`The tools did not come: ${server.complained()}`);
    await sleep(5);
  }
  return memberOf(server);
}

/** A server that is expected to answer (again). */
export function memberOf(server: ServerProcess): Member {
  let lost = false;
  let tell: (() => void) | null = null;
  const telling = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return {
    client: server.client,
    server,
    lost: telling,
    isLost: () => lost,
    lose: () => {
      lost = true;
      tell?.();
    },
  };
}
