import { BoughError, invocationOf } from '@bough/core';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Terminal } from '../terminal/index.ts';
import type { Environment, Place, Setup } from './client.ts';

/**
 * Runs a client with the person's own terminal, and returns its exit code; that of a client that a signal ended is 128
 * and its number, as in a shell. What was made for it is gone afterwards.
 */
export async function start(
  program: string,
  words: readonly string[],
  setupIn: (place: Place) => Setup,
  terminal: Terminal,
): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'bough-run-'));
  try {
    const setup = setupIn({
      env: terminal.env,
      fileExists: existsSync,
      readText,
      namesIn,
      directory,
      cwd: terminal.cwd,
    });
    await furnish(directory, setup);
    const env = withoutProxy({ ...terminal.env, ...setup.env });
    return await ended(program, [...setup.words, ...words], env, terminal);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function furnish(directory: string, { files = {}, folders = [], links = {} }: Setup): Promise<void> {
  for (const path of folders) await mkdir(path, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), content, { mode: 0o600 });
  }
  for (const [name, path] of Object.entries(links)) await symlink(path, join(directory, name));
}

/** What is no file for us says nothing: some have a folder called `.env`. */
function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function namesIn(path: string): readonly string[] {
  return existsSync(path) ? readdirSync(path) : [];
}

/** A proxy cannot reach this machine's own addresses. */
function withoutProxy(env: Environment): Environment {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
  if (names.every((name) => (env[name] ?? '') === '')) return env;
  const before = env['NO_PROXY'] ?? env['no_proxy'] ?? '';
  const own = [...(before === '' ? [] : [before]), '127.0.0.1', 'localhost', '::1'].join(',');
  return { ...env, NO_PROXY: own, no_proxy: own };
}

function ended(program: string, words: readonly string[], env: Environment, terminal: Terminal): Promise<number> {
  return new Promise((resolve, reject) => {
    const { command, args, ...how } = invocationOf(process.platform, program, words, env['ComSpec']);
    const child = spawn(command, args, { cwd: terminal.cwd, env, stdio: 'inherit', ...how });
    // The client decides what a signal means; Bough stays until it has ended.
    const release = terminal.takeSignals((signal) => {
      // A terminal sends Ctrl-C to the client itself: twice would mean something else to it.
      const isTold = signal === 'SIGINT' && 'isTTY' in terminal.input && terminal.input.isTTY === true;
      if (!isTold) child.kill(signal);
      return true;
    });
    child.once('error', (error: NodeJS.ErrnoException) => {
      release();
      reject(error.code === 'ENOENT' ? new NoProgramError(program) : error);
    });
    child.once('close', (code, signal) => {
      release();
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

class NoProgramError extends BoughError {
  constructor(program: string) {
    super('no_program', `There is no program "${program}". Install it, or name it with its path.`);
  }
}
