import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { devNull } from 'node:os';
import { StoreError } from '../../errors.ts';

/** `update-ref --stdin` speaks of transactions since this version. */
const OLDEST_GIT = [2, 27] as const;

const ADVICE =
  'Install git 2.27 or newer and make sure that it is on the PATH, or set BOUGH_STORE to postgres or files: only the git store needs it.';

/**
 * The environment of every git process. Without this, a `GIT_DIR` of the caller would redirect writes to another repository, and
 * a user's or a system's configuration (signing, templates, another ref format) would change what is written.
 */
function gitEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  return {
    ...Object.fromEntries(inherited),
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Bough',
    GIT_AUTHOR_EMAIL: 'bough@localhost',
    GIT_COMMITTER_NAME: 'Bough',
    GIT_COMMITTER_EMAIL: 'bough@localhost',
  };
}

const SETTINGS = [
  // Hooks of a repository that came from elsewhere must not run.
  `core.hooksPath=${devNull}`,
  // A ref is on the disk before its move is acknowledged.
  'core.fsync=reference',
  // Somebody's `git gc` holds a ref for a moment: that is no reason to fail.
  'core.filesRefLockTimeout=2000',
  'gc.auto=0',
].flatMap((setting) => ['-c', setting]);

export function spawnGit(gitDir: string, args: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn('git', ['--git-dir', gitDir, ...SETTINGS, ...args], { env: gitEnvironment(), stdio: 'pipe' });
}

/** Runs one git command to its end and gives its output. */
export async function runGit(gitDir: string, args: readonly string[], input = ''): Promise<string> {
  const child = spawnGit(gitDir, args);
  const { code, stdout, stderr } = await outcomeOf(child, input);
  if (code === 0) return stdout;
  throw new StoreError('git_failed', gitDir, `git ${args[0] ?? ''} failed in ${gitDir}: ${stderr.trim()}`);
}

/** Fails with the way out where git is absent or too old. */
export async function requireGit(): Promise<void> {
  const child = spawn('git', ['--version'], { env: gitEnvironment(), stdio: 'pipe' });
  const { code, stdout } = await outcomeOf(child, '');
  const version = /(\d+)\.(\d+)/.exec(stdout);
  if (code !== 0 || version === null) throw new StoreError('git_missing', 'git', `git does not answer. ${ADVICE}`);
  const [major, minor] = [Number(version[1]), Number(version[2])];
  if (major < OLDEST_GIT[0] || (major === OLDEST_GIT[0] && minor < OLDEST_GIT[1])) {
    throw new StoreError('git_too_old', 'git', `This is ${stdout.trim()}, which is too old. ${ADVICE}`);
  }
}

/** What a failure to start means, in words that help. */
export function startFailure(cause: NodeJS.ErrnoException): StoreError {
  return cause.code === 'ENOENT'
    ? new StoreError('git_missing', 'git', `git was not found. ${ADVICE}`, { cause })
    : new StoreError('git_failed', 'git', `git could not be started: ${cause.message}`, { cause });
}

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function outcomeOf(child: ChildProcessWithoutNullStreams, input: string): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.on('error', (error) => reject(startFailure(error)));
    child.on('close', (code) =>
      resolve({ code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }),
    );
    // A git that ends before it has read its input is reported by its exit code, not by the broken pipe.
    child.stdin.on('error', () => child.stdin.destroy());
    child.stdin.end(input);
  });
}
