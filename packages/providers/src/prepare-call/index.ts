import type {
  AssembledContext,
  Branch,
  ContextReason,
  Fidelity,
  Lock,
  NodeId,
  RawResponse,
  ThinkingSetting,
  ToolDefinition,
  TreeNode,
} from '@bough/core';
import type { BranchId } from '@bough/core';
import { assembleContext, BoughError, clampMaxTokens } from '@bough/core';
import type { PreparedRequest, RenderInput, RenderNote } from '../protocol.ts';
import type { Provider } from '../provider.ts';
import type { Recall } from './recall/index.ts';
import { replaysThinking } from './replays-thinking.ts';

/** Who is asked, and with what. */
export interface CallTarget {
  readonly provider: Provider;
  readonly model: string;
  readonly systemPrompt: string | null;
  readonly tools: readonly ToolDefinition[];
  readonly thinking: ThinkingSetting;
  readonly keepToolsAfterBreak?: Branch['keepToolsAfterBreak'];
  readonly toolChoice?: RenderInput['toolChoice'];
  /** What is asked for; absent: as much as the model allows. */
  readonly maxTokens?: number;
  readonly stream?: boolean;
}

/** Where the parts of a path are kept. */
export interface CallSources {
  readonly rawOf: (node: NodeId) => RawResponse | undefined;
  readonly renderingOf?: RenderInput['renderingOf'];
  /** The lock of the branch that an old node was made on. */
  readonly lockOf?: (branch: BranchId) => Lock | null;
  readonly previousResponse?: RenderInput['previousResponse'];
  /** What this process remembers of earlier requests. It changes what a request costs, never what it says. */
  readonly recall?: Recall | undefined;
}

/** What happens to one node: what assembly decided, and what the protocol had to do on top of it. */
export interface CallReportLine {
  readonly nodeId: NodeId;
  readonly fidelity: Fidelity;
  readonly reasons: readonly (ContextReason | RenderNote['reason'])[];
  /** What the protocol has to say about it, for people. */
  readonly details: readonly string[];
  readonly estimatedTokens: number;
}

export interface PreparedCall {
  readonly context: AssembledContext;
  readonly request: PreparedRequest;
  readonly report: readonly CallReportLine[];
  /** What is asked for at the most, after every limit. */
  readonly maxTokens: number;
}

/** Nothing of the path can be sent: there is no message that a model could answer. */
export class NothingToAnswerError extends BoughError {
  constructor() {
    super('nothing_to_answer', 'There is nothing to answer here. Write a message first.');
  }
}

/** The share of the window that is kept free for an answer, where the model would take more. */
const MOST_RESERVED = 1 / 4;

/**
 * From a path to the finished request: assembly, rendering, preflight. The one way in which a request comes about, so that what
 * a preview shows and what is sent cannot differ. Throws `ContextTooLongError` where the newest turn does not fit, and
 * `NothingToAnswerError` where there is none.
 */
export function prepareCall(given: readonly TreeNode[], target: CallTarget, sources: CallSources): PreparedCall {
  const { provider, model } = target;
  const { recall } = sources;
  const path = recall === undefined ? given : given.map(recall.node);
  const info = provider.modelInfo(model);
  const wanted = Math.min(target.maxTokens ?? info.maxOutputTokens, info.maxOutputTokens);
  const context = assembleContext(path, {
    lock: { provider: provider.deployment.id, model },
    systemPrompt: target.systemPrompt,
    tools: target.tools,
    hasRaw: (node) => sources.rawOf(node) !== undefined,
    ...(sources.lockOf === undefined ? {} : { lockOf: sources.lockOf }),
    limits: info,
    reserveTokens: Math.floor(Math.min(wanted, info.contextWindow * MOST_RESERVED)),
    bindsThinkingToPrefix: info.bindsThinkingToPrefix,
    replaysThinking: replaysThinking(provider.deployment, info),
    keepToolsAfterBreak: target.keepToolsAfterBreak ?? false,
  });
  const maxTokens = clampMaxTokens({
    requested: wanted,
    inputTokens: context.estimatedTokens,
    limits: info,
    failEarly: true,
  });
  if (context.items.length === 0) throw new NothingToAnswerError();
  const request = provider.prepare({
    items: context.items,
    systemPrompt: context.systemPrompt,
    tools: target.tools,
    toolChoice: target.toolChoice ?? 'auto',
    thinking: target.thinking,
    maxTokens,
    stream: target.stream ?? true,
    model,
    rawOf: sources.rawOf,
    readingOf: recall?.reading,
    ...(sources.renderingOf === undefined ? {} : { renderingOf: sources.renderingOf }),
    previousResponse: sources.previousResponse,
  });
  return { context, request, report: mergeReport(context, request.notes), maxTokens };
}

/** Notes that tell of a loss: a node that has one is no longer sent as it was. */
const LOSSES: ReadonlySet<RenderNote['reason']> = new Set<RenderNote['reason']>([
  'raw_missing',
  'foreign_issuer',
  'thinking_unsigned',
  'thinking_not_replayable',
  'custom_block_not_sent',
  'repaired',
]);

function mergeReport(context: AssembledContext, notes: readonly RenderNote[]): readonly CallReportLine[] {
  if (notes.length === 0) return context.report.map((line) => ({ ...line, details: [] }));
  // Several nodes may have become one message; what happens to it happens to all of them.
  const sharers = new Map(context.items.flatMap(({ nodeIds }) => nodeIds.map((id) => [id, nodeIds] as const)));
  const notesOf = new Map<NodeId, RenderNote[]>();
  for (const note of notes) {
    for (const id of sharers.get(note.nodeId) ?? [note.nodeId]) notesOf.set(id, [...(notesOf.get(id) ?? []), note]);
  }
  return context.report.map((line) => {
    const own = notesOf.get(line.nodeId) ?? [];
    const changed = line.fidelity === 'verbatim' && own.some((note) => LOSSES.has(note.reason));
    return {
      nodeId: line.nodeId,
      fidelity: changed ? 'canonical' : line.fidelity,
      reasons: [...new Set([...line.reasons, ...own.map((note) => note.reason)])],
      details: own.map((note) => note.detail),
      estimatedTokens: line.estimatedTokens,
    };
  });
}
