import type { StreamLine } from '@bough/core';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerProcess } from '../testing/process.ts';
import type { Member } from './member.ts';
import { memberOf, startMember } from './member.ts';
import type { Random } from './random.ts';

export type StoreKind = 'postgres' | 'git' | 'files';

export interface LaneOptions {
  readonly store: StoreKind;
  readonly servers: number;
  readonly toolsUrl: string;
  /** How long anything may take once everything is back. */
  readonly patienceMs: number;
  /** Additional environment for the servers; a wire names its own database. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly dataDir?: string | undefined;
}

/** Milliseconds between the events of the simulated model: fast enough for many rounds, slow enough to be hit. */
const PACE_MS = '6';

/** A data directory with its servers: lanes are independent and run at the same time. */
export class Lane {
  readonly dataDir: string;
  readonly store: StoreKind;
  readonly patienceMs: number;
  readonly #env: Readonly<Record<string, string>>;
  #members: Member[] = [];
  #listener: ((line: StreamLine) => void) | null = null;

  private constructor(dataDir: string, options: LaneOptions) {
    this.dataDir = dataDir;
    this.store = options.store;
    this.patienceMs = options.patienceMs;
    this.#env = {
      BOUGH_DATA_DIR: dataDir,
      BOUGH_STORE: options.store,
      BOUGH_CONFIG: join(dataDir, 'soak.config.json'),
      BOUGH_SIMULATOR_PACE_MS: PACE_MS,
      ...options.env,
    };
  }

  static async open(options: LaneOptions): Promise<Lane> {
    const dataDir = options.dataDir ?? (await newDataDir());
    const lane = new Lane(dataDir, options);
    const config = {
      mcpServers: { soak: { url: options.toolsUrl } },
      tools: { approval: { 'soak.asked': 'ask', 'soak.*': 'auto' } },
      limits: { requestsPerMinute: 10_000_000 },
    };
    await writeFile(join(dataDir, 'soak.config.json'), JSON.stringify(config));
    for (let count = 0; count < options.servers; count += 1) await lane.start();
    return lane;
  }

  get members(): readonly Member[] {
    return this.#members;
  }

  async start(): Promise<Member> {
    const member = await startMember(this.#env);
    this.#members.push(member);
    return member;
  }

  /** `kill -9` of one server, which does not come back. */
  async kill(member: Member): Promise<void> {
    const gone = member.server.kill();
    this.#drop(member);
    await gone;
  }

  /** Stops one server until the returned function is called: then its process is a member again. */
  freeze(member: Member): () => void {
    member.server.freeze();
    this.#drop(member);
    return () => {
      member.server.thaw();
      this.#members.push(memberOf(member.server));
    };
  }

  /** A server that can be expected to answer; waits while there is none. Null once the round is over. */
  async someone(random: Random, over: AbortSignal): Promise<Member | null> {
    while (!over.aborted) {
      if (this.#members.length > 0) return random.pick(this.#members);
      await sleep(10);
    }
    return null;
  }

  /** Called with each line that a client saw. */
  onLine(listener: ((line: StreamLine) => void) | null): void {
    this.#listener = listener;
  }

  lineSeen(line: StreamLine): void {
    this.#listener?.(line);
  }

  logs(): readonly string[] {
    return this.#members.map(({ server }) => server.complained());
  }

  async stop(): Promise<void> {
    const stopping = this.#members.map(({ server }) => stopped(server));
    for (const member of this.#members) member.lose();
    this.#members = [];
    await Promise.all(stopping);
  }

  async dispose(): Promise<void> {
    await this.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  #drop(member: Member): void {
    this.#members = this.#members.filter((other) => other !== member);
    member.lose();
  }
}

export const newDataDir = (): Promise<string> => mkdtemp(join(tmpdir(), 'bough-soak-'));

const STOP_PATIENCE_MS = 20_000;

/** Asked to stop, and killed if it does not: a server that hangs must not leave a process behind. */
async function stopped(server: ServerProcess): Promise<void> {
  const late = sleep(STOP_PATIENCE_MS, 'late' as const, { ref: false });
  const inTime = await Promise.race([server.terminate(), late]);
  if (inTime === 'late') await server.kill();
}
