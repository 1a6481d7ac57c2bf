import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { StoreError } from '../../errors.ts';
import { spawnGit, startFailure } from './run.ts';

/** One ref's move. `null` means that the ref does not exist, before or after. */
export interface RefMove {
  readonly ref: string;
  readonly from: string | null;
  readonly to: string | null;
}

const NO_OBJECT = '0'.repeat(40);

/** Refs did not stand where they were expected, or could not be locked. Nothing was moved. */
export class RefsMovedError extends StoreError {
  constructor(gitDir: string, detail: string) {
    super('refs_moved', gitDir, `git did not move the refs in ${gitDir}: ${detail}`);
  }
}

export interface RefWriter {
  /** Compare and set, all or nothing; one transaction at a time. Moves happen in the order given, deletions last. */
  readonly move: (moves: readonly RefMove[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Moves refs through one `git update-ref --stdin` that stays alive between transactions. `started` is told each new process id
 * before it can lock anything, so that whoever opens the repository after a crash knows whom to wait for.
 */
export function createRefWriter(gitDir: string, started: (pid: number) => void): RefWriter {
  let session: Session | null = null;
  let last: Promise<void> = Promise.resolve();

  const run = async (moves: readonly RefMove[]): Promise<void> => {
    // A git that somebody ended while it was idle has not failed at anything.
    if (session?.hasEnded() === true) session = null;
    session ??= startSession(gitDir, started);
    const current = session;
    try {
      await current.transact(moves);
    } catch (error) {
      // git ends the process when a transaction fails.
      session = null;
      await current.end();
      throw error;
    }
  };

  return {
    move: (moves) => {
      const result = last.then(() => run(moves));
      last = result.catch(() => undefined);
      return result;
    },
    close: async () => {
      await last;
      await session?.end();
      session = null;
    },
  };
}

interface Session {
  readonly transact: (moves: readonly RefMove[]) => Promise<void>;
  readonly hasEnded: () => boolean;
  readonly end: () => Promise<void>;
}

function startSession(gitDir: string, started: (pid: number) => void): Session {
  const child = spawnGit(gitDir, ['update-ref', '--stdin']);
  if (child.pid !== undefined) started(child.pid);
  const answers = answersOf(child);
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  return {
    transact: async (moves) => {
      child.stdin.write(`start\n${moves.map(commandOf).join('')}prepare\ncommit\n`);
      for (const expected of ['start: ok', 'prepare: ok', 'commit: ok']) {
        const answer = await answers.next();
        if (answer !== expected)
          throw answer instanceof Error ? answer : new RefsMovedError(gitDir, answers.complaint());
      }
    },
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    end: async () => {
      child.stdin.end();
      await closed;
    },
  };
}

function commandOf({ ref, from, to }: RefMove): string {
  return to === null ? `delete ${ref} ${from ?? NO_OBJECT}\n` : `update ${ref} ${to} ${from ?? NO_OBJECT}\n`;
}

/** The lines that git answers, in order; null once it has ended, an error where it could not be started. */
function answersOf(child: ChildProcessWithoutNullStreams) {
  const lines: (string | Error | null)[] = [];
  let waiting: (() => void) | null = null;
  let partial = '';
  let stderr = '';
  const push = (...added: (string | Error | null)[]): void => {
    lines.push(...added);
    waiting?.();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (partial + text).split('\n');
    partial = parts.pop() ?? '';
    push(...parts);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-2000);
  });
  child.once('error', (error) => push(startFailure(error)));
  child.once('close', () => push(null));
  child.stdin.on('error', () => child.stdin.destroy());
  return {
    next: async (): Promise<string | Error | null> => {
      while (lines.length === 0) {
        await new Promise<void>((resolve) => {
          waiting = resolve;
        });
        waiting = null;
      }
      return lines.shift() ?? null;
    },
    complaint: () => stderr.trim() || 'git ended without saying why.',
  };
}
