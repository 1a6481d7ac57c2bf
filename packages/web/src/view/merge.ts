import type { BranchView, MergePreview, NodeView } from '@bough/api/client';
import type { CanvasBlock, ContentBlock, MergeBlock } from '@bough/core';
import { broughtText, isCanvasBlock, isToolUseBlock, mergeIn } from '@bough/core';
import type { Translator } from '../i18n/index.ts';
import { excerptOf } from './excerpt.ts';
import { briefly } from './tool-brief.ts';

export type MergeWay = MergeBlock['by'];

type Said = Pick<NodeView, 'role' | 'content' | 'contentBlocks'>;

/** Where a message was brought from; null for one that somebody wrote. */
export const mergeOf = ({ contentBlocks }: Pick<NodeView, 'contentBlocks'>): MergeBlock | null =>
  mergeIn(contentBlocks);

/**
 * What a message says to people: of a merge, without the words that tell a model where it comes from; of a version of
 * the canvas that a person wrote, the document itself.
 */
export function saidIn(node: Said): string {
  const canvas = canvasIn(node);
  if (canvas !== undefined) return canvas.text;
  const merge = mergeOf(node);
  return merge === null ? node.content : broughtText(merge, node.content);
}

/** Who said what, as the text of several messages tells a model. */
export const NAMED = /^\[(User|Assistant)\]\n/gm;

/**
 * The first words of a message. All merges of a branch begin with the same ones, which say nothing to people; so do all
 * versions of its canvas. A message without words is what it calls.
 */
export function labelOf(node: Said, t: Translator): string {
  if (canvasIn(node) !== undefined) return t('canvas.mark');
  const words = excerptOf(mergeOf(node)?.by === 'messages' ? saidIn(node).replace(NAMED, '') : saidIn(node));
  return words === '' ? excerptOf(callsIn(node)) : words;
}

function callsIn({ contentBlocks }: Pick<Said, 'contentBlocks'>): string {
  const blocks: readonly ContentBlock[] = contentBlocks;
  const calls = blocks.filter(isToolUseBlock);
  const [call] = calls;
  if (call === undefined) return '';
  return calls.length === 1 ? `${call.name} ${briefly(call.parameters)}` : calls.map(({ name }) => name).join(', ');
}

function canvasIn({ role, contentBlocks }: Said): CanvasBlock | undefined {
  const blocks: readonly ContentBlock[] = contentBlocks;
  return role === 'user' ? blocks.find(isCanvasBlock) : undefined;
}

/** What is brought unless somebody chooses something else: what is there without asking a model. */
export const usualWay = ({ answer }: MergePreview): MergeWay => (answer === null ? 'messages' : 'answer');

/** The branch that one was forked on is where it is usually brought back to; else one that is shown. */
export function usualTarget(branch: BranchView, others: readonly BranchView[]): BranchView | undefined {
  return others.find(({ id }) => id === branch.forkedOn) ?? others.find(({ hidden }) => !hidden) ?? others[0];
}
