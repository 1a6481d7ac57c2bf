import { isPlainObject } from '@bough/core';
import { basename } from 'node:path';
import type { ImportProblem } from '../../conversation.ts';
import type { Fields } from '../../fields.ts';
import { textOrNull, timeOrNull } from '../../fields.ts';
import { InlineFiles } from '../sessions/inline-files.ts';
import type { SessionFile, SessionHead, SessionMessage, SessionProject, SessionReader } from '../sessions/session.ts';
import type { SessionThread } from '../sessions/session.ts';
import { titleFrom } from '../sessions/title.ts';
import { recordsIn } from './records.ts';
import { Rollout } from './rollout.ts';

/** Sessions of Codex: one rollout per thread, sub-agents and forks in files of their own. */
export const codex: SessionReader = { format: 'codex', headOf, read };

function headOf(_path: string, records: readonly Fields[]): SessionHead | null {
  const meta = metaIn(recordsIn(records));
  const session = textOrNull(meta?.['id']) ?? textOrNull(meta?.['session_id']);
  if (meta === null || session === null) return null;
  return { session, parent: textOrNull(meta['forked_from_id']) ?? startedBy(meta), root: null };
}

/** The first one counts: a fork may hold those of its ancestors after its own. */
function metaIn(records: readonly Fields[]): Fields | null {
  const found = records.find(({ type, payload }) => type === 'session_meta' && isPlainObject(payload));
  return found !== undefined && isPlainObject(found['payload']) ? found['payload'] : null;
}

/** The thread that started this one as a sub-agent. */
function startedBy(meta: Fields): string | null {
  const source = isPlainObject(meta['source']) ? meta['source'] : {};
  const agent = source['subagent'] ?? source['subAgent'];
  const spawn = isPlainObject(agent) ? agent['thread_spawn'] : null;
  const named = isPlainObject(spawn) ? textOrNull(spawn['parent_thread_id']) : null;
  // A review, for example, says it elsewhere.
  return named ?? (agent === undefined ? null : textOrNull(meta['parent_thread_id']));
}

function read(key: string, files: readonly SessionFile[], isRunning: boolean): SessionProject {
  const inline = new InlineFiles();
  const messages = new Map<string, SessionMessage>();
  const threads: SessionThread[] = [];
  const leftOut: string[] = [];
  const tips = new Map<string, string | null>();
  const histories = new Histories(files);
  const metas = new Map(files.map((file) => [file, metaIn(histories.ownOf(file)) ?? {}]));
  const isAside = (file: SessionFile): boolean => startedBy(metas.get(file) ?? {}) !== null;
  const started = (file: SessionFile): string => textOrNull(metas.get(file)?.['timestamp']) ?? '';
  const ordered = files.toSorted(
    (a, b) => Number(isAside(a)) - Number(isAside(b)) || (started(a) < started(b) ? -1 : 1),
  );
  for (const file of ordered) {
    const meta = metas.get(file) ?? {};
    const session = textOrNull(meta['id']) ?? key;
    const parent = startedBy(meta);
    const rollout = new Rollout(session, meta, inline);
    for (const record of histories.of(file, meta)) rollout.add(record);
    rollout.end(isRunning);
    // A fork begins with what it was forked from: the same words in the same order are the same messages.
    for (const message of rollout.messages) if (!messages.has(message.key)) messages.set(message.key, message);
    leftOut.push(...rollout.leftOut, ...(file.isTorn ? ['unfinished last line'] : []));
    tips.set(session, rollout.tip);
    const beside = parent === null ? null : (tips.get(parent) ?? null);
    threads.push(
      ...rollout.threads.map((thread) =>
        parent === null ? thread : { ...thread, kind: 'aside' as const, besideKey: beside },
      ),
    );
  }
  const [first] = ordered;
  const meta = (first === undefined ? undefined : metas.get(first)) ?? {};
  const version = textOrNull(meta['cli_version']);
  const all = [...messages.values()];
  return {
    format: 'codex',
    client: version === null ? 'codex' : `codex/${version}`,
    key,
    title: titleFrom(all),
    createdAt: timeOrNull(meta['timestamp']),
    messages: all,
    threads,
    files: inline.files,
    leftOut,
    problems: [...files.flatMap(({ problems }) => problems), ...histories.problems],
  };
}

/** Newer versions repeat nothing in a fork: its file says where in another one its beginning ends. */
class Histories {
  readonly problems: ImportProblem[] = [];
  readonly #files: readonly SessionFile[];
  readonly #own = new Map<SessionFile, readonly Fields[]>();

  constructor(files: readonly SessionFile[]) {
    this.#files = files;
  }

  ownOf(file: SessionFile): readonly Fields[] {
    const own = this.#own.get(file) ?? recordsIn(file.records.map(({ value }) => value));
    this.#own.set(file, own);
    return own;
  }

  /** Everything that was said in a thread, from its first beginning. */
  of(file: SessionFile, meta: Fields, after: readonly SessionFile[] = []): readonly Fields[] {
    const own = this.ownOf(file);
    const base = meta['history_base'];
    const id = isPlainObject(base) ? textOrNull(base['thread_id']) : null;
    if (!isPlainObject(base) || id === null) return own;
    const end = Number(base['end_ordinal_exclusive']);
    const before = this.#files.find((each) => rolloutOf(each) === id);
    if (before === undefined || before === file || after.includes(before)) {
      const where = basename(file.path);
      this.problems.push({ where, message: `It begins with a part of the thread ${id}, which is not there.` });
      return own;
    }
    const inherited = this.of(before, metaIn(this.ownOf(before)) ?? {}, [...after, file]);
    return [...inherited.filter(({ ordinal }) => typeof ordinal === 'number' && ordinal < end), ...own];
  }
}

/** Of `rollout-<time>-<thread>.jsonl`, or `…-<thread>_<rollout>.jsonl` where a thread went back in its own history. */
function rolloutOf({ path }: SessionFile): string | undefined {
  return /^rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-(?:[^_]*_)?([^_]+)\.jsonl$/.exec(basename(path))?.[1];
}
