import type { ContextItem } from '@bough/core';
import { isAssistantMessage, isToolMessage } from '@bough/core';
import { deploymentKey } from '../../../deployment.ts';
import type { RenderInput } from '../../../protocol.ts';
import { readsThinkingOf } from '../models.ts';
import { readRaw } from '../response/index.ts';
import type { ReplyBlock } from '../response/reply-block.ts';
import { traitsOf } from '../traits.ts';
import { isServerCall, isServerResult } from '../wire.ts';
import type { Note } from './fragments.ts';

/** A reply that is sent back to its own provider. */
export interface StoredReply {
  readonly blocks: readonly ReplyBlock[];
  readonly isPaused: boolean;
  readonly reasoning: 'verbatim' | 'omit' | 'unreadable';
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
  const { blocks, stopReason } = readRaw(raw).fold;
  return { reply: { blocks, reasoning, isPaused: stopReason === 'pause_turn' }, note: null };
}

const NO_REPLY: Lookup = { reply: null, note: null };

function refused(reason: Note['reason'], detail: string): Lookup {
  return { reply: null, note: { reason, detail } };
}

/** Results of the provider's own tools may be anywhere in the request; a compaction has a fixed place. */
export function isEntangled({ blocks }: StoredReply): boolean {
  return blocks.some((block) => isServerCall(block) || isServerResult(block) || block.type === 'compaction');
}

/**
 * Calls of the provider's own tools are sent back only with their results. A call without one may stay where the
 * provider is to run it next: in the last reply, with nothing after it but results.
 */
export function serverPairing(
  items: readonly ContextItem[],
  replies: readonly (StoredReply | null)[],
): (block: ReplyBlock, at: number) => boolean {
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
  const isPending = items.slice(last + 1).every(({ message }) => isToolMessage(message));
  return (block, at) => {
    if (isServerResult(block)) return called.has(block.text('tool_use_id') ?? '');
    if (!isServerCall(block)) return true;
    return answered.has(block.text('id') ?? '') || (isPending && at === last);
  };
}
