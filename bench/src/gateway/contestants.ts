import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Role } from '../frame/contest.ts';
import { cpuMicros, cpuMicrosWithChildren, launch } from '../stream/processes.ts';
import { PORTKEY, startPortkey } from './portkey.ts';

/** A gateway between the client and the vendor, in its own process. */
export interface Contestant {
  readonly name: string;
  readonly role: Role;
  readonly pid: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Microseconds of processor time used by the gateway, and by its database if it has one. */
  readonly cpu: () => { readonly server: number; readonly database: number };
  readonly stop: () => Promise<void>;
}

export const FLOOR = 'bare proxy';
/** The mode that Bough has unless it is told otherwise. */
export const REPAIR = 'Bough';
export const RECORD = 'Bough, record only';

const PROXY = new URL('programs/proxy.js', import.meta.url);
/** What `npm start` runs. */
const SERVER = new URL('../../../packages/cli/dist/bough.mjs', import.meta.url);

export async function startContestants(
  vendor: string,
  dataDir: string,
  portkey: URL | null,
  /** Options of Node for Bough's processes. */
  node: readonly string[] = [],
): Promise<readonly Contestant[]> {
  return [
    await startBough(REPAIR, 'repair', vendor, join(dataDir, 'repair'), node),
    await startBough(RECORD, 'record', vendor, join(dataDir, 'record'), node),
    ...(portkey === null ? [] : [await startPeer(vendor, portkey)]),
    await startFloor(vendor),
  ];
}

async function startFloor(vendor: string): Promise<Contestant> {
  const { pid, url, stop } = await launch(PROXY, { args: [vendor] });
  return { name: FLOOR, role: 'floor', pid, url: `${url}/v1/messages`, headers: {}, cpu: alone(pid), stop };
}

async function startPeer(vendor: string, program: URL): Promise<Contestant> {
  const { pid, url, stop } = await startPortkey(program);
  const headers = { 'x-portkey-provider': 'anthropic', 'x-portkey-custom-host': `${vendor}/v1` };
  return { name: PORTKEY, role: 'peer', pid, url: `${url}/v1/messages`, headers, cpu: alone(pid), stop };
}

const alone = (pid: number) => (): { server: number; database: number } => ({ server: cpuMicros(pid), database: 0 });

/** The built server as it is shipped, with its own PostgreSQL, recording everything. */
async function startBough(
  name: string,
  mode: 'record' | 'repair',
  vendor: string,
  dataDir: string,
  node: readonly string[],
): Promise<Contestant> {
  await mkdir(dataDir, { recursive: true });
  const config = join(dataDir, 'bough.config.json');
  await writeFile(config, JSON.stringify({ gateway: { mode }, limits: { requestsPerMinute: 1_000_000 } }));
  const { pid, url, stop } = await launch(SERVER, {
    args: ['serve'],
    node,
    env: {
      PORT: '0',
      BOUGH_DATA_DIR: dataDir,
      BOUGH_CONFIG: config,
      BOUGH_GRACE_MS: '0',
      ANTHROPIC_API_KEY: 'simulated',
      ANTHROPIC_BASE_URL: vendor,
    },
  });
  const database = Number(readFileSync(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0]);
  return {
    name,
    role: 'bough',
    pid,
    url: `${url}/gateway/anthropic/v1/messages`,
    headers: {},
    cpu: () => ({ server: cpuMicros(pid), database: cpuMicrosWithChildren(database) }),
    stop,
  };
}
