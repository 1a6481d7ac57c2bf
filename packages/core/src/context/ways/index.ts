import { isReasoningBlock } from '../../blocks/index.ts';
import type { TreeNode } from '../../entities/index.ts';
import type { AssemblyOptions, Taken } from '../assembly.ts';
import type { ContextReason } from '../items.ts';
import type { CanonicalMask } from '../mask/index.ts';
import { makerOf } from '../mask/index.ts';

/** How a node enters the request before any rule is applied. What is absent: from its blocks, taken whole. */
export interface Way {
  /** Whether it is sent from its raw response. */
  readonly raw?: boolean;
  readonly taken?: Taken;
  /** Why it is not sent as it was made. */
  readonly reason?: ContextReason;
}

/**
 * By issuer, each reply is decided for itself: what its maker says decides, and neither what came later nor where the
 * branch has been in between. So a reply is sent the same way in every request to a model, and a model to which the
 * conversation returns gets back what it said before.
 */
export function waysOf(path: readonly TreeNode[], mask: CanonicalMask, options: AssemblyOptions): readonly Way[] {
  if (options.replayBy === 'break') return path.map((node, index) => wayByBreak(node, index, mask, options));
  let ofCaller: Way = {};
  return path.map((node) => {
    // A tool result shares the fate of its call.
    if (node.role === 'tool') return ofCaller.taken === 'text' ? { taken: 'text' } : {};
    if (node.role !== 'assistant') return {};
    ofCaller = wayByIssuer(node, options);
    return ofCaller;
  });
}

function wayByIssuer(node: TreeNode, { lock, lockOf, takes, hasRaw }: AssemblyOptions): Way {
  if (node.isError) return {};
  const maker = makerOf(node, lockOf ?? (() => null));
  if (maker === null) return { reason: 'no_provider_information' };
  const isOwn = maker.provider === lock.provider && maker.model === lock.model;
  const taken = isOwn ? 'all' : (takes?.(maker) ?? 'text');
  if (taken === 'text') return { taken, reason: 'model_break' };
  if (!hasRaw(node.id)) return { reason: 'raw_missing' };
  const isLessened = taken === 'reply' && node.contentBlocks.some(isReasoningBlock);
  return { raw: true, taken, ...(isLessened ? { reason: 'thinking_not_replayable' } : {}) };
}

function wayByBreak(node: TreeNode, index: number, mask: CanonicalMask, { hasRaw }: AssemblyOptions): Way {
  const isBefore = index <= mask.breakIndex;
  const isCanonical = mask.canonical[index] === true;
  if (node.role !== 'assistant') {
    return isBefore || (isCanonical && node.role === 'tool') ? { taken: 'text' } : {};
  }
  if (isBefore) return { taken: 'text', reason: 'model_break' };
  if (isCanonical) return { reason: 'no_provider_information' };
  return hasRaw(node.id) ? { raw: true } : { reason: 'raw_missing' };
}
