import type { ChatInput, Client } from '@bough/api';
import { createClient, readLines } from '@bough/api';
import type { StreamLine } from '@bough/core';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../config/index.ts';
import { createLog } from '../log.ts';
import type { Program } from '../program.ts';
import { startProgram } from '../program.ts';

export interface TestServer {
  readonly url: string;
  readonly client: Client;
  readonly dataDir: string;
  /** Every line of the log so far. */
  readonly logged: () => readonly string[];
  /** Stops the program and keeps its data. */
  readonly stop: Program['stop'];
  /** Starts again on the same data. */
  readonly restart: () => Promise<TestServer>;
  /** Stops what runs and removes the data. */
  readonly dispose: () => Promise<void>;
}

/** The real program on a free port and in a directory of its own; the provider is the simulator, without pauses. */
export async function startTestServer(
  env: Readonly<Record<string, string>> = {},
  file?: unknown,
  existing?: string,
): Promise<TestServer> {
  const dataDir = existing ?? (await mkdtemp(join(tmpdir(), 'bough-server-')));
  if (file !== undefined) await writeFile(join(dataDir, 'bough.config.json'), JSON.stringify(file), { mode: 0o600 });
  const variables = {
    PORT: '0',
    BOUGH_STORE: 'files',
    BOUGH_DATA_DIR: dataDir,
    BOUGH_SIMULATOR_PACE_MS: '0',
    BOUGH_GRACE_MS: '0',
    ...env,
  };
  const lines: string[] = [];
  const program = await startProgram(
    readConfig(variables, dataDir),
    variables,
    createLog(
      (line) => lines.push(line),
      () => new Date(),
    ),
  );
  let stopped: ReturnType<Program['stop']> | null = null;
  const stop = (): ReturnType<Program['stop']> => (stopped ??= program.stop());
  return {
    url: program.url,
    client: createClient({
      baseUrl: program.url,
      ...(env['BOUGH_TOKEN'] === undefined ? {} : { token: env['BOUGH_TOKEN'] }),
    }),
    dataDir,
    logged: () => lines,
    stop,
    restart: async () => {
      await stop();
      return startTestServer(env, undefined, dataDir);
    },
    dispose: async () => {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** All lines of a stream until it ends. */
export async function allLines(response: Response): Promise<readonly StreamLine[]> {
  const lines: StreamLine[] = [];
  if (response.body === null) return lines;
  for await (const line of readLines(response.body)) if (line.type !== 'heartbeat') lines.push(line);
  return lines;
}

/** Sends a message and waits for the whole reply. */
export async function say(
  client: Client,
  project: string,
  ref: string,
  message: ChatInput['message'],
  more: Readonly<Record<string, unknown>> = {},
): Promise<readonly StreamLine[]> {
  return allLines(await client.chat(project, { ref, message, ...more }));
}

/** The text that a client showing these lines would have on its screen. */
export function shown(lines: readonly StreamLine[], type: 'text' | 'thinking'): string {
  return lines.map((line) => (line.type === type ? line.content : '')).join('');
}

export function endOf(lines: readonly StreamLine[]): Extract<StreamLine, { type: 'done' }> {
  const last = lines.at(-1);
  if (last?.type !== 'done') throw new Error(`The stream ended with ${JSON.stringify(last)} instead of done.`);
  return last;
}
