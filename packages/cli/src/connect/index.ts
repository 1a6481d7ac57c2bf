import type { Client } from '@bough/api';
import { createClient } from '@bough/api';
import { createLog, startProgram } from '@bough/server';
import { randomUUID } from 'node:crypto';
import type { Input, OptionSpecs } from '../arguments/index.ts';
import type { ExitCode } from '../command.ts';
import type { Terminal } from '../terminal/index.ts';
import { findRunning } from './running.ts';
import { dataDirectoryOf, settingsOf, STORE_OPTIONS } from './settings.ts';

export * from './running.ts';
export * from './settings.ts';

export const CONNECTION_OPTIONS: OptionSpecs = {
  server: {
    description: 'the running server to talk to (default: BOUGH_URL, or the one on the same data)',
    value: 'url',
  },
  ...STORE_OPTIONS,
};

export interface Connection {
  readonly client: Client;
  readonly url: string;
  /** What it asks for; null if it is not known to ask for one. */
  readonly token: string | null;
  /** Stops what was started for this command. */
  readonly close: () => Promise<void>;
}

/**
 * Whether the work calls or names tools. Commands that only read must not start the programs that the configuration
 * names.
 */
export type Needs = 'tools' | 'no tools';

/**
 * Talks to a running server, or runs the program on the store for the duration of one command: on a free port, without
 * the page.
 */
export async function connect(input: Input, terminal: Terminal, needs: Needs): Promise<Connection> {
  const named = namedServer(input, terminal);
  if (named !== null) return named;
  const { config, env } = settingsOf(input, terminal);
  const running = await runningServer(config.dataDir, terminal);
  if (running !== null) return running;
  // A token that nobody else knows: while the command runs, other users of this machine could reach the port.
  const secret = randomUUID();
  const log = createLog(
    () => undefined,
    () => new Date(),
  );
  const { mcpServers = {}, ...file } = config.file;
  const { mcpServers: ofPage = {}, ...page } = config.page;
  const program = await startProgram(
    {
      ...config,
      host: '127.0.0.1',
      port: 0,
      token: secret,
      webDir: null,
      rounds: 'own',
      file: needs === 'tools' ? { ...file, mcpServers } : file,
      page: needs === 'tools' ? { ...page, mcpServers: ofPage } : page,
    },
    env,
    log,
    terminal.signal,
  );
  return connection(program.url, secret, async () => {
    await program.stop();
  });
}

/** The server that is named, or runs on the same data; null if none does. */
export async function findServer(input: Input, terminal: Terminal): Promise<Connection | null> {
  return namedServer(input, terminal) ?? (await runningServer(dataDirectoryOf(input, terminal), terminal));
}

function namedServer(input: Input, terminal: Terminal): Connection | null {
  const named = input.text('server') ?? (namesStore(input) ? undefined : nonEmpty(terminal.env['BOUGH_URL']));
  return named === undefined ? null : borrowed(named.replace(/\/+$/, ''), terminal);
}

async function runningServer(dataDir: string, terminal: Terminal): Promise<Connection | null> {
  const running = await findRunning(dataDir);
  return running === null ? null : borrowed(running.url, terminal);
}

/** Somebody else's server goes on when the command ends. */
function borrowed(url: string, { env }: Terminal): Connection {
  return connection(url, nonEmpty(env['BOUGH_TOKEN']) ?? null, async () => undefined);
}

/** Runs some work with a connection and always closes it. */
export async function withConnection<Result extends ExitCode | string>(
  input: Input,
  terminal: Terminal,
  needs: Needs,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const opened = await connect(input, terminal, needs);
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

function connection(url: string, token: string | null, close: () => Promise<void>): Connection {
  return { client: createClient({ baseUrl: url, ...(token === null ? {} : { token }) }), url, token, close };
}

function namesStore(input: Input): boolean {
  return input.text('data') !== undefined || input.text('store') !== undefined;
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : value;
}
