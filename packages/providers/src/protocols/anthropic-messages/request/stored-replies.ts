import type { ContextItem } from '@bough/core';
import { isAssistantMessage, isToolMessage } from '@bough/core';
import { deploymentKey } from '../../../deployment.ts';
import type { RenderInput } from '../../../protocol.ts';
import { readsThinkingOf } from '../models.ts';
import { readRaw } from '../raw.ts';
import type { ReplyBlock } from '../reply-block.ts';
import { traitsOf } from '../traits.ts';
import { isServerCall, isServerResult } from '../wire.ts';
import type { Note } from './fragments.ts';

/** A reply that its own provider gets back, or why it does not. */
export interface StoredReply {
  readonly blocks: readonly ReplyBlock[];
  readonly reasoning: 'verbatim' | 'omit' | 'unreadable';
  readonly isPaused: boolean;
}

export type Lookup =
  | { readonly reply: StoredReply; readonly note: null }
  | { readonly reply: null; readonly note: Note | null };

/** The original reply of an item, where it is kept and this deployment made it. */
export function storedReply(item: ContextItem, { deployment, model, rawOf }: RenderInput): Lookup {
  const [nodeId, ...others] = item.nodeIds;
  if (item.source !== 'raw' || !isAssistantMessage(item.message) || others.length > 0)
    return { reply: null, note: null };
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

function refused(reason: Note['reason'], detail: string): Lookup {
  return { reply: null, note: { reason, detail } };
}

/**
 * Calls of the provider's own tools go back with their results only. A call without one may stay where the provider is to
 * run it next: in the last reply, with nothing behind it but results.
 */
export function serverPairing(
  items: readonly ContextItem[],
  replies: readonly (StoredReply | null)[],
): (block: ReplyBlock, at: number) => boolean {
  const idsOf = (matches: (block: ReplyBlock) => boolean, key: string) =>
    new Set(
      replies.flatMap((reply) =>
        (reply?.blocks ?? []).filter((block) => block.whole && matches(block)).map((block) => block.text(key) ?? ''),
      ),
    );
  const called = idsOf(isServerCall, 'id');
  const answered = idsOf(isServerResult, 'tool_use_id');
  const last = items.findLastIndex(({ message }) => isAssistantMessage(message));
  const isPending = items.slice(last + 1).every(({ message }) => isToolMessage(message));
  return (block, at) => {
    if (isServerResult(block)) return called.has(block.text('tool_use_id') ?? '');
    if (!isServerCall(block)) return true;
    return answered.has(block.text('id') ?? '') || (isPending && at === last);
  };
}
