import type { AssembledContext, AssemblyOptions, AttachedBlock, CachedTurn, NodeId } from '@bough/core';
import { keptThoughts, marksOf, startOfPrefix } from '@bough/core';
import { protocolById } from '../../protocols/index.ts';
import type { BodyText } from '../../render/body-text.ts';
import { joinBytes, joinMessages } from '../../render/body-text.ts';
import type { CallTarget, StoredPath } from '../index.ts';
import type { ReadFacts, TurnDetails } from './facts.ts';
import { readDetails, readFacts } from './facts.ts';
import { choicesIn, isOf, isSentSo, keptFlags, keptIn, targetKey } from './key.ts';

/** The closed turns at the beginning of a path, as cached for a target. */
export interface Front {
  readonly turns: readonly FrontTurn[];
  /** The prefix key of what follows the front. */
  readonly prefix: string;
  readonly estimatedTokens: number;
  readonly untrimmedTokens: number;
}

interface FrontTurn {
  readonly turn: CachedTurn;
  readonly facts: ReadFacts;
}

/**
 * All cached turns of a path, consecutive up to the nodes that were read. Null if they do not fit together that way.
 */
export function findFront({ marks, nodes, cachedTurns }: StoredPath, target: CallTarget): Front | null {
  const key = targetKey(target);
  const turns: FrontTurn[] = [];
  let prefix = startOfPrefix(target.systemPrompt, target.tools, target.providerTools);
  let estimatedTokens = 0;
  let untrimmedTokens = 0;
  for (const turn of cachedTurns) {
    if (!isOf(turn, key, prefix)) return null;
    const facts = readFacts(turn);
    turns.push({ turn, facts });
    ({ prefix } = facts);
    estimatedTokens += facts.estimatedTokens;
    untrimmedTokens += facts.untrimmedTokens;
  }
  // Compared as a whole: comparing them one by one would take a thousand calls.
  const isPath = marks === `${turns.map(({ facts }) => facts.marks).join('')}${marksOf(nodes)}`;
  return isPath ? { turns, prefix, estimatedTokens, untrimmedTokens } : null;
}

const DECODER = new TextDecoder();

/** The messages that stand for everything before them, as text; undefined where nothing is summarised. */
export function headOf({ turns: [first] }: Front, { summary }: CallTarget): string | undefined {
  return summary === undefined || first === undefined
    ? undefined
    : `[${DECODER.decode(first.turn.bytes).slice(0, -1)}]`;
}

/** The newest reply made by a model other than the target. */
export function breakOf({ turns }: Front): NodeId | null {
  const broken = turns.findLast(({ facts }) => facts.isForeign);
  return broken === undefined ? null : readDetails(broken.turn).foreign;
}

/** The newest thought that is sent back. */
export function newestThought({ turns }: Front): NodeId | null {
  const thinking = turns.findLast(({ turn }) => keptIn(turn).includes('1'));
  if (thinking === undefined) return null;
  return readDetails(thinking.turn).thoughts[keptIn(thinking.turn).lastIndexOf('1')]?.nodeId ?? null;
}

/**
 * The reply that the cached turns end with: how many blocks it is sent as, and its tokens. Null where other models
 * answered in that turn.
 */
export function lastReplyIn({ turns }: Front): {
  readonly nodeId: NodeId;
  readonly blocks: number;
  readonly estimatedTokens: number;
} | null {
  const last = turns.at(-1);
  if (last === undefined || last.facts.isForeign) return null;
  const { turn } = last;
  const messages = JSON.parse(`[${DECODER.decode(turn.bytes).slice(0, -1)}]`) as readonly { content?: unknown }[];
  const content = messages.at(-1)?.content;
  const line = readDetails(turn).report.find(({ nodeId }) => nodeId === turn.nodeId);
  return {
    nodeId: turn.nodeId,
    blocks: Array.isArray(content) ? content.length : 1,
    estimatedTokens: line?.estimatedTokens ?? 0,
  };
}

/** The files that are sent with the cached turns. */
export function filesOf({ turns }: Front): readonly AttachedBlock[] {
  return turns.flatMap(({ turn, facts }) => (facts.hasFiles ? readDetails(turn).files : []));
}

export function detailsOf({ turns }: Front): readonly TurnDetails[] {
  return turns.map(({ turn }) => readDetails(turn));
}

/**
 * Whether each turn is cached the way it has to be sent before this rest: on its side of the model break, without what
 * a person left out, and with exactly those thoughts that may be sent back, which depends on all newer ones.
 */
export function isFront(
  front: Front,
  rest: AssembledContext,
  {
    bindsThinkingToPrefix,
    replayBy,
    choices,
    summary,
  }: Pick<AssemblyOptions, 'bindsThinkingToPrefix' | 'replayBy' | 'choices' | 'summary'>,
): boolean {
  const { turns } = front;
  const newest = rest.breakNodeId === null ? turns.findLastIndex(({ facts }) => facts.isForeign) : turns.length;
  const broken = replayBy === 'break' ? newest : -1;
  // Whether thinking made by an older rule still fits cannot be told without what is before it.
  if (bindsThinkingToPrefix && rest.thoughts.some(({ fits }) => !fits)) return false;
  const bound = bindsThinkingToPrefix ? detailsOf(front).map(({ thoughts }) => thoughts) : null;
  const kept = keptThoughts([...(bound ?? []).flat(), ...rest.thoughts]);
  return turns.every(({ turn, facts }, index) => {
    const side = index < broken ? 'before' : index === broken ? 'across' : 'behind';
    const flags = bound === null ? '1'.repeat(facts.thoughts) : keptFlags(bound[index] ?? [], kept);
    const isSummarised = summary !== undefined && index === 0;
    return isSentSo(turn, { side, chosen: choicesIn(facts.marks, choices, isSummarised), kept: flags });
  });
}

/** Whether the rest may contain an id that must be unique in a request and already occurs in the front. */
export function repeatsId({ turns }: Front, { messages }: BodyText, { provider }: CallTarget): boolean {
  const ids = idsIn(joinMessages(messages), provider.deployment.protocol);
  if (ids.length === 0) return false;
  const taken = turns.map(({ facts }) => facts.ids).join('');
  return ids.some((id) => taken.includes(JSON.stringify(id)));
}

/** The ids of these messages that must be unique in a request. */
export function idsIn(messages: string, protocol: Parameters<typeof protocolById>[0]): readonly string[] {
  const { uniqueIds } = protocolById(protocol);
  if (uniqueIds === undefined) return [];
  const parsed = JSON.parse(`[${messages}]`) as readonly unknown[];
  return parsed.flatMap(uniqueIds);
}

/**
 * The bytes of all turns as one piece. A store returns them from one buffer, one after the other: then nothing is
 * copied.
 */
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
