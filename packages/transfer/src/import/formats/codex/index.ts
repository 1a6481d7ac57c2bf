import { isPlainObject } from '@bough/core';
import type { Fields } from '../../fields.ts';
import { textOrNull, timeOrNull } from '../../fields.ts';
import { InlineFiles } from '../sessions/inline-files.ts';
import type { SessionFile, SessionHead, SessionMessage, SessionProject, SessionReader } from '../sessions/session.ts';
import type { SessionThread } from '../sessions/session.ts';
import { titleFrom } from '../sessions/title.ts';
import { Rollout } from './rollout.ts';

/** Sessions of Codex: one rollout per thread, sub-agents and forks in files of their own. */
export const codex: SessionReader = { format: 'codex', headOf, read };

function headOf(_path: string, records: readonly Fields[]): SessionHead | null {
  const meta = metaIn(records);
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
  return isPlainObject(spawn) ? textOrNull(spawn['parent_thread_id']) : null;
}

function read(key: string, files: readonly SessionFile[], isRunning: boolean): SessionProject {
  const inline = new InlineFiles();
  const messages = new Map<string, SessionMessage>();
  const threads: SessionThread[] = [];
  const leftOut: string[] = [];
  const tips = new Map<string, string | null>();
  const metas = new Map(files.map((file) => [file, metaIn(file.records.map(({ value }) => value)) ?? {}]));
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
    for (const { value } of file.records) rollout.add(value);
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
    problems: files.flatMap(({ problems }) => problems),
  };
}
