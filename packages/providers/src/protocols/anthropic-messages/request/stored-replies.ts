import type { ContextItem, RawResponse } from '@bough/core';
import { isAssistantMessage, isToolMessage, memoized } from '@bough/core';
import { deploymentKey } from '../../../deployment.ts';
import { readOnce } from '../../../prepare-call/recall/index.ts';
import type { RenderInput } from '../../../protocol.ts';
import { readsThinkingOf } from '../models.ts';
import { readRaw } from '../response/index.ts';
import type { ReplyBlock } from '../response/reply-block.ts';
import { traitsOf } from '../traits.ts';
import { isServerCall, isServerResult } from '../wire.ts';
import type { Note } from './fragments.ts';

/** What a raw reply holds. */
interface Reading {
  readonly blocks: readonly ReplyBlock[];
  readonly isPaused: boolean;
}

/** A reply that its own provider gets back, or why it does not. */
export interface StoredReply extends Reading {
  readonly reasoning: 'verbatim' | 'omit' | 'unreadable';
}

export type Lookup =
  | { readonly reply: StoredReply; readonly note: null }
  | { readonly reply: null; readonly note: Note | null };

/** The original reply of an item, where it is kept and this deployment made it. */
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
  const { blocks, isPaused } = readOnce(input, nodeId, raw, read);
  return { reply: { blocks, reasoning, isPaused }, note: null };
}

const NO_REPLY: Lookup = { reply: null, note: null };

function read(raw: RawResponse): Reading {
  const { blocks, stopReason } = readRaw(raw).fold;
  return { blocks, isPaused: stopReason === 'pause_turn' };
}

function refused(reason: Note['reason'], detail: string): Lookup {
  return { reply: null, note: { reason, detail } };
}

const wholeServerBlocks = memoized((blocks: readonly ReplyBlock[]): readonly ReplyBlock[] =>
  blocks.filter((block) => (isServerCall(block) || isServerResult(block)) && block.whole),
);

/** Whether a reply holds anything of the provider's own tools, whole or not. */
export const hasServerBlocks = memoized((blocks: readonly ReplyBlock[]): boolean =>
  blocks.some((block) => isServerCall(block) || isServerResult(block)),
);

/**
 * Calls of the provider's own tools go back with their results only. A call without one may stay where the provider is to
 * run it next: in the last reply, with nothing behind it but results.
 */
export function serverPairing(
  items: readonly ContextItem[],
  replies: readonly (StoredReply | null)[],
): (block: ReplyBlock, at: number) => boolean {
  const called = new Set<string>();
  const answered = new Set<string>();
  for (const reply of replies) {
    if (reply === null) continue;
    for (const block of wholeServerBlocks(reply.blocks)) {
      if (isServerCall(block)) called.add(block.text('id') ?? '');
      else answered.add(block.text('tool_use_id') ?? '');
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
