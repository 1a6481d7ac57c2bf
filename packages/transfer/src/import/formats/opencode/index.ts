import { isPlainObject } from '@bough/core';
import { textOrNull, timeOrNull } from '../../fields.ts';
import { InlineFiles } from '../sessions/inline-files.ts';
import type { SessionMessage, SessionProject, SessionThread } from '../sessions/session.ts';
import { titleFrom } from '../sessions/title.ts';
import { MessageReader } from './message.ts';
import type { OpencodeStore, StoredMessage, StoredSession } from './store.ts';

/** The conversations of a store, each with its sub-agents. */
export async function* readOpencode(store: OpencodeStore, isRunning: boolean): AsyncGenerator<SessionProject, void> {
  const sessions = await store.sessions();
  const byId = new Map(sessions.map((session) => [session.id, session]));
  const groups = new Map<string, StoredSession[]>();
  for (const session of sessions) {
    const root = rootOf(session, byId);
    groups.set(root, [...(groups.get(root) ?? []), session]);
  }
  let told = 0;
  for (const [key, group] of groups) {
    const project = await projectOf(store, key, group, isRunning);
    // What was wrong with the list of sessions is told with the first of them.
    yield { ...project, problems: store.problems.slice(told) };
    told = store.problems.length;
  }
}

function rootOf(session: StoredSession, byId: ReadonlyMap<string, StoredSession>): string {
  const seen = new Set<string>();
  let at = session;
  while (at.parent !== null && !seen.has(at.id)) {
    seen.add(at.id);
    const parent = byId.get(at.parent);
    if (parent === undefined) return at.parent;
    at = parent;
  }
  return at.id;
}

async function projectOf(
  store: OpencodeStore,
  key: string,
  group: readonly StoredSession[],
  isRunning: boolean,
): Promise<Omit<SessionProject, 'problems'>> {
  const inline = new InlineFiles();
  const reader = new MessageReader(inline);
  const messages: SessionMessage[] = [];
  const threads: SessionThread[] = [];
  const tips = new Map<string, string | null>();
  for (const session of group) {
    const line = new Line(session, tips.get(session.parent ?? '') ?? null);
    for (const stored of await store.messages(session.id)) {
      if (isRunning && isUnfinished(stored)) {
        reader.leftOut.push('unfinished reply');
        break;
      }
      line.add(stored, reader, messages);
    }
    threads.push(...line.threads());
    tips.set(session.id, line.tip);
  }
  const [first] = group;
  return {
    format: 'opencode',
    client: first?.version == null ? 'opencode' : `opencode/${first.version}`,
    key,
    title: first === undefined || first.title === '' ? titleFrom(messages) : first.title,
    createdAt: timeOrNull(first?.created ?? null),
    messages,
    threads,
    files: inline.files,
    leftOut: reader.leftOut,
  };
}

/** Parts of a reply, and results of its calls, are written while it goes on. */
function isUnfinished({ value }: StoredMessage): boolean {
  const time = isPlainObject(value['time']) ? value['time'] : {};
  return value['role'] === 'assistant' && time['completed'] === undefined;
}

/** The messages of one session in their order; a compaction begins a new line. */
class Line {
  readonly #session: StoredSession;
  readonly #isAside: boolean;
  readonly #done: SessionThread[] = [];
  #tip: string | null = null;
  #compaction: string | null = null;
  #beside: string | null;

  constructor(session: StoredSession, besideKey: string | null) {
    this.#session = session;
    this.#isAside = session.parent !== null;
    this.#beside = besideKey;
  }

  add(stored: StoredMessage, reader: MessageReader, messages: SessionMessage[]): void {
    // What the model is given from here on begins with the request for a summary, and the summary.
    if (stored.parts.some(({ value }) => value['type'] === 'compaction') && this.#tip !== null) {
      this.#close();
      this.#beside = this.#tip;
      this.#compaction = stored.id;
      this.#tip = null;
    }
    for (const message of reader.read(stored)) {
      messages.push({ ...message, parentKey: this.#tip, threadKey: this.#key() });
      this.#tip = message.key;
    }
  }

  threads(): readonly SessionThread[] {
    this.#close();
    return this.#done;
  }

  get tip(): string | null {
    return this.#tip;
  }

  #key(): string {
    return this.#compaction === null ? this.#session.id : `${this.#session.id} ${this.#compaction}`;
  }

  #close(): void {
    if (this.#tip === null) return;
    const { id } = this.#session;
    this.#done.push({
      key: this.#key(),
      session: id,
      name: this.#compaction === null ? (this.#isAside ? textOrNull(this.#session.title) : null) : 'compacted',
      kind: this.#isAside ? 'aside' : 'main',
      besideKey: this.#beside,
      because: this.#compaction === null ? null : 'compacted',
      systemPrompt: null,
    });
  }
}
