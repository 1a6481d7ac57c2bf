import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readlink, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';

const PACKAGES = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/** The two programs that people start. */
export const ENTRIES = {
  server: [join(PACKAGES, 'server', 'dist', 'main.js')],
  'bough serve': [join(PACKAGES, 'cli', 'dist', 'bough.mjs'), 'serve'],
} as const;

export interface Place {
  /** The working directory, which holds everything else in the test too. */
  readonly dir: string;
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Directories for one test. A process that still works in them at its end is a failure of the program, and is killed.
 */
export async function makePlace(file?: unknown): Promise<Place> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'bough-entry-')));
  const dataDir = join(dir, 'data');
  onTestFinished(async () => {
    for (const pid of await processesIn(dir)) process.kill(pid, 'SIGKILL');
    await rm(dir, { recursive: true, force: true });
  });
  await mkdir(dataDir, { mode: 0o700 });
  if (file !== undefined) await writeFile(join(dataDir, 'bough.config.json'), JSON.stringify(file), { mode: 0o600 });
  return {
    dir,
    dataDir,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: dir,
      PORT: '0',
      BOUGH_STORE: 'files',
      BOUGH_DATA_DIR: dataDir,
      BOUGH_GRACE_MS: '0',
      BOUGH_SIMULATOR_PACE_MS: '0',
    },
  };
}

export interface Entry {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  /** Resolves when standard output matches this. */
  readonly said: (expected: RegExp) => Promise<void>;
  /** The exit code, or the name of the signal that ended it. */
  readonly ended: Promise<number | string>;
}

/** Node with these arguments, as a process that works in the test's directory. */
export function startEntry({ dir, env }: Place, words: readonly string[], more: Record<string, string> = {}): Entry {
  const program = words.find((word) => /\.m?js$/.test(word)) ?? '';
  if (!existsSync(program)) throw new Error(`${program} is not built. Run \`npm run build\` first; \`npm test\` does.`);
  const child = spawn(process.execPath, [...words], {
    cwd: dir,
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (err += chunk));
  const ended = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
  return {
    child,
    out: () => out,
    err: () => err,
    said: async (expected) => {
      await vi.waitFor(
        () => {
          if (!expected.test(out)) throw new Error(`${expected} was not said: ${out}\n${err}`);
        },
        { timeout: 60_000, interval: 10 },
      );
    },
    ended,
  };
}

/** Every process that works in a directory or below it: a server, its PostgreSQL, its tool servers. */
export async function processesIn(directory: string): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const cwd = await readlink(join('/proc', pid, 'cwd')).catch(() => '');
      return cwd === directory || cwd.startsWith(`${directory}/`) ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}
