import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { StoreError } from '../../errors.ts';
import { type GitPlace, spawnGit, startFailure } from './run.ts';

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag';

export interface GitObject {
  readonly oid: string;
  readonly type: ObjectType;
  readonly content: Buffer;
}

export interface ObjectReader {
  /** Null where there is no such object. */
  readonly read: (oid: string) => Promise<GitObject | null>;
  /** Whether a read would have to start the process first. */
  readonly isResting: () => boolean;
  /** Stops the process; the next read starts another. */
  readonly close: () => Promise<void>;
}

interface Request {
  readonly name: string;
  readonly resolve: (object: GitObject | null) => void;
  readonly reject: (error: Error) => void;
}

/** A foreign repository may hold an object of a few kilobytes that unpacks to more than the machine's memory. */
export const MOST_BYTES = 512 * 1024 * 1024;

/** Reads objects through one long-lived `git cat-file --batch`. Requests are pipelined: none waits for a round trip. */
export function createObjectReader(place: GitPlace, mostBytes = MOST_BYTES): ObjectReader {
  let session: Session | null = null;

  const send = (requests: readonly Request[]): void => {
    if (requests.length === 0) return;
    session ??= startSession(place, mostBytes, (ended, unanswered, complaint) => {
      if (session === ended) session = null;
      // git exits at an object that it cannot read: the first unanswered request is to blame, the others are sent
      // again.
      const [culprit, ...others] = unanswered;
      culprit?.reject(complaint instanceof StoreError ? complaint : unreadable(place.gitDir, culprit.name, complaint));
      send(others);
    });
    for (const request of requests) session.ask(request);
  };

  return {
    read: (name) => new Promise((resolve, reject) => send([{ name, resolve, reject }])),
    isResting: () => session === null,
    close: async () => {
      const ending = session;
      session = null;
      await ending?.end();
    },
  };
}

function unreadable(gitDir: string, name: string, complaint: string): StoreError {
  return new StoreError(
    'corrupt_object',
    `${gitDir} ${name}`,
    `The object ${name} in ${gitDir} cannot be read (${complaint}). Run "git fsck" there, and restore the object from a clone or a backup.`,
  );
}

interface Session {
  readonly ask: (request: Request) => void;
  readonly end: () => Promise<void>;
}

function tooLarge(gitDir: string, name: string, size: number): StoreError {
  return new StoreError(
    'corrupt_object',
    `${gitDir} ${name}`,
    `The object ${name} in ${gitDir} has ${size} bytes, which is more than Bough reads. It cannot be part of a conversation.`,
  );
}

function startSession(
  place: GitPlace,
  mostBytes: number,
  died: (session: Session, unanswered: readonly Request[], complaint: string | StoreError) => void,
): Session {
  const child = spawnGit(place, ['cat-file', '--batch']);
  const waiting: Request[] = [];
  let ended = false;
  let stderr = '';
  let failure: StoreError | null = null;
  const closed = new Promise<void>((resolve) => {
    const finish = (): void => {
      if (!ended) died(session, waiting.splice(0), failure ?? (stderr.trim().split('\n').at(-1) || 'git ended'));
      ended = true;
      resolve();
    };
    child.once('close', finish);
    child.once('error', (error) => {
      failure = startFailure(error);
      finish();
    });
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-2000);
  });
  child.stdin.on('error', () => child.stdin.destroy());
  readReplies(
    child,
    (reply) => waiting.shift()?.resolve(reply),
    (size) => {
      if (size <= mostBytes) return true;
      failure ??= tooLarge(place.gitDir, waiting[0]?.name ?? '', size);
      // Killed rather than read to the end: git would unpack all of it.
      child.kill('SIGKILL');
      return false;
    },
  );
  const session: Session = {
    ask: (request) => {
      waiting.push(request);
      child.stdin.write(`${request.name}\n`);
    },
    // Earlier requests are still answered: git reads its input to the end.
    end: async () => {
      child.stdin.end();
      await closed;
    },
  };
  return session;
}

/**
 * Cuts git's output into replies: a line `<oid> <type> <size>`, the content, a newline; or `<name> missing`. Stops when
 * `accepts` returns false.
 */
function readReplies(
  child: ChildProcessWithoutNullStreams,
  answer: (reply: GitObject | null) => void,
  accepts: (size: number) => boolean,
): void {
  let chunks: Buffer[] = [];
  let available = 0;
  // The number of bytes needed before another look makes sense: a large object is joined once, not at every chunk.
  let needed = 1;

  const parse = (): void => {
    let buffer = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
    needed = 1;
    while (buffer.length > 0) {
      const lineEnd = buffer.indexOf(0x0a);
      if (lineEnd < 0) {
        needed = buffer.length + 1;
        break;
      }
      const [oid = '', type = '', size = ''] = buffer.toString('utf8', 0, lineEnd).split(' ');
      if (!/^\d+$/.test(size)) {
        answer(null);
        buffer = buffer.subarray(lineEnd + 1);
        continue;
      }
      if (!accepts(Number(size))) {
        chunks = [];
        needed = Number.POSITIVE_INFINITY;
        return;
      }
      const end = lineEnd + 1 + Number(size);
      if (buffer.length <= end) {
        needed = end + 1;
        break;
      }
      // A copy: a view would keep the whole read buffer alive for as long as the object is cached.
      answer({ oid, type: type as ObjectType, content: Buffer.from(buffer.subarray(lineEnd + 1, end)) });
      buffer = buffer.subarray(end + 1);
    }
    chunks = buffer.length > 0 ? [buffer] : [];
    available = buffer.length;
  };

  child.stdout.on('data', (chunk: Buffer) => {
    if (needed === Number.POSITIVE_INFINITY) return;
    chunks.push(chunk);
    available += chunk.length;
    if (available >= needed) parse();
  });
}
