import type { AssembledContext, AssemblyOptions, ContentBlock, NodeId, TreeNode } from '@bough/core';
import { assembleContext, estimateFixedTokens, isReasoningBlock, tokenBudget } from '@bough/core';
import type { Front } from '../../protocol.ts';
import type { CallSources, CallTarget } from '../index.ts';
import { assemblyOptions, renderInput } from '../inputs.ts';
import type { Recall } from '../recall/index.ts';
import type { CallReportLine } from '../report.ts';
import { mergeReport } from '../report.ts';

/**
 * The complete turns of a path that were sent and judged before: assembled and rendered once, and repeated byte for byte. As a
 * conversation grows at its end, its front never changes; where something in it did change, it is not used.
 */
export interface Settled {
  readonly nodes: readonly TreeNode[];
  readonly context: AssembledContext;
  readonly report: readonly CallReportLine[];
  /** The replies that go back from their raw. */
  readonly rawNodes: readonly NodeId[];
  readonly front: Front;
  /** The versions of its nodes when they were read, with a comma between each two; null where the store cannot tell them. */
  readonly versions: string | null;
}

/** The settled front of a path that was read, as far as this process knows one. */
export function settledOf(
  path: readonly TreeNode[],
  target: CallTarget,
  sources: CallSources,
  recall: Recall,
): Settled | null {
  const before = recall.judgedFront(path, target)?.settled ?? null;
  if (before === null) return settleBehind(null, path, target, sources, recall);
  if (!hasItsRaw(before, sources)) return null;
  return settleBehind(asRead(before, target, sources, recall), path, target, sources, recall);
}

/** What a settled front has grown to with the nodes behind it: the longest one that was judged and can be settled. */
export function settleBehind(
  before: Settled | null,
  path: readonly TreeNode[],
  target: CallTarget,
  sources: CallSources,
  recall: Recall,
): Settled | null {
  for (let { length } = path; ;) {
    length = recall.judgedFront(path.slice(0, length), target)?.length ?? 0;
    if (length <= (before?.nodes.length ?? 0)) return before;
    const settled = settle(path.slice(0, length), before, target, sources);
    if (settled === null) continue;
    recall.settle(settled, target);
    return settled;
  }
}

/** The same front as it stands in the store now: its nodes may have been written anew without having changed. */
function asRead(settled: Settled, target: CallTarget, sources: CallSources, recall: Recall): Settled {
  const versions = versionsOf(settled.nodes, sources);
  if (versions === settled.versions) return settled;
  const read = { ...settled, versions };
  recall.settle(read, target);
  return read;
}

function versionsOf(nodes: readonly TreeNode[], { versionOf }: CallSources): string | null {
  const versions: string[] = [];
  for (const { id } of nodes) {
    const version = versionOf?.(id);
    if (version === undefined) return null;
    versions.push(version);
  }
  return versions.join(',');
}

function hasItsRaw({ rawNodes }: Settled, { rawOf }: CallSources): boolean {
  return rawNodes.every((id) => rawOf(id) !== undefined);
}

function settle(
  nodes: readonly TreeNode[],
  before: Settled | null,
  target: CallTarget,
  sources: CallSources,
): Settled | null {
  const options = assemblyOptions(target, sources);
  if (before === null) {
    if (!nodes.every(isPlain)) return null;
    return settledFrom(nodes, nodes, assembleContext(nodes, { ...options, limits: null }), null, target, sources);
  }
  const added = nodes.slice(before.nodes.length);
  const context = contextBehind(before, added, { ...options, limits: null });
  return context === null ? null : settledFrom(nodes, added, context, before, target, sources);
}

