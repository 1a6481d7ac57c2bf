import { createClient } from '@bough/api';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Role } from '../frame/contest.ts';
import type { Dialect } from './dialects.ts';
import { cpuMicros, cpuMicrosWithChildren, launch, type Program } from './processes.ts';

export const MODEL = 'claude-opus-4-5';

/** A server between the provider and the client, in its own process. */
export interface Contestant {
  readonly name: string;
  readonly role: Role;
  readonly dialect: Dialect;
  readonly pid: number;
  /** Where to post what, for this many simultaneous streams that all ask for `prompt`. */
  readonly prepare: (
    prompt: string,
    streams: number,
  ) => Promise<readonly { readonly url: string; readonly body: string }[]>;
  /** Microseconds of processor time used by the server, and by its database if it has one. */
  readonly cpu: () => { readonly server: number; readonly database: number };
  readonly stop: () => Promise<void>;
}

const program = (name: string): URL => new URL(`programs/${name}.js`, import.meta.url);
/** What `npm start` runs. */
const SERVER = new URL('../../../packages/cli/dist/bough.mjs', import.meta.url);

export const FLOOR = 'pipe';
export const SYNCED_PIPE = 'pipe, synced to a file';
export const PEER = 'AI SDK';
export const BOUGH = 'Bough';

export async function startContestants(provider: string, dataDir: string): Promise<readonly Contestant[]> {
  return [await startBough(provider, dataDir), await startPeer(provider), await startFloor(provider)];
}

/**
 * The pipe again, with every line synced to a file before it is shown: the cost of a durable log on this disk, whoever
 * keeps it.
 */
export async function startSyncedPipe(provider: string, journal: string): Promise<Contestant> {
  return { ...(await startFloor(provider, [journal])), name: SYNCED_PIPE, role: 'peer' };
}

async function startFloor(provider: string, journal: readonly string[] = []): Promise<Contestant> {
  const { pid, url, stop } = await launch(program('floor'), { args: [provider, ...journal] });
  const request = (prompt: string): string =>
    JSON.stringify({
      model: MODEL,
      max_tokens: 32_000,
      stream: true,
      thinking: { type: 'enabled', budget_tokens: 4_096 },
      messages: [{ role: 'user', content: prompt }],
    });
  return {
    name: FLOOR,
    role: 'floor',
    dialect: 'provider events',
    pid,
    prepare: async (prompt, streams) => repeat(streams, { url, body: request(prompt) }),
    cpu: () => ({ server: cpuMicros(pid), database: 0 }),
    stop,
  };
}

async function startPeer(provider: string): Promise<Contestant> {
  const { pid, url, stop } = await launch(program('peer'), { args: [provider] });
  return {
    name: PEER,
    role: 'peer',
    dialect: 'ui message stream',
    pid,
    prepare: async (prompt, streams) => repeat(streams, { url, body: JSON.stringify({ model: MODEL, prompt }) }),
    cpu: () => ({ server: cpuMicros(pid), database: 0 }),
    stop,
  };
}

export interface Bough extends Contestant, Pick<Program, 'ask'> {}

/** The built server as it is shipped, with its own PostgreSQL. */
export async function startBough(provider: string, dataDir: string, node: readonly string[] = []): Promise<Bough> {
  const { pid, url, ask, stop } = await launch(SERVER, {
    args: ['serve'],
    node,
    env: {
      PORT: '0',
      BOUGH_DATA_DIR: dataDir,
      BOUGH_GRACE_MS: '0',
      ANTHROPIC_API_KEY: 'simulated',
      ANTHROPIC_BASE_URL: provider,
    },
  });
  const database = Number(readFileSync(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0]);
  const client = createClient({ baseUrl: url });
  return {
    name: BOUGH,
    role: 'bough',
    dialect: 'bough lines',
    pid,
    // A separate conversation for every stream: only one turn runs on a branch at a time.
    prepare: async (prompt, streams) =>
      Promise.all(
        repeat(streams, null).map(async () => {
          const { project, branch } = await client.createProject({
            provider: 'anthropic',
            model: MODEL,
            thinking: { budgetTokens: 4_096 },
            tools: [],
          });
          return {
            url: `${url}/api/projects/${project.id}/chat`,
            body: JSON.stringify({ ref: branch.name, message: prompt }),
          };
        }),
      ),
    cpu: () => ({ server: cpuMicros(pid), database: cpuMicrosWithChildren(database) }),
    ask,
    stop,
  };
}

function repeat<Value>(times: number, value: Value): readonly Value[] {
  return Array.from({ length: times }, () => value);
}
