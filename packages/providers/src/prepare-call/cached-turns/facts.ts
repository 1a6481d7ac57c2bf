import type { CachedTurn, NodeId, Thought } from '@bough/core';
import type { RenderNote } from '../../protocol.ts';
import type { CallReportLine } from '../report.ts';

/** What every request needs to know of a cached turn. */
export interface TurnFacts {
  /** The prefix key of what stands behind it. */
  readonly prefix: string;
  readonly estimatedTokens: number;
  readonly untrimmedTokens: number;
  /** Whether another model than the target made one of its replies. */
  readonly isForeign: boolean;
  /** How many of its thoughts may go back, if they fit. */
  readonly thoughts: number;
}

/** What is needed only by those who bind thinking, and by those who look at a report. */
export interface TurnDetails {
  /** Its newest reply that another model than the target made. */
  readonly foreign: NodeId | null;
  readonly thoughts: readonly Thought[];
  readonly report: readonly CallReportLine[];
  readonly notes: readonly RenderNote[];
}

/**
 * A line of facts, a line of the ids that no other message of a request may hold, a line of details, and the marks. A
 * request reads a thousand of them, and parses as little of each as it can.
 */
export function writeFacts(facts: TurnFacts, ids: readonly string[], details: TurnDetails, marks: string): string {
  const { prefix, estimatedTokens, untrimmedTokens, isForeign, thoughts } = facts;
  const line = [prefix, estimatedTokens, untrimmedTokens, Number(isForeign), thoughts].join(' ');
  return `${line}\n${JSON.stringify(ids)}\n${JSON.stringify(details)}\n${marks}`;
}

export interface ReadFacts extends TurnFacts {
  /** As text, to be searched in. */
  readonly ids: string;
  readonly marks: string;
}

export function readFacts({ facts }: CachedTurn): ReadFacts {
  const ids = facts.indexOf('\n') + 1;
  const details = facts.indexOf('\n', ids) + 1;
  const [prefix = '', estimated, untrimmed, isForeign, thoughts] = facts.slice(0, ids - 1).split(' ');
  return {
    prefix,
    estimatedTokens: Number(estimated),
    untrimmedTokens: Number(untrimmed),
    isForeign: isForeign === '1',
    thoughts: Number(thoughts),
    ids: facts.slice(ids, details),
    marks: facts.slice(facts.indexOf('\n', details) + 1),
  };
}

export function readDetails({ facts }: CachedTurn): TurnDetails {
  const start = facts.indexOf('\n', facts.indexOf('\n') + 1) + 1;
  return JSON.parse(facts.slice(start, facts.indexOf('\n', start))) as TurnDetails;
}
