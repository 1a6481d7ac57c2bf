import type {
  AssembledContext,
  Branch,
  Lock,
  NodeId,
  RawResponse,
  ThinkingSetting,
  ToolDefinition,
  TreeNode,
} from '@bough/core';
import type { BranchId } from '@bough/core';
import { assembleContext, BoughError, tokenBudget } from '@bough/core';
import type { PreparedRequest, RenderInput } from '../protocol.ts';
import type { Provider } from '../provider.ts';
import type { Recall } from './recall/index.ts';
import { assemblyOptions, mostTokens, renderInput } from './inputs.ts';
import type { CallReportLine } from './report.ts';
import { mergeReport } from './report.ts';
import type { Settled } from './settled/index.ts';
import { contextBehind, settleBehind, settledOf } from './settled/index.ts';

export type { CallReportLine } from './report.ts';
export type { Settled } from './settled/index.ts';

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
  /** A text that is another one once anything of a stored node changed; undefined where the store cannot tell. */
  readonly versionOf?: (node: NodeId) => string | undefined;
  /** The lock of the branch that an old node was made on. */
  readonly lockOf?: (branch: BranchId) => Lock | null;
  readonly previousResponse?: RenderInput['previousResponse'];
  /** What this process remembers of earlier requests. It changes what a request costs, never what it says. */
  readonly recall?: Recall | undefined;
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

/**
 * From a path to the finished request: assembly, rendering, preflight. The one way in which a request comes about, so that what
 * a preview shows and what is sent cannot differ. Throws `ContextTooLongError` where the newest turn does not fit, and
 * `NothingToAnswerError` where there is none.
 */
export function prepareCall(path: readonly TreeNode[], target: CallTarget, sources: CallSources): PreparedCall {
  const { recall } = sources;
  if (recall === undefined) return prepareWhole(path, target, sources);
  const nodes = path.map(recall.node);
  const settled = settledOf(nodes, target, sources, recall);
  const quick = settled === null ? null : prepareBehind(settled, nodes.slice(settled.nodes.length), target, sources);
  const call = quick ?? prepareWhole(nodes, target, sources);
  if (isJudged(call, target, sources)) recall.judged(nodes, target, quick === null ? null : settled);
  return call;
}

/**
 * The same for a path whose front the process remembers, so that `sources` know only what stands behind it. Null where a request cannot
 * be made without the rest: then all of the path has to be read.
 */
export function prepareCallBehind(
  front: Settled,
  path: readonly TreeNode[],
  target: CallTarget,
  sources: CallSources & { readonly recall: Recall },
): PreparedCall | null {
  const { recall } = sources;
  const { length } = front.nodes;
  if (path.length <= length || path[length - 1] !== front.nodes.at(-1)) return null;
  const nodes = [...front.nodes, ...path.slice(length).map(recall.node)];
  const settled = settleBehind(front, nodes, target, sources, recall) ?? front;
  const call = prepareBehind(settled, nodes.slice(settled.nodes.length), target, sources);
  if (call !== null && isJudged(call, target, sources)) recall.judged(nodes, target, settled);
  return call;
}

/** Whether every message of the path was looked at, and nothing was wrong with any. */
function isJudged({ context, request }: PreparedCall, target: CallTarget, sources: CallSources): boolean {
  const options = assemblyOptions(target, sources);
  return (
    request.violations.length === 0 &&
    options.limits !== null &&
    context.untrimmedTokens <= tokenBudget(options, options.limits.contextWindow)
  );
}

function prepareWhole(path: readonly TreeNode[], target: CallTarget, sources: CallSources): PreparedCall {
  const context = assembleContext(path, assemblyOptions(target, sources));
  const maxTokens = mostTokens(target, context.estimatedTokens);
  if (context.items.length === 0) throw new NothingToAnswerError();
  const request = target.provider.prepare(renderInput(context, maxTokens, target, sources));
  return { context, request, report: mergeReport(context, request.notes), maxTokens };
}

/** Of a path whose front is settled, only what stands behind the front is assembled, rendered and judged. Null where that could come out otherwise. */
function prepareBehind(
  settled: Settled,
  nodes: readonly TreeNode[],
  target: CallTarget,
  sources: CallSources,
): PreparedCall | null {
  const context = contextBehind(settled, nodes, assemblyOptions(target, sources));
  if (context === null) return null;
  const maxTokens = mostTokens(target, context.whole.estimatedTokens);
  const request = target.provider.prepareBehind(renderInput(context.rest, maxTokens, target, sources), settled.front);
  if (request === null) return null;
  const report = settled.report.concat(mergeReport(context.rest, request.notes.slice(settled.front.notes.length)));
  return { context: context.whole, request, report, maxTokens };
}
