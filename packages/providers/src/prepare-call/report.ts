import type { AssembledContext, ContextReason, Fidelity, NodeId, ReasoningFate, ReportLine } from '@bough/core';
import type { RenderNote } from '../protocol.ts';

/** What happens to one node: what assembly decided, and what the protocol had to do in addition. */
export interface CallReportLine {
  readonly nodeId: NodeId;
  readonly fidelity: Fidelity;
  readonly reasons: readonly (ContextReason | RenderNote['reason'])[];
  /** What the protocol has to say about it, in words for people. */
  readonly details: readonly string[];
  readonly estimatedTokens: number;
  /** What happens to the reasoning of a reply; absent where there is none to be read, or where the reply stays out. */
  readonly reasoning?: ReasoningFate;
}

/** A line to which the protocol has nothing to add. */
function asItIs(line: ReportLine): CallReportLine {
  return {
    nodeId: line.nodeId,
    fidelity: line.fidelity,
    reasons: line.reasons,
    details: [],
    estimatedTokens: line.estimatedTokens,
    ...(line.reasoning === undefined ? {} : { reasoning: line.reasoning }),
  };
}

/** Notes that report a loss: a node with one of these is no longer sent unchanged. */
const LOSSES: ReadonlySet<RenderNote['reason']> = new Set<RenderNote['reason']>([
  'raw_missing',
  'foreign_issuer',
  'thinking_unsigned',
  'thinking_not_replayable',
  'custom_block_not_sent',
  'container_expired',
  'repaired',
]);

export function mergeReport(context: AssembledContext, notes: readonly RenderNote[]): readonly CallReportLine[] {
  if (notes.length === 0) return context.report.map(asItIs);
  // Several nodes may have become one message; what happens to it happens to all of them.
  const sharers = new Map<NodeId, readonly NodeId[]>();
  for (const { nodeIds } of context.items) if (nodeIds.length > 1) for (const id of nodeIds) sharers.set(id, nodeIds);
  const notesOf = new Map<NodeId, RenderNote[]>();
  for (const note of notes) {
    for (const id of sharers.get(note.nodeId) ?? [note.nodeId]) notesOf.set(id, [...(notesOf.get(id) ?? []), note]);
  }
  return context.report.map((line) => {
    const own = notesOf.get(line.nodeId);
    if (own === undefined) return asItIs(line);
    const changed = line.fidelity === 'verbatim' && own.some((note) => LOSSES.has(note.reason));
    return {
      nodeId: line.nodeId,
      fidelity: changed ? 'canonical' : line.fidelity,
      reasons: [...new Set([...line.reasons, ...own.map((note) => note.reason)])],
      details: own.map((note) => note.detail),
      estimatedTokens: line.estimatedTokens,
      ...(line.reasoning === undefined ? {} : { reasoning: lessened(line.reasoning, own) }),
    };
  });
}

/** Notes that say that reasoning which was to go back does not, or not all of it. */
const REASONING_LOSSES: ReadonlySet<RenderNote['reason']> = new Set<RenderNote['reason']>([
  'raw_missing',
  'foreign_issuer',
  'thinking_unsigned',
  'thinking_not_replayable',
]);

function lessened(reasoning: ReasoningFate, notes: readonly RenderNote[]): ReasoningFate {
  return reasoning === 'goes_back' && notes.some(({ reason }) => REASONING_LOSSES.has(reason))
    ? 'incomplete'
    : reasoning;
}
