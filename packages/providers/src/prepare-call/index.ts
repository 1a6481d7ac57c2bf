import type {
  AssembledContext,
  Branch,
  BranchId,
  CachedTurn,
  Choices,
  FilesOtherwise,
  Lock,
  NodeId,
  ProviderTool,
  RawResponse,
  ThinkingSetting,
  ToolDefinition,
  TreeNode,
} from '@bough/core';
import { assembleContext, BoughError, exceeds, startOfPrefix, tokenBudget, toolChangesOf } from '@bough/core';
import { cacheHabits } from '../models/cache-habits.ts';
import type { PreparedRequest, RenderInput } from '../protocol.ts';
import type { Provider } from '../provider.ts';
import { joinBytes, joinMessages } from '../render/body-text.ts';
import type { Front } from './cached-turns/front.ts';
import {
  breakOf,
  detailsOf,
  filesOf,
  findFront,
  headOf,
  isFront,
  joinedBytes,
  lastReplyIn,
  newestThought,
  repeatsId,
} from './cached-turns/front.ts';
import { newCachedTurns } from './cached-turns/new.ts';
import { assemblyOptions, mostTokens, renderInput } from './inputs.ts';
import type { CallReportLine } from './report.ts';
import { mergeReport } from './report.ts';

export { cacheSlot } from './cached-turns/key.ts';
export type { CallReportLine } from './report.ts';

/** A part of a summary: a question or its answer, with everything about it that can change. */
export type SummaryNode = Pick<TreeNode, 'id' | 'includeThinkingInContext' | 'matchKey'>;

/** Who is asked, and with which settings. */
export interface CallTarget {
  readonly provider: Provider;
  readonly model: string;
  readonly systemPrompt: string | null;
  readonly tools: readonly ToolDefinition[];
  /** What the provider runs itself; absent: nothing. */
  readonly providerTools?: readonly ProviderTool[];
  /** False right after the provider said that a container is gone; what that request leaves out stays out. */
  readonly mayUseContainers?: boolean;
  /** The ids of the files that a new container is to have. */
  readonly containerFiles?: readonly string[];
  /** False right after the provider said that it no longer has one of them. */
  readonly mayBringFiles?: boolean;
  readonly thinking: ThinkingSetting;
  /** By issuer if absent. */
  readonly replayBy?: Branch['replayBy'];
  readonly keepToolsAfterBreak?: Branch['keepToolsAfterBreak'];
  /** False if replies of the provider's other models are to be sent without their reasoning. */
  readonly mayShareReasoning?: boolean;
  /** What becomes of files that the model does not take; `text` if absent. */
  readonly filesOtherwise?: FilesOtherwise | undefined;
  /** What a person decided about single messages; absent: nothing. */
  readonly choices?: Choices | undefined;
  /** The nodes of the path that stand for everything before them; absent: nothing was summarised. */
  readonly summary?: readonly SummaryNode[] | undefined;
  /** The summaries that the branch had before that one, oldest first, each with what was asked for it. */
  readonly earlierSummaries?: readonly (readonly TreeNode[])[] | undefined;
  /** Asks the provider for a summary of everything instead of a reply, in these words. */
  readonly summarise?: string;
  readonly toolChoice?: RenderInput['toolChoice'];
  /** The requested output limit; absent: as much as the model allows. */
  readonly maxTokens?: number;
  /** Refuse what does not fit instead of asking for less. */
  readonly failEarly?: boolean;
  readonly stream?: boolean;
}

/** Where the parts of a path are kept. */
export interface CallSources {
  readonly rawOf: (node: NodeId) => RawResponse | undefined;
  readonly renderingOf?: RenderInput['renderingOf'];
  /** The lock of the branch that an old node was made on. */
  readonly lockOf?: (branch: BranchId) => Lock | null;
  readonly previousResponse?: RenderInput['previousResponse'];
  readonly comparedWith?: RenderInput['comparedWith'];
  readonly cacheKey?: RenderInput['cacheKey'];
}

/** A path as a store returns it: all of it as marks, its end as nodes, and what is cached of the rest. */
export interface StoredPath {
  /** As `marksOf` writes them. */
  readonly marks: string;
  readonly cachedTurns: readonly CachedTurn[];
  /** The nodes after the cached turns. */
  readonly nodes: readonly TreeNode[];
}

