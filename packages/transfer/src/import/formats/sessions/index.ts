import type { Fields } from '../../fields.ts';
import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import type { Brought } from '../../files/bring.ts';
import type { HeldFiles } from '../../files/held-files.ts';
import type { ForeignConversation } from '../../conversation.ts';
import type { Found } from '../../found.ts';
import { iterate } from '../../found.ts';
import { heldOf } from '../../lanes.ts';
import { readOpencode } from '../opencode/index.ts';
import { findOpencode, openOpencode } from '../opencode/store.ts';
import { SessionFinder, sessionPaths } from './find.ts';
import { heldInline } from './inline-files.ts';
import { readSessionFile } from './lines.ts';
import type { SessionTarget } from './records.ts';
import { recordsOfSession } from './records.ts';
import type { SessionProject } from './session.ts';

export interface SessionsInput extends SessionTarget {
  readonly bringer: (held: HeldFiles | null) => (conversation: ForeignConversation) => Promise<Brought>;
  readonly onBytes: (bytes: number) => void;
  readonly temporaryDir: string | undefined;
  readonly maxBytes: number | undefined;
}

/** Which sessions have changed since they were read last. */
export type Changed = (paths: readonly string[]) => Promise<'no' | 'running' | 'yes'>;

/** Reads the sessions that agents left at a path, again and again if somebody follows them. */
export class Sessions {
  readonly #path: string;
  readonly #finder = new SessionFinder();
  #opencode: 'database' | 'files' | null | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Whether there are any. */
  async areThere(): Promise<boolean> {
    this.#opencode ??= await findOpencode(this.#path);
    return this.#opencode !== null || (await this.#finder.find(this.#path)).length > 0;
  }

  /** What lies beside them and is none, by kind. */
  leftOut(): readonly string[] {
    return this.#finder.leftOut();
  }

  async *read(input: SessionsInput, changed: Changed = () => Promise.resolve('yes')): AsyncGenerator<Found, void> {
    this.#opencode ??= await findOpencode(this.#path);
    if (this.#opencode !== null) return yield* this.#readOpencode(input, changed);
    let bytes = 0;
    for (const { reader, key, paths } of await this.#finder.find(this.#path)) {
      const state = await changed(paths);
      if (state === 'no') continue;
      const wants = reader.wants ?? ((_record: Fields) => true);
      const files = [];
      for (const path of paths)
        files.push(await readSessionFile(path, wants, (more) => input.onBytes((bytes += more))));
      yield* foundIn(reader.read(key, files, state === 'running'), input);
    }
  }

  async *#readOpencode(input: SessionsInput, changed: Changed): AsyncGenerator<Found, void> {
    const names = ['opencode.db', 'opencode.db-wal'].map((name) => `${this.#path}/${name}`);
    const watched = this.#opencode === 'files' ? await sessionPaths(this.#path) : names;
    const state = await changed([this.#path, `${this.#path}-wal`, ...watched]);
    if (state === 'no') return;
    const store = await openOpencode(this.#path, input);
    if (store === null) return;
    try {
      for await (const project of readOpencode(store, state === 'running')) yield* foundIn(project, input);
    } finally {
      await store.close();
    }
  }
}

/** Where nobody said anything there is no conversation, but what was seen instead is told. */
async function* foundIn(session: SessionProject, input: SessionsInput): AsyncGenerator<Found, void> {
  if (session.messages.length > 0) return yield await foundOf(session, input);
  for (const problem of session.problems) yield { type: 'problem', problem, isLenient: true };
  if (session.leftOut.length > 0) yield { type: 'leftOut', kinds: session.leftOut };
}

async function foundOf(session: SessionProject, input: SessionsInput): Promise<Found> {
  const { format, title } = session;
  const brought = await input.bringer(heldInline(session.files))({ ...session, tipKey: null });
  const blocks = new Map(brought.conversation.messages.map((message) => [message.key, message.blocks]));
  const messages = session.messages.map((message) => ({ ...message, blocks: blocks.get(message.key) ?? [] }));
  const { records, goesBack, stays } = recordsOfSession({ ...session, messages }, input);
  return {
    type: 'project',
    format,
    title,
    records: iterate(records),
    held: heldOf(records),
    leftOut: brought.conversation.leftOut,
    problems: session.problems,
    isLenient: true,
    attached: brought.files,
    missing: brought.missing,
    reasoning: { goesBack, stays },
  };
}

/** What files look like from outside: who wrote to them changed it. */
export async function markOf(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of paths) {
    const found = await lstat(path).catch(() => null);
    hash.update(`${path} ${found?.size} ${found?.mtimeMs}\n`);
  }
  return hash.digest('hex');
}
