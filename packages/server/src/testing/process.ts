import type { Client } from '@bough/api';
import { createClient } from '@bough/api';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface ServerProcess {
  readonly url: string;
  readonly client: Client;
  /** `kill -9`: no graceful stop. Resolves when the process is gone. */
  readonly kill: () => Promise<void>;
  readonly terminate: () => Promise<number | null>;
  /** Resolves when the process is gone, whoever ended it. */
  readonly ended: Promise<number | null>;
  /** Stops (`SIGSTOP`) until it is thawed (`SIGCONT`). */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** The end of its log. */
  readonly complained: () => string;
}

const MAIN = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'dist', 'main.js');
const LOG_KEPT = 100_000;

/** The built program as a process of its own, as a person starts it. */
export async function spawnServer(env: Readonly<Record<string, string>>): Promise<ServerProcess> {
  if (!existsSync(MAIN)) throw new Error('The program is not built. Run `npm run build` first; `npm test` does.');
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env['PATH'] ?? '', HOME: env['BOUGH_DATA_DIR'] ?? '', PORT: '0', BOUGH_GRACE_MS: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  let complained = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (complained = (complained + chunk).slice(-LOG_KEPT)));
  const url = await addressOf(child, () => complained);
  const stop = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return ended;
  };
  return {
    url,
    client: createClient({ baseUrl: url }),
    kill: async () => {
      await stop('SIGKILL');
    },
    terminate: () => stop('SIGTERM'),
    ended,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    complained: () => complained,
  };
}

async function addressOf(child: ChildProcess, complained: () => string): Promise<string> {
  let said = '';
  return new Promise((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
      const found = /running at (\S+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) =>
      reject(new Error(`The program ended with ${code} before it was ready: ${complained().slice(-4000)}`)),
    );
  });
}
