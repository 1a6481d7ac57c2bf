import type { Client } from '@bough/api';
import { createClient } from '@bough/api';
import { createLog, startProgram } from '@bough/server';
import { randomUUID } from 'node:crypto';
import type { Input, OptionSpecs } from '../arguments/index.ts';
import type { ExitCode } from '../command.ts';
import type { Terminal } from '../terminal/index.ts';
import { findRunning } from './running.ts';
import { settingsOf, STORE_OPTIONS } from './settings.ts';

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
  const token = terminal.env['BOUGH_TOKEN'];
  const withToken = token === undefined || token === '' ? {} : { token };
  const named = input.text('server') ?? (namesStore(input) ? undefined : nonEmpty(terminal.env['BOUGH_URL']));
  if (named !== undefined) return connection(named.replace(/\/+$/, ''), withToken, async () => undefined);
  const { config, env } = settingsOf(input, terminal);
  const running = await findRunning(config.dataDir);
  if (running !== null) return connection(running.url, withToken, async () => undefined);
  // A token that nobody else knows: while the command runs, other users of this machine could reach the port.
  const secret = randomUUID();
  const log = createLog(
    () => undefined,
    () => new Date(),
  );
  const { mcpServers = {}, ...file } = config.file;
  const program = await startProgram(
    {
      ...config,
      host: '127.0.0.1',
      port: 0,
      token: secret,
      webDir: null,
      file: needs === 'tools' ? { ...file, mcpServers } : file,
    },
    env,
    log,
    terminal.signal,
  );
  return connection(program.url, { token: secret }, async () => {
    await program.stop();
  });
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

function connection(url: string, token: { readonly token?: string }, close: () => Promise<void>): Connection {
  return { client: createClient({ baseUrl: url, ...token }), url, close };
}

function namesStore(input: Input): boolean {
  return input.text('data') !== undefined || input.text('store') !== undefined;
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : value;
}
