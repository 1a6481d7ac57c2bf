import type { MergeBlock, MergeRange, NodeId, TreeNode } from '@bough/core';
import { isMergeable, lastAnswer, mergeIn, mergeInstruction, mergeRange, mergeText } from '@bough/core';
import type { BranchState, Conversation } from './conversation.ts';
import { BrokenPromise } from './invariants.ts';
import type { Ask } from './summaries.ts';
import { SUMMARISE, written } from './summaries.ts';

interface Planned extends MergeRange {
  readonly source: BranchState;
  readonly upTo: NodeId;
  readonly messages: readonly TreeNode[];
}

/** What every other branch has that this one has not. */
export function mergesInto(conversation: Conversation, target: BranchState): readonly Planned[] {
  return conversation.branches.flatMap((source) => {
    if (source === target) return [];
    const [from, into] = [conversation.path(source), conversation.path(target)];
    const range = mergeRange(from, into);
    checkRange(from, into, range);
    const last = range.brought.at(-1);
    const messages = range.brought.filter(isMergeable);
    return last === undefined || messages.length === 0 ? [] : [{ ...range, source, upTo: last.id, messages }];
  });
}

/** Brings it, as the engine does: one message at the end of the target. What fails changes nothing. */
export async function merge(
  conversation: Conversation,
  target: BranchState,
  planned: Planned,
  by: MergeBlock['by'],
  number: number,
  ask: Ask,
): Promise<void> {
  const { source, after, upTo, brought } = planned;
  const before = conversation.path(target);
  const nodes = await chosen(conversation, planned, by, number, ask);
  if (nodes.length === 0) return;
  const block: MergeBlock = {
    type: 'merge',
    branchId: source.id,
    branchName: source.id,
    after: after?.id ?? null,
    upTo,
    by,
    nodeIds: nodes.map(({ id }) => id),
  };
  const text = { type: 'text', text: mergeText(block, nodes) };
  conversation.append(target, { role: 'user', contentBlocks: [block, text] });
  const { done } = conversation;
  done.merges += 1;
  if (by === 'summary') done.mergedSummaries += 1;
  if (before.some(({ contentBlocks }) => mergeIn(contentBlocks)?.branchId === source.id)) done.mergedAgain += 1;
  if (brought.some(({ contentBlocks }) => mergeIn(contentBlocks) !== null)) done.mergesOfMerges += 1;
  if (source.envelope.seat.provider !== target.envelope.seat.provider) done.mergesAcross += 1;
}

async function chosen(
  conversation: Conversation,
  { source, after, upTo, brought, messages }: Planned,
  by: MergeBlock['by'],
  number: number,
  ask: Ask,
): Promise<readonly TreeNode[]> {
  switch (by) {
    case 'answer': {
      const answer = lastAnswer(brought);
      return answer === null ? [] : [answer];
    }
    case 'messages': {
      const some = messages.filter((_, index) => number % (index + 2) === 0);
      return some.length > 0 ? some : messages.slice(-1);
    }
    case 'summary': {
      const beside = conversation.beside(source, upTo);
      const made = await written(conversation, source, beside, mergeInstruction(after, SUMMARISE), ask);
      return made === null ? [] : [made];
    }
  }
}

/**
 * Nothing is brought twice, nothing is forgotten. Told from the paths once more: what stands on the target, what
 * earlier merges named, and what comes before the end of their range is known; so is what the source got from the
 * target.
 */
function checkRange(from: readonly TreeNode[], into: readonly TreeNode[], { brought }: MergeRange): void {
  const own = new Set(into.map(({ id }) => id));
  const merges = into.flatMap(({ contentBlocks }) => mergeIn(contentBlocks) ?? []);
  const named = new Set(merges.flatMap(({ nodeIds }) => nodeIds));
  const end = Math.max(-1, ...merges.map(({ upTo }) => from.findIndex(({ id }) => id === upTo)));
  const isBack = ({ contentBlocks }: TreeNode): boolean => {
    const merged = mergeIn(contentBlocks);
    return merged !== null && own.has(merged.upTo);
  };
  const twice = brought.find(
    (node) => own.has(node.id) || named.has(node.id) || from.indexOf(node) <= end || isBack(node),
  );
  if (twice !== undefined) throw new BrokenPromise('a merge brings what was brought before', twice.id);
  const start = Math.max(
    end,
    from.findLastIndex(({ id }) => own.has(id) || named.has(id) || merges.some(({ after }) => after === id)),
  );
  const forgotten = from.slice(start + 1).find((node) => !brought.includes(node) && !isBack(node));
  if (forgotten !== undefined) throw new BrokenPromise('a merge forgets a message', forgotten.id);
}
