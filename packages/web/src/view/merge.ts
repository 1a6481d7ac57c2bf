import type { BranchView, MergePreview, NodeView } from '@bough/api/client';
import type { MergeBlock } from '@bough/core';
import { broughtText, mergeIn } from '@bough/core';
import { excerptOf } from './excerpt.ts';

export type MergeWay = MergeBlock['by'];

type Said = Pick<NodeView, 'content' | 'contentBlocks'>;

/** Where a message was brought from; null for one that somebody wrote. */
export const mergeOf = ({ contentBlocks }: Pick<NodeView, 'contentBlocks'>): MergeBlock | null =>
  mergeIn(contentBlocks);

/** What a message says to people: of a merge, without the words that tell a model where it comes from. */
export function saidIn(node: Said): string {
  const merge = mergeOf(node);
  return merge === null ? node.content : broughtText(merge, node.content);
}

/** Who said what, as the text of several messages tells a model. */
export const NAMED = /^\[(User|Assistant)\]\n/gm;

/** The first words of a message. All merges of a branch begin with the same ones, which say nothing to people. */
export const labelOf = (node: Said): string =>
  excerptOf(mergeOf(node)?.by === 'messages' ? saidIn(node).replace(NAMED, '') : saidIn(node));

/** What is brought unless somebody chooses something else: what is there without asking a model. */
export const usualWay = ({ answer }: MergePreview): MergeWay => (answer === null ? 'messages' : 'answer');

/** The branch that one was forked on is where it is usually brought back to; else one that is shown. */
export function usualTarget(branch: BranchView, others: readonly BranchView[]): BranchView | undefined {
  return others.find(({ id }) => id === branch.forkedOn) ?? others.find(({ hidden }) => !hidden) ?? others[0];
}
