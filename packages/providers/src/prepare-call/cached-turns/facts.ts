import type { AttachedBlock, CachedTurn, NodeId, Thought } from '@bough/core';
import type { RenderNote } from '../../protocol.ts';
import type { CallReportLine } from '../report.ts';

/** What every request needs to know about a cached turn. */
export interface TurnFacts {
  /** The prefix key of what follows the turn. */
  readonly prefix: string;
  readonly estimatedTokens: number;
  readonly untrimmedTokens: number;
  /** Whether any of its replies was made by a model other than the target. */
  readonly isForeign: boolean;
  /** How many of its thoughts may be sent back, if they fit. */
  readonly thoughts: number;
  /** Whether files are sent with it. */
  readonly hasFiles: boolean;
}

/** Needed only for models that bind thinking, and for reports. */
export interface TurnDetails {
  /** Its newest reply made by a model other than the target. */
  readonly foreign: NodeId | null;
  readonly thoughts: readonly Thought[];
  readonly report: readonly CallReportLine[];
  readonly notes: readonly RenderNote[];
  /** The files that count towards what a request may hold. */
  readonly files: readonly AttachedBlock[];
}

/**
 * One line of facts, one line of the ids that no other message of a request may contain, one line of details, then the
 * marks. A request reads a thousand of these, so it parses as little of each as it can.
 */
export function writeFacts(facts: TurnFacts, ids: readonly string[], details: TurnDetails, marks: string): string {
  const { prefix, estimatedTokens, untrimmedTokens, isForeign, thoughts, hasFiles } = facts;
  const line = [prefix, estimatedTokens, untrimmedTokens, Number(isForeign), thoughts, Number(hasFiles)].join(' ');
  return `${line}\n${JSON.stringify(ids)}\n${JSON.stringify(details)}\n${marks}`;
}

export interface ReadFacts extends TurnFacts {
  /** Kept as text, to be searched. */
  readonly ids: string;
  readonly marks: string;
}

export function readFacts({ facts }: CachedTurn): ReadFacts {
  const ids = facts.indexOf('\n') + 1;
  const details = facts.indexOf('\n', ids) + 1;
  const [prefix = '', estimated, untrimmed, isForeign, thoughts, hasFiles] = facts.slice(0, ids - 1).split(' ');
  return {
    prefix,
    estimatedTokens: Number(estimated),
    untrimmedTokens: Number(untrimmed),
    isForeign: isForeign === '1',
    thoughts: Number(thoughts),
    hasFiles: hasFiles === '1',
    ids: facts.slice(ids, details),
    marks: facts.slice(facts.indexOf('\n', details) + 1),
  };
}

export function readDetails({ facts }: CachedTurn): TurnDetails {
  const start = facts.indexOf('\n', facts.indexOf('\n') + 1) + 1;
  return JSON.parse(facts.slice(start, facts.indexOf('\n', start))) as TurnDetails;
}
