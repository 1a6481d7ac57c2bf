import { isPlainObject } from '@bough/core';
import { basename } from 'node:path';
import { Notes } from '../../conversation.ts';
import type { Fields } from '../../fields.ts';
import { textOrNull } from '../../fields.ts';
import { InlineFiles } from '../sessions/inline-files.ts';
import type { SessionFile, SessionMessage, SessionProject, SessionRecord, SessionThread } from '../sessions/session.ts';
import type { Said } from './said.ts';
import { saidBy } from './said.ts';

/** A reply that is written block by block, one record each. */
interface Growing {
  readonly key: string;
  readonly records: SessionRecord[];
}

interface Place {
  readonly uuid: string;
  readonly threadKey: string;
}

/**
 * The records of one conversation as messages. A reply has a record for each of its blocks, and results of tools hang
 * below the block that called them: together they are one reply, followed by its results.
 */
export class SessionTree {
  readonly #notes = new Notes();
  readonly #inline = new InlineFiles();
  readonly #messages: SessionMessage[] = [];
  /** The message that a record became part of; null for what comes before the first one. */
  readonly #messageOf = new Map<string, string | null>();
  /** What comes last of a reply and the results of its calls, by the reply or one of the results. */
  readonly #endOf = new Map<string, { key: string }>();
  /** Replies, by the ids of their calls. */
  readonly #callers = new Map<string, string>();
  readonly #answered = new Set<string>();
  /** Results that say which sub-agent was started. */
  readonly #startedBy = new Map<string, string>();
  /** What the model is given again after a compaction, by the record of the compaction. */
  readonly #keptBy = new Map<string, readonly string[]>();
  readonly #threadOf = new Map<string, string>();

