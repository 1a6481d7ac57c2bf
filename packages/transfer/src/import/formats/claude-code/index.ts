import { isPlainObject } from '@bough/core';
import type { Fields } from '../../fields.ts';
import { textOrNull, timeOrNull } from '../../fields.ts';
import type { SessionFile, SessionHead, SessionProject, SessionReader, SessionThread } from '../sessions/session.ts';
import { titleFrom } from '../sessions/title.ts';
import { SessionTree } from './tree.ts';

/** Bookkeeping of the client: what it asked word for word, which is said by the other records as well. */
const UNUSED: ReadonlySet<unknown> = new Set([
  'api-request',
  'api-request-blob',
  'api-request-shape',
  'atis-latch',
  'cost-state',
  'file-history-snapshot',
  'last-prompt',
  'mode',
  'progress-state',
  'queue-operation',
  'tools-used',
]);

/** Sessions of Claude Code: one file each, beside it those of its sub-agents. */
export const claudeCode: SessionReader = {
  format: 'claude-code',
  headOf,
  wants: (record) => !UNUSED.has(record['type']),
  read,
};

/** Records of a conversation form a tree by their ids. A session that was forked or resumed begins with copies. */
function headOf(_path: string, records: readonly Fields[]): SessionHead | null {
  const first = records.find((record) => typeof record['uuid'] === 'string' && 'parentUuid' in record);
  const session = textOrNull(records.find((record) => typeof record['sessionId'] === 'string')?.['sessionId']);
  if (first === undefined || session === null) return null;
  if (first['isSidechain'] === true && typeof first['agentId'] === 'string')
    return { session: first['agentId'], parent: session, root: null };
  const root = records.find((record) => record['parentUuid'] === null && record['isSidechain'] !== true) ?? first;
  return { session, parent: null, root: textOrNull(root['uuid']) };
}

function read(key: string, files: readonly SessionFile[], isRunning: boolean): SessionProject {
  const tree = new SessionTree();
  const threads: SessionThread[] = [];
  const ordered = files.toSorted((a, b) => timeOf(a).localeCompare(timeOf(b)));
  const isSide = ({ records }: SessionFile): boolean => {
    const first = records.find(({ value }) => typeof value['uuid'] === 'string')?.value;
    return first?.['isSidechain'] === true && typeof first['agentId'] === 'string';
  };
  // The conversations first: sub-agents name the calls that they were started by.
  for (const file of [...ordered.filter((each) => !isSide(each)), ...ordered.filter(isSide)])
    threads.push(...tree.add(file, isRunning));
  const records = files.flatMap((file) => file.records.map(({ value }) => value));
  const version = textOrNull(records.findLast((record) => typeof record['version'] === 'string')?.['version']);
  const { messages, files: inline, leftOut, problems } = tree.result();
  return {
    format: 'claude-code',
    client: version === null ? 'claude-code' : `claude-code/${version}`,
    key,
    title: titleIn(records) ?? titleFrom(messages),
    createdAt: timeOrNull(records.find((record) => typeof record['timestamp'] === 'string')?.['timestamp']),
    messages,
    threads,
    files: inline,
    leftOut: [...leftOut, ...files.flatMap(({ isTorn }) => (isTorn ? ['unfinished last line'] : []))],
    problems: [...files.flatMap((file) => file.problems), ...problems],
  };
}

function timeOf({ records }: SessionFile): string {
  return textOrNull(records.find(({ value }) => typeof value['timestamp'] === 'string')?.value['timestamp']) ?? '';
}

/** What the person or the client called it: the newest name counts. */
function titleIn(records: readonly Fields[]): string | null {
  for (const [type, field] of [
    ['custom-title', 'customTitle'],
    ['ai-title', 'aiTitle'],
    ['summary', 'summary'],
  ] as const) {
    const found = records.findLast((record) => isPlainObject(record) && record['type'] === type);
    const title = textOrNull(found?.[field]);
    if (title !== null && title.trim() !== '') return title;
  }
  return null;
}
