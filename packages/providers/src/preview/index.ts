import type { Availability, NodeId, TreeNode } from '@bough/core';
import { ContextTooLongError, createNode, isReasoningBlock, isToolUseBlock, nodeId, projectId } from '@bough/core';
import type { CallReportLine, CallSources, CallTarget, PreparedCall } from '../prepare-call/index.ts';
import { prepareCall } from '../prepare-call/index.ts';
import type { Violation } from '../rulebook/rule.ts';
import { objectionIn } from '../rulebook/rule.ts';

/** What becomes of one node under the target. */
export interface PreviewLine extends CallReportLine {
  /** `kept`: the target gets this reasoning back. `lost`: it stays in the tree, and the target never sees it. */
  readonly thinking: 'none' | 'kept' | 'as_text' | 'lost';
  readonly tools: 'none' | 'kept' | 'as_text' | 'lost';
}

export interface SwitchPreview {
  readonly lines: readonly PreviewLine[];
  readonly survives: number;
  readonly becomesText: number;
  readonly vanishes: number;
  /** Where the history stops being the target's own; null where all of it is. */
  readonly breakNodeId: NodeId | null;
  readonly estimatedTokens: number;
  /** Null where the request can be sent; else what a person must do first. */
  readonly obstacle: string | null;
  readonly violations: readonly Violation[];
  /** What the target will show of its own reasoning. */
  readonly reasoning: Availability;
}

/**
 * What would survive, become text or vanish if the conversation went on with the target. It prepares the very request that the
 * next message would cause, with a stand-in for that message, and reads the outcome off it.
 */
export function previewSwitch(path: readonly TreeNode[], target: CallTarget, sources: CallSources): SwitchPreview {
  const { call, obstacle } = prepareWithNextMessage(path, target, sources);
  const { reasoning } = target.provider.modelInfo(target.model);
  if (call === null) {
    return {
      lines: [],
      survives: 0,
      becomesText: 0,
      vanishes: 0,
      breakNodeId: null,
      estimatedTokens: 0,
      obstacle,
      violations: [],
      reasoning,
    };
  }
  const nodes = new Map(path.map((node) => [node.id, node]));
  const lines = call.report.flatMap((line): readonly PreviewLine[] => {
    const node = nodes.get(line.nodeId);
    return node === undefined ? [] : [previewLine(node, line, call)];
  });
  const count = (fidelity: CallReportLine['fidelity']): number =>
    lines.filter((line) => line.fidelity === fidelity).length;
  const blocking = objectionIn(call.request.violations);
  return {
    lines,
    survives: count('verbatim'),
    becomesText: count('canonical'),
    vanishes: count('dropped'),
    breakNodeId: call.context.breakNodeId,
    estimatedTokens: call.context.estimatedTokens,
    obstacle: blocking === undefined ? null : `${blocking.rule}: ${blocking.message}`,
    violations: call.request.violations,
    reasoning,
  };
}

function prepareWithNextMessage(
  path: readonly TreeNode[],
  target: CallTarget,
  sources: CallSources,
): { readonly call: PreparedCall | null; readonly obstacle: string | null } {
  const last = path.at(-1);
  const waits = last === undefined || last.role === 'assistant' || last.role === 'system';
  try {
    return { call: prepareCall(waits ? [...path, nextMessage(last)] : path, target, sources), obstacle: null };
  } catch (error) {
    if (error instanceof ContextTooLongError) return { call: null, obstacle: error.message };
    throw error;
  }
}

/** Stands in for the message that the user has not written yet: no request ends with a reply. */
function nextMessage(last: TreeNode | undefined): TreeNode {
  return createNode({
    id: nodeId('preview'),
    projectId: last?.projectId ?? projectId('preview'),
    parentId: last?.id ?? null,
    role: 'user',
    contentBlocks: [{ type: 'text', text: '…' }],
    createdAt: last?.createdAt ?? '',
  });
}

const THINKING_LOSSES: ReadonlySet<string> = new Set([
  'thinking_not_replayable',
  'thinking_prefix_changed',
  'thinking_unsigned',
  'foreign_issuer',
  'raw_missing',
  'model_break',
  'no_provider_information',
]);

function previewLine(node: TreeNode, line: CallReportLine, call: PreparedCall): PreviewLine {
  const reasons = new Set<string>(line.reasons);
  const items = call.context.items.filter((item) => item.nodeIds.includes(node.id));
  const hasThinking = node.contentBlocks.some(isReasoningBlock);
  const hasTools = node.contentBlocks.some(isToolUseBlock) || node.role === 'tool';
  const gone = line.fidelity === 'dropped';
  return {
    ...line,
    thinking: !hasThinking ? 'none' : gone ? 'lost' : thinkingFate(reasons, items),
    tools: !hasTools ? 'none' : reasons.has('tool_use_as_text') ? 'as_text' : gone ? 'lost' : 'kept',
  };
}

function thinkingFate(
  reasons: ReadonlySet<string>,
  items: PreparedCall['context']['items'],
): Exclude<PreviewLine['thinking'], 'none'> {
  if (reasons.has('thinking_included_as_text')) return 'as_text';
  if ([...reasons].some((reason) => THINKING_LOSSES.has(reason))) return 'lost';
  return items.some((item) => item.source === 'raw' && item.reasoning === 'verbatim') ? 'kept' : 'lost';
}