  result(): Pick<SessionProject, 'messages' | 'files' | 'leftOut' | 'problems'> {
    const { leftOut, problems } = this.#notes;
    return { messages: this.#messages, files: this.#inline.files, leftOut, problems };
  }

  /** Returns the threads of a file: its conversation, a new one after each compaction, and sub-agents. */
  add({ path, records }: SessionFile, isRunning: boolean): readonly SessionThread[] {
    const threads = new Map<string, SessionThread>();
    const known = new Set(this.#messageOf.keys());
    const replies = repliesIn(records.filter(({ value }) => !known.has(String(value['uuid']))));
    const last = records.findLast(({ value }) => value['type'] === 'assistant' || value['type'] === 'user');
    let prompt: string | null = null;
    for (const record of records) {
      const { value } = record;
      prompt = promptIn(value) ?? prompt;
      const uuid = textOrNull(value['uuid']);
      if (uuid === null) {
        if (!NAMES.has(value['type'])) this.#notes.leftOut.push(kindOf(value));
        continue;
      }
      const threadKey = this.#threadFor(threads, value, uuid);
      // A fork begins with copies of what it was forked from.
      if (this.#messageOf.has(uuid)) continue;
      const reply = replies.get(uuid);
      const isOpen = isRunning && last !== undefined && (reply?.records.includes(last) ?? false);
      this.#notes.attempt(`${basename(path)}, line ${record.line}`, () =>
        this.#place(record, { uuid, threadKey }, reply, isOpen),
      );
    }
    return [...threads.values()].map((thread) => ({ ...thread, systemPrompt: prompt }));
  }

  #place(record: SessionRecord, place: Place, reply: Growing | undefined, isOpen: boolean): void {
    const { value } = record;
    const { uuid } = place;
    const parent = this.#parentOf(value);
    this.#messageOf.set(uuid, parent);
    if (reply !== undefined) {
      const isFirst = reply.records[0] === record;
      if (!isFirst) this.#messageOf.set(uuid, this.#endOf.has(reply.key) ? reply.key : parent);
      else if (!isOpen && !isUnfinished(reply)) this.#say(saidBy.reply(reply.key, reply.records), parent, place);
      else this.#notes.leftOut.push('unfinished reply');
      return;
    }
    if (value['subtype'] === 'compact_boundary') return;
    const said = saidBy.record(value, uuid, this.#inline);
    if (said === null) {
      this.#notes.leftOut.push(kindOf(value));
      return;
    }
    for (const left of said.leftOut) this.#notes.leftOut.push(left);
    for (const message of said.messages) this.#say(message, this.#messageOf.get(uuid) ?? parent, place);
    if (value['isCompactSummary'] === true) this.#repeat(value, place);
  }

  #parentOf(value: Fields): string | null {
    const parent = textOrNull(value['parentUuid']);
    const message = parent === null ? null : (this.#messageOf.get(parent) ?? null);
    return message === null ? null : this.#end(message);
  }

  #end(key: string): string {
    return this.#endOf.get(key)?.key ?? key;
  }

  #say({ startedAgent, ...message }: Said, parent: string | null, { uuid, threadKey }: Place): void {
    const { key, toolCallId } = message;
    if (toolCallId !== undefined && this.#answered.has(toolCallId)) {
      this.#notes.leftOut.push('second result of a call');
      return;
    }
    const caller = toolCallId === undefined ? undefined : this.#callers.get(toolCallId);
    const parentKey = caller === undefined ? parent : this.#end(caller);
    const placed: SessionMessage = { ...message, parentKey, threadKey };
    this.#messages.push(placed);
    this.#messageOf.set(uuid, key);
    const end = (caller === undefined ? undefined : this.#endOf.get(caller)) ?? { key };
    end.key = key;
    this.#endOf.set(key, end);
    if (toolCallId !== undefined) this.#answered.add(toolCallId);
    if (startedAgent !== undefined) this.#startedBy.set(startedAgent, key);
    for (const id of callsIn(placed)) this.#callers.set(id, key);
  }

  /** After a compaction the model is given the last messages again, behind the summary. */
  #repeat(value: Fields, { uuid, threadKey }: Place): void {
    const boundary = textOrNull(value['parentUuid']);
    const kept = boundary === null ? [] : (this.#keptBy.get(boundary) ?? []);
    const keys = new Set(kept.flatMap((each) => this.#messageOf.get(each) ?? []));
    let above = this.#messageOf.get(uuid) ?? null;
    for (const message of this.#messages.filter(({ key }) => keys.has(key))) {
      const copy: SessionMessage = { ...message, key: `${message.key}@${boundary}`, parentKey: above, threadKey };
      this.#messages.push(copy);
      above = copy.key;
    }
    const summary = this.#messageOf.get(uuid) ?? null;
    if (summary !== null && above !== null) this.#endOf.set(summary, { key: above });
  }

  /** The thread that a record belongs to: that of its parent, or the one that it begins. */
  #threadFor(threads: Map<string, SessionThread>, value: Fields, uuid: string): string {
    const session = textOrNull(value['sessionId']) ?? '';
    const common = { session, name: null, besideKey: null, because: null, systemPrompt: null } as const;
    if (value['subtype'] === 'compact_boundary') {
      this.#keptBy.set(uuid, keptIn(value));
      const before = textOrNull(value['logicalParentUuid']);
      const besideKey = before === null ? null : (this.#messageOf.get(before) ?? null);
      const key = `${session} ${uuid}`;
      threads.set(key, { ...common, key, name: 'compacted', kind: 'main', besideKey, because: 'compacted' });
      this.#threadOf.set(uuid, key);
      return key;
    }
    const parent = textOrNull(value['parentUuid']);
    const agent = value['isSidechain'] === true ? (textOrNull(value['agentId']) ?? this.#sideOf(parent, uuid)) : null;
    const inherited = parent === null ? undefined : this.#threadOf.get(parent);
    const isMine = inherited !== undefined && threads.has(inherited);
    const key = agent === null ? (isMine ? inherited : session) : `${session} agent ${agent}`;
    this.#threadOf.set(uuid, key);
    const besideKey = agent === null ? null : (this.#startedBy.get(agent) ?? null);
    const kind = agent === null ? 'main' : 'aside';
    if (!threads.has(key)) threads.set(key, { ...common, key, kind, besideKey });
    return key;
  }

  /** Older versions kept sub-agents in the file of the conversation, without a name. */
  #sideOf(parent: string | null, uuid: string): string {
    const above = parent === null ? undefined : this.#threadOf.get(parent);
    return above?.split(' agent ')[1] ?? uuid;
  }
}

/** Records that only give a name to a session. */
const NAMES: ReadonlySet<unknown> = new Set(['ai-title', 'custom-title', 'summary', 'agent-name', 'tag']);

function repliesIn(records: readonly SessionRecord[]): ReadonlyMap<string, Growing> {
  const byId = new Map<string, Growing>();
  const replies = new Map<string, Growing>();
  for (const record of records) {
    const { value } = record;
    const message = isPlainObject(value['message']) ? value['message'] : {};
    const uuid = textOrNull(value['uuid']);
    if (value['type'] !== 'assistant' || uuid === null) continue;
    const id = textOrNull(message['id']) ?? uuid;
    const reply = byId.get(id) ?? { key: uuid, records: [] };
    reply.records.push(record);
    byId.set(id, reply);
    replies.set(uuid, reply);
  }
  return replies;
}

/** No reply ends with a thought: more of it was to come, or the client was ended before. */
function isUnfinished({ records }: Growing): boolean {
  const message = records.at(-1)?.value['message'];
  const content = isPlainObject(message) ? message['content'] : null;
  const last: unknown = Array.isArray(content) ? content.at(-1) : null;
  return isPlainObject(last) && (last['type'] === 'thinking' || last['type'] === 'redacted_thinking');
}

function callsIn({ reply }: SessionMessage): readonly string[] {
  const content = reply?.body['content'];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown) =>
    isPlainObject(block) && block['type'] === 'tool_use' && typeof block['id'] === 'string' ? [block['id']] : [],
  );
}

/** What the model is given again behind a summary. */
function keptIn(value: Fields): readonly string[] {
  const about = isPlainObject(value['compactMetadata']) ? value['compactMetadata'] : {};
  const preserved = isPlainObject(about['preservedMessages']) ? about['preservedMessages'] : {};
  const kept = preserved['allUuids'] ?? preserved['uuids'];
  return Array.isArray(kept) ? kept.map(String) : [];
}

function promptIn(value: Fields): string | null {
  const attachment = isPlainObject(value['attachment']) ? value['attachment'] : {};
  const prompt = attachment['systemPrompt'];
  if (attachment['type'] !== 'prompt_snapshot' || !Array.isArray(prompt)) return null;
  return prompt.filter((part) => typeof part === 'string').join('\n\n');
}

function kindOf(value: Fields): string {
  const attachment = isPlainObject(value['attachment']) ? textOrNull(value['attachment']['type']) : null;
  const kind = attachment ?? textOrNull(value['subtype']);
  return [textOrNull(value['type']) ?? 'record', ...(kind === null ? [] : [kind])].join(' ');
}