function settledFrom(
  nodes: readonly TreeNode[],
  added: readonly TreeNode[],
  context: AssembledContext | Continued,
  before: Settled | null,
  target: CallTarget,
  sources: CallSources,
): Settled | null {
  const { whole, rest } = 'whole' in context ? context : { whole: context, rest: context };
  const last = added.at(-1);
  const ends = rest.items.at(-1);
  // A front ends with a reply that is sent: what follows can then neither join it nor answer it.
  if (last === undefined || ends?.message.role !== 'assistant' || ends.nodeIds.at(-1) !== last.id) return null;
  // A raw that is missing now may be there the next time.
  if (rest.report.some(({ reasons }) => reasons.includes('raw_missing'))) return null;
  const front = target.provider.settle(renderInput(rest, 1, target, sources), before?.front ?? null);
  if (front === null) return null;
  const raws = rest.items.filter(({ source }) => source === 'raw').flatMap(({ nodeIds }) => nodeIds);
  const versions = versionsOf(added, sources);
  return {
    nodes,
    context: whole,
    report: [...(before?.report ?? []), ...mergeReport(rest, front.notes.slice(before?.front.notes.length ?? 0))],
    front,
    rawNodes: [...(before?.rawNodes ?? []), ...raws],
    versions: before === null || versions === null ? versions : before.versions && `${before.versions},${versions}`,
  };
}

/** A context and the part of it that stands behind a settled front. */
export interface Continued {
  readonly whole: AssembledContext;
  readonly rest: AssembledContext;
}

/**
 * The context of a settled front and the nodes behind it. Null where the nodes may change what becomes of the front: a reply of
 * another model, a system message, a window that overflows; or where the front may change what becomes of them.
 */
export function contextBehind(
  { context: front }: Settled,
  nodes: readonly TreeNode[],
  options: AssemblyOptions,
): Continued | null {
  const [first] = nodes;
  if (first?.role !== 'user' || !nodes.every(isPlain)) return null;
  const rest = assembleContext(nodes, { ...options, limits: null, behind: front.madeWith.prefix });
  const [item] = rest.items;
  if (rest.breakNodeId !== null || item?.message.role !== 'user' || item.nodeIds[0] !== first.id) return null;
  if (options.bindsThinkingToPrefix && !isChained(front, rest, nodes)) return null;
  const untrimmedTokens = front.untrimmedTokens + rest.untrimmedTokens;
  if (options.limits !== null && untrimmedTokens > tokenBudget(options, options.limits.contextWindow)) return null;
  const whole: AssembledContext = {
    systemPrompt: rest.systemPrompt,
    items: front.items.concat(rest.items),
    report: front.report.concat(rest.report),
    breakNodeId: front.breakNodeId,
    // Both count what every request carries: system prompt and tools.
    estimatedTokens: front.estimatedTokens + rest.estimatedTokens - estimateFixedTokens(options),
    untrimmedTokens,
    madeWith: {
      prefix: rest.madeWith.prefix,
      previousThinking: rest.madeWith.previousThinking ?? front.madeWith.previousThinking,
    },
  };
  return { whole, rest };
}

/**
 * Bound thinking is kept from the newest reply back, as far as the chain holds. The front keeps what it kept where the chain behind it
 * holds, and where its oldest thought follows the newest one of the front; and where the front kept none.
 */
function isChained(front: AssembledContext, rest: AssembledContext, nodes: readonly TreeNode[]): boolean {
  const newest = front.madeWith.previousThinking;
  if (newest === null) return true;
  if (rest.report.some(({ reasons }) => reasons.includes('thinking_prefix_changed'))) return false;
  const oldest = rest.items.find(({ source, message }) => source === 'raw' && thinks(message.content));
  if (oldest === undefined) return true;
  return nodes.find(({ id }) => id === oldest.nodeIds[0])?.madeWith?.previousThinking === newest;
}

function thinks(blocks: readonly ContentBlock[]): boolean {
  return blocks.some(isReasoningBlock);
}

/** A node that says itself who made it, and that does not change what stands before the messages. */
function isPlain(node: TreeNode): boolean {
  return node.role !== 'system' && (node.role !== 'assistant' || (node.provider !== null && node.modelUsed !== null));
}
