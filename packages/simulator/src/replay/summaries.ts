import type { TreeNode } from '@bough/core';
import { ContextTooLongError, endOfTurn, isTextBlock, isToolUseBlock } from '@bough/core';
import { buildContentBlocksForProvider, makesSummaries, NothingToAnswerError, summaryTextIn } from '@bough/providers';
import type { Answered } from './calls.ts';
import { objectsToSummary } from './calls.ts';
import type { BranchState, Conversation } from './conversation.ts';

/** Sends the request of a branch; null where the engine would not. */
export type Ask = (branch: BranchState) => Promise<Answered | null>;

/** What a person asks for: the simulator answers with what it read, and thinks about it as little as it can. */
export const SUMMARISE = '/sim think 0 /sim summary';

/** As the engine does it: by the provider itself where it can, else by its model. What fails changes nothing. */
export async function compact(
  conversation: Conversation,
  branch: BranchState,
  node: TreeNode,
  ask: Ask,
): Promise<void> {
  const { path, summary } = conversation.summarised(branch);
  const own = conversation.path(branch);
  const end = endOfTurn(own, node.id);
  const known = path.findIndex(({ id }) => id === summary?.[0]?.id);
  if (end === null || path.indexOf(end) < known) return;
  const covered = own.slice(0, own.indexOf(end) + 1);
  if (covered.every(({ role }) => role === 'system')) return;
  const beside = conversation.beside(branch, end.id);
  const { deployment } = branch.envelope.seat.provider;
  const isPlain = covered.every(({ role }) => role !== 'system');
  const isWhole = end.role === 'assistant' && !end.isError && !end.interrupted;
  beside.summarise = SUMMARISE;
  const isOwn = makesSummaries(deployment) && isPlain && isWhole && !objects(conversation, beside);
  if (!isOwn) delete beside.summarise;
  const made = await written(conversation, branch, beside, SUMMARISE, ask);
  if (made === null) return;
  conversation.compacted(branch, [...branch.envelope.summaries, made.id]);
  conversation.summaries += 1;
}

/**
 * The summary that is made at the tip of a branch beside another one; null where nothing came that is one. Without a
 * provider that makes it itself, the model is asked: the instruction follows what it is about as the next message.
 */
export async function written(
  conversation: Conversation,
  branch: BranchState,
  beside: BranchState,
  instruction: string,
  ask: Ask,
): Promise<TreeNode | null> {
  const question = { role: 'user', contentBlocks: [{ type: 'text', text: instruction }] } as const;
  const isOwn = beside.summarise !== undefined;
  const isAtEnd = beside.tip === branch.tip;
  if (!isOwn) conversation.append(beside, question);
  if (!isOwn && isAtEnd) Object.assign(beside, { lastBody: branch.lastBody, leftOut: branch.leftOut });
  const answered = await ask(beside);
  if (answered === null || answered.stop !== 'end_turn') return null;
  const blocks = buildContentBlocksForProvider(answered.raw);
  const said = summaryTextIn(blocks);
  const isText = blocks.some((block) => isTextBlock(block) && block.text.trim() !== '');
  if ((said === null && !isText) || blocks.some(isToolUseBlock)) return null;
  // The question stands before the summary in either case: other models are given both.
  if (isOwn) conversation.append(beside, question);
  const { provider, model } = branch.envelope.seat;
  const made = conversation.append(beside, {
    role: 'assistant',
    contentBlocks: said === null ? blocks : [{ type: 'text', text: said }],
    provider: provider.deployment.id,
    modelUsed: model,
    madeWith: answered.prepared.context.madeWith,
  });
  conversation.raws.set(made.id, answered.raw);
  return made;
}

function objects(conversation: Conversation, beside: BranchState): boolean {
  try {
    return objectsToSummary(conversation, beside);
  } catch (error) {
    if (error instanceof NothingToAnswerError || error instanceof ContextTooLongError) return true;
    throw error;
  }
}