/** The beginning of a request that was the same in an earlier one to the same model. */
export interface RepeatedPart {
  /** The newest reply to a request that this one begins with, where there is one. */
  readonly replyId: NodeId | null;
  /** How much of it there is at least, estimated. */
  readonly estimatedTokens: number;
  /** How many blocks follow it. */
  readonly blocksBehind: number;
  /** Whether that reply is the newest one that is sent. */
  readonly isNewest: boolean;
}

export interface PreparedCall {
  /**
   * Covers only the nodes after the cached turns, except for what describes the whole path: its tokens, its break, what
   * a reply is made with.
   */
  readonly context: Pick<AssembledContext, 'items' | 'report' | 'estimatedTokens' | 'breakNodeId' | 'madeWith'>;
  /** What the request begins with and this model was sent before. */
  readonly repeated: RepeatedPart;
  readonly request: PreparedRequest;
  /** One line per node of the path, in order. */
  readonly report: readonly CallReportLine[];
  /** The most that is asked for, after every limit. */
  readonly maxTokens: number;
  /** The closed turns that were not cached yet, to be stored. */
  readonly newCachedTurns: () => readonly CachedTurn[];
}

/** Nothing on the path can be sent: there is no message that a model could answer. */
export class NothingToAnswerError extends BoughError {
  constructor() {
    super('nothing_to_answer', 'There is nothing to answer here. Write a message first.');
  }
}

/**
 * From a path to the finished request: assembly, rendering, preflight. Every request is made here, so what a preview
 * shows and what is sent cannot differ. Throws `ContextTooLongError` if the newest turn does not fit, and
 * `NothingToAnswerError` if there is none.
 */
export function prepareCall(path: readonly TreeNode[], target: CallTarget, sources: CallSources): PreparedCall {
  const options = assemblyOptions(target, sources);
  const context = assembleContext(path, options);
  const maxTokens = mostTokens(target, context.estimatedTokens);
  // Instructions alone are nothing that a model could answer.
  if (context.items.every(({ message }) => message.role === 'system')) throw new NothingToAnswerError();
  const request = target.provider.prepare(renderInput(context, maxTokens, target, sources));
  const report = mergeReport(context, request.notes);
  const prefix = startOfPrefix(target.systemPrompt, target.tools, target.providerTools);
  const isTrimmed = sum(context.untrimmedTokens.values()) > tokenBudget(options, options.limits?.contextWindow ?? 0);
  // A file that is left out because there are too many takes its place from those behind it.
  const isCut = exceeds([...context.sentFiles.values()].flat(), options.files?.limits ?? {});
  const isCached = !isTrimmed && !isCut;
  return {
    context,
    request,
    report,
    maxTokens,
    repeated: repeatedPart(context.repeats),
    newCachedTurns: () => (isCached ? newCachedTurns({ nodes: path, prefix, context, request, report }, target) : []),
  };
}

/**
 * The same for a path of which only the end was read: the closed turns before it enter the request as cached. Null if
 * they do not reach the nodes, or if the request could come out differently: then the whole path has to be read.
 */
export function prepareStored(path: StoredPath, target: CallTarget, sources: CallSources): PreparedCall | null {
  if (path.cachedTurns.length === 0) return prepareCall(path.nodes, target, sources);
  const front = sources.previousResponse === undefined ? findFront(path, target) : null;
  return front === null ? null : prepareBehind(front, path.nodes, target, sources);
}

