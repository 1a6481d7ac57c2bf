import type { AssembledContext, CachedTurn, NodeId } from '@bough/core';
import { keptThoughts, startOfPrefix } from '@bough/core';
import { protocolById } from '../../protocols/index.ts';
import type { BodyText } from '../../render/body-text.ts';
import { joinBytes, joinMessages } from '../../render/body-text.ts';
import type { CallTarget, StoredPath } from '../index.ts';
import type { CallReportLine } from '../report.ts';
import type { RenderNote } from '../../protocol.ts';
import type { TurnFacts } from './facts.ts';
import { mayHold, readDetails, readFacts } from './facts.ts';
import { targetKey, turnKey } from './key.ts';

/** The closed turns at the beginning of a path, as they are cached for a target. */
export interface Front {
  readonly turns: readonly FrontTurn[];
  readonly target: string;
  /** How many nodes it holds. */
  readonly length: number;
  /** The prefix key of what stands behind it. */
  readonly prefix: string;
  readonly estimatedTokens: number;
  readonly untrimmedTokens: number;
  readonly breakNodeId: NodeId | null;
  /** The newest thought that goes back. */
  readonly previousThinking: NodeId | null;
  readonly report: () => readonly CallReportLine[];
  readonly notes: () => readonly RenderNote[];
}

interface FrontTurn {
  readonly turn: CachedTurn;
  readonly facts: TurnFacts;
  /** The prefix key of what stands before it. */
  readonly before: string;
}

/** Goes along the path as far as each cached turn follows the one before. Null where none does, or where too little was read behind them. */
export function findFront({ marks, nodes, cachedTurns }: StoredPath, target: CallTarget): Front | null {
  const key = targetKey(target);
  const turns: FrontTurn[] = [];
  let length = 0;
  let prefix = startOfPrefix(target.systemPrompt, target.tools);
  for (const turn of cachedTurns) {
    const facts = readFacts(turn);
    if (!turn.key.startsWith(`${key}:${prefix}:`) || !isAt(facts, marks, length)) break;
    turns.push({ turn, facts, before: prefix });
    length += facts.marks.length;
    ({ prefix } = facts);
  }
  const isRead = nodes.length >= marks.length - length;
  return turns.length === 0 || !isRead ? null : frontOf(turns, key, length, prefix);
}

function isAt({ marks }: TurnFacts, path: readonly string[], at: number): boolean {
  return marks.every((mark, index) => mark === path[at + index]);
}

function frontOf(turns: readonly FrontTurn[], target: string, length: number, prefix: string): Front {
  let estimatedTokens = 0;
  let untrimmedTokens = 0;
  let breakNodeId: NodeId | null = null;
  let previousThinking: NodeId | null = null;
  for (const { turn, facts } of turns) {
    estimatedTokens += facts.estimatedTokens;
    untrimmedTokens += facts.untrimmedTokens;
    breakNodeId = facts.foreign ?? breakNodeId;
    const kept = Number(turn.key.slice(turn.key.lastIndexOf(':') + 1));
    if (kept > 0) previousThinking = facts.thoughts.at(-1)?.nodeId ?? previousThinking;
  }
  return {
    turns,
    target,
    length,
    prefix,
    estimatedTokens,
    untrimmedTokens,
    breakNodeId,
    previousThinking,
    report: () => turns.flatMap(({ turn }) => readDetails(turn).report),
    notes: () => turns.flatMap(({ turn }) => readDetails(turn).notes),
  };
}

/**
 * Whether each turn is cached in the way in which it has to be sent before this rest: on its side of the model break, and with those of
 * its thoughts that may go back, which depends on all that are newer.
 */
export function isFront({ turns, target }: Front, rest: AssembledContext, bindsThinking: boolean): boolean {
  const broken = rest.breakNodeId === null ? turns.findLastIndex(({ facts }) => facts.foreign !== null) : turns.length;
  const thoughts = bindsThinking ? turns.flatMap(({ facts }) => facts.thoughts) : [];
  let unkept = bindsThinking ? thoughts.length + rest.thoughts.length - keptThoughts([...thoughts, ...rest.thoughts]) : 0;
  return turns.every(({ turn, facts, before }, index) => {
    const side = index < broken ? 'before' : index === broken ? 'across' : 'behind';
    const lost = Math.min(unkept, facts.thoughts.length);
    unkept -= lost;
    return turn.key === turnKey(target, before, { side, kept: facts.thoughts.length - lost });
  });
}

/** Whether the rest may hold an id that must be unique in a request and stands in the front already. */
export function repeatsId({ turns }: Front, { messages }: BodyText, { provider }: CallTarget): boolean {
  const ids = idsIn(joinMessages(messages), provider.deployment.protocol);
  return ids.length > 0 && turns.some(({ turn }) => mayHold(turn, ids));
}

/** The ids of these messages that must be unique in a request. */
export function idsIn(messages: string, protocol: Parameters<typeof protocolById>[0]): readonly string[] {
  const { uniqueIds } = protocolById(protocol);
  if (uniqueIds === undefined) return [];
  const parsed = JSON.parse(`[${messages}]`) as readonly unknown[];
  return parsed.flatMap(uniqueIds);
}

/** The bytes of all turns as one piece. A store gives them out of one buffer, one behind the other: then nothing is copied. */
export function joinedBytes({ turns }: Front): Uint8Array {
  const pieces = turns.map(({ turn }) => turn.bytes);
  const [first] = pieces;
  let length = 0;
  let isOne = first !== undefined;
  for (const piece of pieces) {
    isOne &&= piece.buffer === first?.buffer && piece.byteOffset === first.byteOffset + length;
    length += piece.byteLength;
  }
  return first !== undefined && isOne ? new Uint8Array(first.buffer, first.byteOffset, length) : joinBytes(pieces);
}
