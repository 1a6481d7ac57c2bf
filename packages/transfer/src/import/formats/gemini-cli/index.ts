import { isPlainObject } from '@bough/core';
import { basename, dirname } from 'node:path';
import type { Fields } from '../../fields.ts';
import { textOrNull, timeOrNull } from '../../fields.ts';
import { InlineFiles } from '../sessions/inline-files.ts';
import type { SessionFile, SessionHead, SessionMessage, SessionProject, SessionReader } from '../sessions/session.ts';
import type { SessionThread } from '../sessions/session.ts';
import { titleFrom } from '../sessions/title.ts';
import { Chat } from './chat.ts';

/** Chats of Gemini CLI: lines of changes, or one value in older versions; and the checkpoints that a person saved. */
export const geminiCli: SessionReader = { format: 'gemini-cli', headOf, read };

function headOf(path: string, records: readonly Fields[]): SessionHead | null {
  const [first] = records;
  const session = textOrNull(first?.['sessionId']);
  if (session !== null && typeof first?.['projectHash'] === 'string') {
    const folder = basename(dirname(path));
    const isAgent = first['kind'] === 'subagent' && folder !== 'chats';
    return { session, parent: isAgent ? folder : null, root: null };
  }
  const name = basename(path);
  if (!/^checkpoint-.*\.json$/.test(name) || historyIn(records) === null) return null;
  return { session: `${basename(dirname(path))}/${name}`, parent: null, root: null };
}

/** A checkpoint is what would be sent: a list of contents. */
function historyIn(records: readonly Fields[]): readonly Fields[] | null {
  const [first] = records;
  const held = first?.['history'];
  const contents = Array.isArray(held) ? held.filter(isPlainObject) : records;
  return contents.length > 0 && contents.every(({ role, parts }) => typeof role === 'string' && Array.isArray(parts))
    ? contents
    : null;
}

function read(key: string, files: readonly SessionFile[], isRunning: boolean): SessionProject {
  const inline = new InlineFiles();
  const messages = new Map<string, SessionMessage>();
  const threads = new Map<string, SessionThread>();
  const leftOut: string[] = [];
  const isAgent = ({ records }: SessionFile): boolean => records[0]?.value['kind'] === 'subagent';
  const startOf = ({ records }: SessionFile): string => textOrNull(records[0]?.value['startTime']) ?? '';
  const ordered = files.toSorted(
    (a, b) => Number(isAgent(a)) - Number(isAgent(b)) || startOf(a).localeCompare(startOf(b), 'en'),
  );
  let createdAt: string | null = null;
  let title = '';
  let tip: string | null = null;
  for (const file of ordered) {
    const records = file.records.map(({ value }) => value);
    const session = textOrNull(records[0]?.['sessionId']) ?? key;
    const chat = new Chat(session, isAgent(file) ? `${session} ` : '', inline);
    const history = textOrNull(records[0]?.['sessionId']) === null ? historyIn(records) : null;
    if (history === null) for (const record of records) chat.add(record);
    else chat.recall(history);
    const made = chat.end(isRunning);
    for (const message of made.messages) addMessage(messages, message);
    leftOut.push(...made.leftOut, ...(file.isTorn ? ['unfinished last line'] : []));
    createdAt ??= timeOrNull(records[0]?.['startTime']);
    if (!isAgent(file)) title ||= titleIn(records);
    tip ??= made.tipKey;
    if (threads.has(session)) continue;
    threads.set(session, {
      key: session,
      session,
      name: null,
      kind: isAgent(file) ? 'aside' : 'main',
      besideKey: isAgent(file) ? tip : null,
      because: null,
      systemPrompt: null,
    });
  }
  return {
    format: 'gemini-cli',
    client: 'gemini-cli',
    key,
    title: title === '' ? titleFrom([...messages.values()]) : title,
    createdAt,
    messages: [...messages.values()],
    threads: [...threads.values()],
    files: inline.files,
    leftOut,
    problems: files.flatMap(({ problems }) => problems),
  };
}

/**
 * Going on with a chat begins another file, with the same messages or only the first of them. One of them may have been
 * written more of: its place is where it was said first.
 */
function addMessage(to: Map<string, SessionMessage>, message: SessionMessage): void {
  const there = to.get(message.key);
  if (there === undefined) to.set(message.key, message);
  else if (message.blocks.length > there.blocks.length)
    to.set(message.key, { ...message, parentKey: there.parentKey, threadKey: there.threadKey });
}

/** The client notes what a chat was about when it is over. */
function titleIn(records: readonly Fields[]): string {
  const heads = records.map((record) => (isPlainObject(record['$set']) ? record['$set'] : record));
  return textOrNull(heads.findLast(({ summary }) => summary !== undefined)?.['summary']) ?? '';
}
