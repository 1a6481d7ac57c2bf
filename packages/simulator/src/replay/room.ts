import type { NodeId, TreeNode } from '@bough/core';
import { isAttachedBlock } from '@bough/core';
import type { CallSources, CallTarget, PreparedCall } from '@bough/providers';
import { prepareCall, segmentsOf } from '@bough/providers';
import { BrokenPromise } from './invariants.ts';

/** What a request had no room for. As long as a branch only talks, it stays out. */
export interface LeftOut {
  /** Messages that had a file left out because there were too many. */
  readonly files: ReadonlySet<NodeId>;
  /** How many files of the path are not in the request, for whatever reason; 0 if there were not too many. */
  readonly fileCount: number;
  /** What the window did not hold. */
  readonly trimmed: ReadonlySet<NodeId>;
}

export const NOTHING_LEFT_OUT: LeftOut = { files: new Set(), fileCount: 0, trimmed: new Set() };

export function leftOutOf(path: readonly TreeNode[], { report, request }: PreparedCall): LeftOut {
  const whose = (reason: (typeof report)[number]['reasons'][number]): ReadonlySet<NodeId> =>
    new Set(report.filter(({ reasons }) => reasons.includes(reason)).map(({ nodeId }) => nodeId));
  const files = whose('file_over_limit');
  const all = path.flatMap(({ contentBlocks }) => contentBlocks.filter(isAttachedBlock)).length;
  const sent = segmentsOf(request.body).filter((part) => typeof part !== 'string').length;
  return { files, fileCount: files.size === 0 ? 0 : all - sent, trimmed: whose('trimmed') };
}

/** More was left out: then the request begins differently, and only then. */
export function leavesOutMore(before: LeftOut, after: LeftOut): boolean {
  return after.fileCount > before.fileCount || after.trimmed.size > before.trimmed.size;
}

/** What was left out once stays out: a beginning that came and went would change with every message. */
export function checkStaysOut(before: LeftOut, after: LeftOut, { request }: PreparedCall): void {
  // A message that is trimmed takes its files with it.
  if ([...before.files].some((id) => !after.files.has(id) && !after.trimmed.has(id)))
    throw new BrokenPromise('a file that was left out came back', request.body);
  if ([...before.trimmed].some((id) => !after.trimmed.has(id)))
    throw new BrokenPromise('a turn that was trimmed came back', request.body);
}

/** Turns are trimmed only if the window does not hold them. */
export function checkTrimIsNeeded(path: readonly TreeNode[], target: CallTarget, sources: CallSources): void {
  const { provider, model } = target;
  const info = provider.modelInfo(model);
  const roomy = { ...provider, modelInfo: () => ({ ...info, contextWindow: Number.MAX_SAFE_INTEGER }) };
  const { context } = prepareCall(path, { ...target, provider: roomy }, sources);
  // A quarter of the window, at most, is kept for the answer.
  const free = info.contextWindow - Math.min(info.maxOutputTokens, info.contextWindow / 4);
  if (context.estimatedTokens <= free)
    throw new BrokenPromise('a turn was trimmed that fits', `${context.estimatedTokens} of ${free} tokens`);
}
