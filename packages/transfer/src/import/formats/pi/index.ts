import { isPlainObject } from '@bough/core';
import { basename } from 'node:path';
import type { Fields } from '../../fields.ts';
import { textOrNull, timeOrNull } from '../../fields.ts';
import { InlineFiles } from '../sessions/inline-files.ts';
import type { SessionFile, SessionHead, SessionMessage, SessionProject, SessionReader } from '../sessions/session.ts';
import type { SessionThread } from '../sessions/session.ts';
import { titleFrom } from '../sessions/title.ts';
import { EntryTree } from './tree.ts';

/** Sessions of pi: a tree of entries per file; a fork is another file, which begins with copies. */
export const pi: SessionReader = { format: 'pi', headOf, read };

function headOf(_path: string, records: readonly Fields[]): SessionHead | null {
  const [first] = records;
  const session = textOrNull(first?.['id']);
  if (first?.['type'] !== 'session' || session === null) return null;
  // The second name is that of the first version.
  const parent = textOrNull(first['parentSession']) ?? textOrNull(first['branchedFrom']);
  // `<time>_<id>.jsonl`
  const id = parent === null ? null : /_([^_/]+)\.jsonl$/.exec(basename(parent))?.[1];
  return { session, parent: id ?? null, root: null };
}

function read(key: string, files: readonly SessionFile[]): SessionProject {
  const inline = new InlineFiles();
  const messages = new Map<string, SessionMessage>();
  const threads: SessionThread[] = [];
  const leftOut: string[] = [];
  let title: string | null = null;
  const ordered = files.toSorted((a, b) => timeOf(a).localeCompare(timeOf(b)));
  for (const file of ordered) {
    const session = textOrNull(file.records[0]?.value['id']) ?? key;
    const tree = new EntryTree(session, inline);
    for (const { value } of file.records.slice(1)) tree.add(value);
    for (const message of tree.messages) if (!messages.has(message.key)) messages.set(message.key, message);
    threads.push(...tree.threads());
    leftOut.push(...tree.leftOut, ...(file.isTorn ? ['unfinished last line'] : []));
    title ??= tree.title;
  }
  const all = [...messages.values()];
  const header = ordered[0]?.records[0]?.value;
  return {
    format: 'pi',
    client: 'pi',
    key,
    title: title ?? titleFrom(all),
    createdAt: isPlainObject(header) ? timeOrNull(header['timestamp']) : null,
    messages: all,
    threads,
    files: inline.files,
    leftOut,
    problems: files.flatMap(({ problems }) => problems),
  };
}

const timeOf = ({ records }: SessionFile): string => textOrNull(records[0]?.value['timestamp']) ?? '';
