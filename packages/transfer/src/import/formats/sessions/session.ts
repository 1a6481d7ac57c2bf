import type { ProtocolId, Recorded, Usage } from '@bough/core';
import type { ForeignMessage, ImportProblem } from '../../conversation.ts';
import type { Fields } from '../../fields.ts';
import type { InlineFile } from './inline-files.ts';

/** A reply as its provider gave it, as far as the client kept it. */
export interface KeptReply {
  readonly api: ProtocolId;
  /** Who was asked, in the client's words: `anthropic`, `openai`, `google`, …; null if it does not say. */
  readonly vendor: string | null;
  readonly model: string;
  /** The response in the provider's own form. */
  readonly body: Fields;
  readonly usage?: Usage | null;
}

export interface SessionMessage extends Omit<ForeignMessage, 'provider' | 'model'> {
  /** Of a reply: where its blocks come from. Without it, `blocks` is all that is known. */
  readonly reply?: KeptReply | undefined;
  /** The thread that it was said in first. */
  readonly threadKey: string;
}

/** One line of a conversation that an agent held: becomes a branch. */
export interface SessionThread {
  /** Stays the same while the session grows. */
  readonly key: string;
  readonly session: string;
  /** What the branch is called; null: after its first words. */
  readonly name: string | null;
  readonly kind: Recorded['kind'];
  /** Of an aside: the message of the conversation that it ran beside. */
  readonly besideKey: string | null;
  readonly because: Recorded['because'];
  readonly systemPrompt: string | null;
}

/** Everything that belongs to one conversation of an agent: its session, forks of it, sub-agents. */
export interface SessionProject {
  readonly format: string;
  /** The client, with its version if it says one. */
  readonly client: string;
  readonly key: string;
  readonly title: string;
  readonly createdAt: string | null;
  /** A forest: parents before children. */
  readonly messages: readonly SessionMessage[];
  readonly threads: readonly SessionThread[];
  /** Pictures and documents that are in the session itself, by the id that messages name. */
  readonly files: ReadonlyMap<string, InlineFile>;
  readonly leftOut: readonly string[];
  readonly problems: readonly ImportProblem[];
}

/** One record of a session file. */
export interface SessionRecord {
  readonly line: number;
  readonly value: Fields;
}

export interface SessionFile {
  readonly path: string;
  readonly records: readonly SessionRecord[];
  readonly problems: readonly ImportProblem[];
  /** The last line is not finished: somebody is writing it. */
  readonly isTorn: boolean;
}

/** What the beginning of a file tells about it. */
export interface SessionHead {
  readonly session: string;
  /** The session that this one was forked from, or that it is a sub-agent of. */
  readonly parent: string | null;
  /** What all files of one conversation have in common, if the file says so itself. */
  readonly root: string | null;
}

/** Reads the sessions of one client from files of JSON lines. */
export interface SessionReader {
  readonly format: string;
  /** Null for a file that is not of this client. */
  readonly headOf: (path: string, records: readonly Fields[]) => SessionHead | null;
  /** False for records that nothing is made of and that may be large. */
  readonly wants?: (record: Fields) => boolean;
  /** `key` names the project. A reply at the end that may still be going on is left out where `isRunning`. */
  readonly read: (key: string, files: readonly SessionFile[], isRunning: boolean) => SessionProject;
}
