import type { CachedTurn, NodeId, Thought } from '@bough/core';
import type { RenderNote } from '../../protocol.ts';
import type { CallReportLine } from '../report.ts';

/** What every request needs to know of a cached turn. */
export interface TurnFacts {
  readonly marks: readonly string[];
  /** The prefix key of what stands behind it. */
  readonly prefix: string;
  readonly estimatedTokens: number;
  readonly untrimmedTokens: number;
  /** Its newest reply that another model than the target made. */
  readonly foreign: NodeId | null;
  readonly thoughts: readonly Thought[];
}

/** What only some need: those that repeat an id, and those that somebody looks at. */
export interface TurnDetails {
  readonly ids: readonly string[];
  readonly report: readonly CallReportLine[];
  readonly notes: readonly RenderNote[];
}

/** A line of facts and a line of details: the second one is read by nobody but who needs it. */
export function writeFacts(facts: TurnFacts, details: TurnDetails): string {
  return `${JSON.stringify(facts)}\n${JSON.stringify(details)}`;
}

export function readFacts({ facts }: CachedTurn): TurnFacts {
  return JSON.parse(facts.slice(0, facts.indexOf('\n'))) as TurnFacts;
}

export function readDetails({ facts }: CachedTurn): TurnDetails {
  return JSON.parse(facts.slice(facts.indexOf('\n') + 1)) as TurnDetails;
}

/** Whether one of the ids may stand in it: found by its text, so that the details need not be parsed. */
export function mayHold({ facts }: CachedTurn, ids: readonly string[]): boolean {
  return ids.some((id) => facts.includes(JSON.stringify(id)));
}
