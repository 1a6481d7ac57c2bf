import type { Client } from '@bough/api';
import { createClient } from '@bough/api';
import type { Program } from '@bough/server';
import { createLog, readConfig, startProgram } from '@bough/server';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The page as `npm run build` left it, unless another build is named. */
const WEB_DIR = process.env['BOUGH_WEB_DIR'] ?? fileURLToPath(new URL('../../dist', import.meta.url));

export interface TestServer {
  readonly url: string;
  readonly client: Client;
  /** Stops the program and keeps its data: connected clients lose their connection. */
  readonly stop: () => Promise<void>;
  /** Starts again on the same port and the same data. */
  readonly start: () => Promise<void>;
  readonly dispose: () => Promise<void>;
}

/**
 * The real program with the built page and the simulated provider, which does not pause unless a message asks for it.
 */
export async function startServer(file: unknown = {}, token?: string, webDir = WEB_DIR): Promise<TestServer> {
  if (!existsSync(join(webDir, 'index.html')))
    throw new Error('The page is not built: packages/web/dist is missing. Run `npm run build` first.');
  const dataDir = await mkdtemp(join(tmpdir(), 'bough-web-'));
  await writeFile(join(dataDir, 'bough.config.json'), JSON.stringify(file), { mode: 0o600 });
  const run = async (port: string): Promise<Program> => {
    const env = {
      PORT: port,
      BOUGH_STORE: 'files',
      BOUGH_DATA_DIR: dataDir,
      BOUGH_WEB_DIR: webDir,
      BOUGH_SIMULATOR_PACE_MS: '0',
      BOUGH_GRACE_MS: '0',
      ...(token === undefined ? {} : { BOUGH_TOKEN: token }),
    };
    const silent = createLog(
      () => undefined,
      () => new Date(),
    );
    return startProgram(readConfig(env, dataDir), env, silent);
  };
  let program: Program | null = await run('0');
  const { url } = program;
  const stop = async (): Promise<void> => {
    await program?.stop();
    program = null;
  };
  return {
    url,
    client: createClient({ baseUrl: url, ...(token === undefined ? {} : { token }) }),
    stop,
    start: async () => {
      program = await run(new URL(url).port);
    },
    dispose: async () => {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
