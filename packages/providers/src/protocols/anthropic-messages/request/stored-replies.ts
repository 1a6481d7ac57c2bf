import type { ContextItem, NodeId } from '@bough/core';
import { isAssistantMessage, isToolMessage } from '@bough/core';
import { deploymentKey } from '../../../deployment.ts';
import type { RenderInput, RenderNote } from '../../../protocol.ts';
import { readsThinkingOf } from '../models.ts';
import { readRaw } from '../response/index.ts';
import type { ReplyBlock } from '../response/reply-block.ts';
import { traitsOf } from '../traits.ts';
import { callerOf, isServerCall, isServerResult, listOf } from '../wire.ts';
import type { Note } from './fragments.ts';

/** A reply that is sent back to its own provider. */
export interface StoredReply {
  readonly blocks: readonly ReplyBlock[];
  readonly isPaused: boolean;
  readonly reasoning: 'verbatim' | 'omit' | 'unreadable';
  /** The container in which code ran for it. */
  readonly container: string | null;
}

export type Lookup =
  | { readonly reply: StoredReply; readonly note: null }
  | { readonly reply: null; readonly note: Note | null };

/** The original reply of an item, if it is kept and was made by this deployment. */
export function storedReply(item: ContextItem, input: RenderInput): Lookup {
  const { deployment, model, rawOf } = input;
  const [nodeId] = item.nodeIds;
  if (item.source !== 'raw' || !isAssistantMessage(item.message) || item.nodeIds.length > 1) return NO_REPLY;
  const raw = rawOf(nodeId);
  if (raw === undefined) {
    return refused('raw_missing', 'The original reply was not kept; its text and calls are sent.');
  }
  const isOwn = raw.provider === deployment.id && raw.deployment === deploymentKey(deployment);
  if (raw.api !== 'anthropic-messages' || !isOwn) {
    return refused('foreign_issuer', `Made by ${raw.deployment}; its text and calls are sent.`);
  }
  const readable = readsThinkingOf(model.id, traitsOf(model), raw.model);
  const reasoning = item.reasoning === 'omit' ? 'omit' : readable ? 'verbatim' : 'unreadable';
  const { blocks, stopReason, container } = readRaw(raw).fold;
  return { reply: { blocks, reasoning, isPaused: stopReason === 'pause_turn', container }, note: null };
}

const NO_REPLY: Lookup = { reply: null, note: null };

function refused(reason: Note['reason'], detail: string): Lookup {
  return { reply: null, note: { reason, detail } };
}

/**
 * Results of the provider's own tools may be anywhere in the request, and so may the code that called a tool; a
 * compaction has a fixed place, and a listing of tools needs a header. The summary that the whole request stands behind
 * is known to all of it, unless it also tells of tools.
 */
export function isEntangled({ blocks }: StoredReply, isHead: boolean): boolean {
  return blocks.some(
    (block) =>
      isServerCall(block) ||
      isServerResult(block) ||
      (block.type === 'compaction' &&
        !(isHead && isSummary(block) && listOf(block.member('tool_changes')).length === 0)) ||
      block.type === 'mcp_tool_listing' ||
      programOf(block) !== null,
  );
}

/** The code that made a call of a tool, or null if the model made it. */
export function programOf(block: ReplyBlock): string | null {
  return block.type === 'tool_use' ? callerOf({ value: { caller: block.member('caller') } }) : null;
}

/** What happens to the provider's own tools in this request. */
export interface ServerTools {
  readonly keeps: (block: ReplyBlock, at: number) => boolean;
  /** Whether the code that made a call is sent: a call that names code which is not there is refused. */
  readonly isSent: (program: string) => boolean;
  /** The container to name: while code in it waits for results, and where more code may run. */
  readonly container: string | null;
  /** The node whose container would be named if it were not gone. */
  readonly gone: NodeId | null;
  /** Whether code waits for results: then nothing else may be said beside them. */
  readonly waits: boolean;
  readonly notes: readonly RenderNote[];
}

export interface ContainerUse {
  /** Code may run in this request: it finds what ran before where that ran. */
  readonly runsCode: boolean;
  /** Whether the container that code ran in for this node is known to be gone. */
  readonly isGone: (node: NodeId) => boolean;
}

/**
 * Calls of the provider's own tools are sent back only with their results. A call without one may stay where the
 * provider is to go on with it: in the last reply, with nothing after it but results, or further back if every later
 * reply consists of calls that its code made.
 */
export function serverTools(
  items: readonly ContextItem[],
  replies: readonly (StoredReply | null)[],
  { runsCode, isGone }: ContainerUse,
): ServerTools {
  const called = new Set<string>();
  const answered = new Set<string>();
  for (const reply of replies) {
    if (reply === null) continue;
    for (const block of reply.blocks.filter(({ whole }) => whole)) {
      if (isServerCall(block)) called.add(block.text('id') ?? '');
      if (isServerResult(block)) answered.add(block.text('tool_use_id') ?? '');
    }
  }
  const last = items.findLastIndex(({ message }) => isAssistantMessage(message));
  const isRunning = (id: string, at: number): boolean =>
    items.slice(at + 1).every(({ message }, behind) => {
      if (isToolMessage(message)) return true;
      const reply = isAssistantMessage(message) ? replies[at + 1 + behind] : null;
      return reply?.blocks.some((block) => programOf(block) === id) === true;
    });
  const isPending = items.slice(last + 1).every(({ message }) => isToolMessage(message));
  const isOpen = (block: ReplyBlock, at: number): boolean =>
    (isPending && at === last) || isRunning(block.text('id') ?? '', at);
  const keeps = (block: ReplyBlock, at: number): boolean => {
    if (isServerResult(block)) return called.has(block.text('tool_use_id') ?? '');
    if (!isServerCall(block)) return true;
    return answered.has(block.text('id') ?? '') || isOpen(block, at);
  };
  const kept = replies.flatMap((reply, at) =>
    (reply?.blocks ?? []).filter((block) => block.whole && isServerCall(block) && keeps(block, at)),
  );
  const sent = new Set(kept.map((block) => block.text('id') ?? ''));
  const waits = [...sent].some((id) => !answered.has(id));
  const newest = replies.findLastIndex((reply) => (reply?.container ?? null) !== null);
  const container = replies[newest]?.container ?? null;
  const nodeId = items[newest]?.nodeIds[0];
  const isNamed = container !== null && (waits || runsCode);
  const gone = isNamed && nodeId !== undefined && isGone(nodeId) ? nodeId : null;
  return {
    keeps,
    isSent: (program) => sent.has(program),
    container: isNamed && gone === null ? container : null,
    gone,
    waits,
    notes: gone === null ? [] : [{ nodeId: gone, reason: 'container_expired', detail: GONE }],
  };
}

const GONE =
  'The container that its code ran in has expired. Code runs in a new one, with the files that could be brought.';

/** The newest reply that is a summary of everything before it, or 0 if there is none. */
export function summaryIn(replies: readonly (StoredReply | null)[]): number {
  return Math.max(
    0,
    replies.findLastIndex((reply) => reply?.blocks.some(isSummary) === true),
  );
}

/** A compaction that the provider signed: it stands for what came before it. */
export const isSummary = (block: ReplyBlock): boolean =>
  block.type === 'compaction' && block.whole && (block.text('signature') ?? '') !== '';