/** Assembles, renders and checks only what follows the cached turns. It begins with a user message. */
function prepareBehind(
  front: Front,
  nodes: readonly TreeNode[],
  target: CallTarget,
  sources: CallSources,
): PreparedCall | null {
  const options = assemblyOptions(target, sources);
  const [first] = nodes;
  if (first?.role !== 'user') return null;
  const rest = assembleContext(nodes, { ...options, limits: null, behind: front.prefix });
  // Instructions that are lifted, and tools as they were at the beginning, would have to precede the cached turns.
  if (rest.systemPrompt !== target.systemPrompt || toolChangesOf(nodes).length > 0) return null;
  if (rest.items[0]?.nodeIds[0] !== first.id || !isFront(front, rest, options)) return null;
  const untrimmed = front.untrimmedTokens + sum(rest.untrimmedTokens.values());
  if (untrimmed > tokenBudget(options, options.limits?.contextWindow ?? 0)) return null;
  if (exceeds([...filesOf(front), ...[...rest.sentFiles.values()].flat()], options.files?.limits ?? {})) return null;
  const estimatedTokens = front.estimatedTokens + rest.estimatedTokens;
  const maxTokens = mostTokens(target, estimatedTokens);
  const request = target.provider.prepare(renderInput(rest, maxTokens, target, sources, headOf(front, target)));
  // If something is wrong, the rules must see the whole request, to name the places and to repair.
  if (request.violations.length > 0 || request.text === null || request.text.messages[0]?.nodeId !== first.id)
    return null;
  if (repeatsId(front, request.text, target)) return null;
  const repeated = repeatedBehind(front, rest, target);
  if (repeated === null) return null;
  const report = mergeReport(rest, request.notes);
  return {
    context: {
      items: rest.items,
      report: rest.report,
      estimatedTokens,
      breakNodeId: rest.breakNodeId ?? breakOf(front),
      madeWith: { ...rest.madeWith, previousThinking: rest.madeWith.previousThinking ?? newestThought(front) },
    },
    request: behindFront(front, request, request.text),
    get report() {
      return [...detailsOf(front).flatMap((details) => details.report), ...report];
    },
    maxTokens,
    repeated,
    newCachedTurns: () => newCachedTurns({ nodes, prefix: front.prefix, context: rest, request, report }, target),
  };
}

function repeatedPart(repeats: AssembledContext['repeats'], front = 0): RepeatedPart {
  return {
    replyId: repeats?.nodeId ?? null,
    estimatedTokens: front + (repeats?.estimatedTokens ?? 0),
    blocksBehind: repeats?.blocksBehind ?? 0,
    isNewest: repeats?.isNewest ?? false,
  };
}

/**
 * Cached turns were part of a request to this model, in this place: that is what they were kept from. A cache that
 * finds only the ends of requests has the one that the last of them answers. Null where it does not look back that far,
 * or where that cannot be told without the turns before.
 */
function repeatedBehind(
  front: Front,
  rest: AssembledContext,
  { provider, model, summary, choices = {} }: CallTarget,
): RepeatedPart | null {
  const marks = cacheHabits(provider.deployment, provider.modelInfo(model))?.marks ?? null;
  if (rest.repeats !== null || marks === null) return repeatedPart(rest.repeats, front.estimatedTokens);
  // Imported, or another model's: which request they followed is not worth reading the whole path.
  if (rest.items.some(({ message }) => message.role === 'assistant')) return repeatedPart(null);
  const reply = lastReplyIn(front);
  if (reply === null) return null;
  const { nodeId, blocks, estimatedTokens } = reply;
  const behind = rest.items.reduce((sum, { message }) => sum + message.content.length, blocks);
  if (behind >= marks.lookback) return null;
  // Behind a summary or a choice that reply may be older: then it answers another request.
  if (summary !== undefined || Object.keys(choices).length > 0) return repeatedPart(null);
  return {
    replyId: nodeId,
    estimatedTokens: front.estimatedTokens - estimatedTokens,
    blocksBehind: behind,
    isNewest: true,
  };
}

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

/** The request with the cached turns before its own messages. They are neither rewritten nor re-encoded. */
function behindFront(
  front: Front,
  request: PreparedRequest,
  text: NonNullable<PreparedRequest['text']>,
): PreparedRequest {
  const before = ENCODER.encode(text.before);
  const behind = ENCODER.encode(`${joinMessages(text.messages)}${text.behind}`);
  const pieces = [before, joinedBytes(front), behind];
  return {
    ...request,
    pieces,
    get body() {
      return DECODER.decode(joinBytes(pieces));
    },
    get notes() {
      return [...detailsOf(front).flatMap((details) => details.notes), ...request.notes];
    },
  };
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
