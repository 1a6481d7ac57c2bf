import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ExitCode } from '../command.ts';
import { run } from '../run.ts';

export interface Ran {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
  readonly json: () => unknown;
}

export interface Place {
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly bough: (
    words: readonly string[],
    /** `onWrite` sees what is written to both. */
    more?: { input?: string | Readable; isInteractive?: boolean; onWrite?: (text: string) => void },
  ) => Promise<Ran>;
  /** Writes the configuration file of the data directory. */
  readonly configure: (file: unknown) => Promise<void>;
  /** `bough serve`, until it is stopped. */
  readonly serve: () => Promise<{ readonly url: string; readonly stop: () => Promise<ExitCode> }>;
  readonly dispose: () => Promise<void>;
}

/** The real program in a directory of its own: the file store, the simulator without pauses. */
export async function makePlace(more: Readonly<Record<string, string>> = {}): Promise<Place> {
  const dir = await mkdtemp(join(tmpdir(), 'bough-cli-'));
  const env = {
    BOUGH_STORE: 'files',
    BOUGH_DATA_DIR: join(dir, 'data'),
    BOUGH_SIMULATOR_PACE_MS: '0',
    BOUGH_GRACE_MS: '0',
    HOME: dir,
    ...more,
  };
  return {
    dir,
    env,
    bough: async (words, { input = '', isInteractive = false, onWrite } = {}) => {
      const out: string[] = [];
      const err: string[] = [];
      const code = await run(words, {
        env,
        cwd: dir,
        write: (text) => {
          out.push(text);
          onWrite?.(text);
        },
        warn: (text) => {
          err.push(text);
          onWrite?.(text);
        },
        input: typeof input === 'string' ? Readable.from([input]) : input,
        isInteractive,
        signal: new AbortController().signal,
      });
      const written = out.join('');
      return { code, out: written, err: err.join(''), json: () => JSON.parse(written) };
    },
    configure: async (file) => {
      await mkdir(env.BOUGH_DATA_DIR, { recursive: true, mode: 0o700 });
      await writeFile(join(env.BOUGH_DATA_DIR, 'bough.config.json'), JSON.stringify(file), { mode: 0o600 });
    },
    serve: () => startServing(env, dir),
    dispose: () => rm(dir, { recursive: true, force: true }),
  };
}

async function startServing(
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<{ readonly url: string; readonly stop: () => Promise<ExitCode> }> {
  const stop = new AbortController();
  let started: (url: string) => void = () => undefined;
  const url = new Promise<string>((resolve) => {
    started = resolve;
  });
  const ended = run(['serve', '--port', '0', '--json'], {
    env,
    cwd,
    write: (text) => {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null && 'url' in value) started(String(value.url));
    },
    warn: () => undefined,
    input: Readable.from([]),
    isInteractive: false,
    signal: stop.signal,
  });
  return {
    url: await Promise.race([url, ended.then((code) => Promise.reject(new Error(`serve ended with ${code}`)))]),
    stop: async () => {
      stop.abort();
      return ended;
    },
  };
}
