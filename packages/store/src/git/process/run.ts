import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { StoreError } from '../../errors.ts';

const OLDEST_GIT = [2, 27] as const;

const ADVICE =
  'Install git 2.27 or newer and make sure that it is on the PATH, or set BOUGH_STORE to postgres or files: only the git store needs it.';

/** What git works with: the objects of a repository, in a directory of Bough's own (`own-directory.ts`). */
export interface GitPlace {
  readonly gitDir: string;
  readonly own: string;
}

/** Without these a program does not start on Windows. */
const NEEDED = ['PATH', 'SystemRoot'];

/**
 * The whole environment of every git process. Bough's own holds keys and tokens, which are nobody else's business, and
 * variables that would redirect git to another repository.
 */
function gitEnvironment(home: string): NodeJS.ProcessEnv {
  const needed = NEEDED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return {
    ...Object.fromEntries(needed),
    HOME: home,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: devNull,
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_TERMINAL_PROMPT: '0',
  };
}

const SETTINGS = [
  `core.hooksPath=${devNull}`,
  'protocol.allow=never',
  // What a repository says about its commits outside the commits themselves may be wrong, and packing must not drop
  // anything because of it.
  'core.commitGraph=false',
  'gc.auto=0',
].flatMap((setting) => ['-c', setting]);

export function spawnGit({ gitDir, own }: GitPlace, args: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn('git', ['--git-dir', own, ...SETTINGS, ...args], {
    cwd: own,
    env: { ...gitEnvironment(own), GIT_OBJECT_DIRECTORY: join(gitDir, 'objects') },
    stdio: 'pipe',
  });
}

/** Runs one git command to its end and returns its output. */
export async function runGit(place: GitPlace, args: readonly string[], input = ''): Promise<string> {
  const child = spawnGit(place, args);
  const { code, stdout, stderr } = await outcomeOf(child, input);
  if (code === 0) return stdout;
  const { gitDir } = place;
  throw new StoreError('git_failed', gitDir, `git ${args[0] ?? ''} failed in ${gitDir}: ${stderr.trim()}`);
}

/** Where git is absent or too old, fails with what to do. */
export async function requireGit(): Promise<void> {
  const child = spawn('git', ['--version'], { env: gitEnvironment(devNull), stdio: 'pipe' });
  const { code, stdout } = await outcomeOf(child, '');
  const version = /(\d+)\.(\d+)/.exec(stdout);
  if (code !== 0 || version === null) throw new StoreError('git_missing', 'git', `git does not answer. ${ADVICE}`);
  const [major, minor] = [Number(version[1]), Number(version[2])];
  if (major < OLDEST_GIT[0] || (major === OLDEST_GIT[0] && minor < OLDEST_GIT[1])) {
    throw new StoreError('git_too_old', 'git', `This is ${stdout.trim()}, which is too old. ${ADVICE}`);
  }
}

/** What a failure to start means, in terms that help the user. */
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
