import type { AttachedBlock } from '../blocks/index.ts';
import type { MadeWith, NodeId, ToolDefinition, TreeNode } from '../entities/index.ts';
import type { Message } from '../messages/index.ts';
import { estimateFixedTokens } from '../tokens/index.ts';
import { messageOfNode } from '../tree/node.ts';
import type { Assembly, AssemblyOptions, ContextRule, ItemDraft, NodeOutcome } from './assembly.ts';
import { draftTokens } from './assembly.ts';
import type { ContextItem, ReportLine } from './items.ts';
import { buildCanonicalMask } from './mask/index.ts';
import { toolsAtStart } from './tool-changes/index.ts';
import { withoutCanvas } from './canvas/index.ts';
import { withoutLeftOut, withoutThese } from './left-out/index.ts';
import { behindSummary } from './behind-summary/index.ts';
import type { Way } from './ways/index.ts';
import { waysOf } from './ways/index.ts';
import type { Thought } from './prefix/index.ts';
import { chainsBySummary, madeWithOf, prefixKeys, reasoningFate, thoughtsOf } from './prefix/index.ts';
import { bindThinkingToPrefix } from './rules/bind-thinking-to-prefix/index.ts';
import { coalesceText } from './rules/coalesce-text/index.ts';
import { dropEmpty } from './rules/drop-empty/index.ts';
import { excludeErrorReplies } from './rules/exclude-error-replies/index.ts';
import { filesAsText, filesPerNode } from './rules/files-as-text/index.ts';
import { keepValidPart } from './rules/keep-valid-part/index.ts';
import { liftSystemMessages } from './rules/lift-system-messages/index.ts';
import { pairToolCalls } from './rules/pair-tool-calls/index.ts';
import { thinkingOnRequest } from './rules/thinking-on-request/index.ts';
import { toolsAsText } from './rules/tools-as-text/index.ts';
import { resultsLeftOut } from './rules/results-left-out/index.ts';
import { trimToWindow } from './rules/trim-to-window/index.ts';

/**
 * The policy. What a person left out is not on the path any more when the rules begin. Error replies and broken parts
 * are removed first, so that pairing sees only what can be sent. What becomes of files is decided before trimming,
 * which counts them. Trimming comes before calls become text, so that a result is trimmed and reported together with
 * its call, and before binding, because it changes the prefix. Thinking as text is decided once it is known which
 * thinking can go back; joining comes last.
 */
export const CONTEXT_RULES: readonly ContextRule[] = [
  liftSystemMessages,
  excludeErrorReplies,
  keepValidPart,
  pairToolCalls,
  resultsLeftOut,
  filesAsText,
  trimToWindow,
  toolsAsText,
  bindThinkingToPrefix,
  thinkingOnRequest,
  dropEmpty,
  coalesceText,
];

/** What would be sent, and what happens to every node of the path. */
export interface AssembledContext {
  readonly systemPrompt: string | null;
  /** The tools at the beginning of the request; changes of them are among the items. */
  readonly tools: readonly ToolDefinition[];
  readonly items: readonly ContextItem[];
  /** One line per node of the path, in path order. */
  readonly report: readonly ReportLine[];
  /** The newest reply of another provider or model; null if there is none. */
  readonly breakNodeId: NodeId | null;
  readonly estimatedTokens: number;
  /** The tokens of each node's messages before anything is trimmed or reworded: what trimming is based on. */
  readonly untrimmedTokens: ReadonlyMap<NodeId, number>;
  /** By node: the files that go into the request, before any is left out because there are too many. */
  readonly sentFiles: ReadonlyMap<NodeId, readonly AttachedBlock[]>;
  /** By node: the prefix key of everything before its first message. A node that is not sent has none. */
  readonly prefixes: ReadonlyMap<NodeId, string>;
  /** The replies whose reasoning may go back, in order. */
  readonly thoughts: readonly Thought[];
  /** To be stored on the reply that is made with this context. */
  readonly madeWith: MadeWith;
  /** The newest reply whose request this one begins with; null if it begins with none. */
  readonly repeats: Repeated | null;
  /** Other prefix keys of everything that is sent, as if what a provider's own summary stands for still stood there. */
  readonly otherEnds: readonly string[];
}

/** A reply of the same model that was made after what this request begins with. */
export interface Repeated {
  readonly nodeId: NodeId;
  /** What precedes the reply, estimated. */
  readonly estimatedTokens: number;
  /** How many blocks follow, those of the reply included. */
  readonly blocksBehind: number;
  /** Whether no newer reply is sent. */
  readonly isNewest: boolean;
}

/** Decides which parts of a path are sent, and how. Pure: the same path and options always give the same context. */
export function assembleContext(whole: readonly TreeNode[], given: AssemblyOptions): AssembledContext {
  // As if it had been deleted: what is bound to what precedes it, paired with it or broken by it sees the same path.
  const summarised = behindSummary(whole, given.summary, given.choices);
  const chosen = withoutLeftOut(summarised, withoutThese(given.choices, given.summary));
  const path = withoutCanvas(chosen);
  const atStart = given.toolChanges ? toolsAtStart(path, given.tools) : null;
  const summaryEnds = endsOfSummarised(whole, given);
  const options = { ...given, tools: atStart ?? given.tools, toolChanges: atStart !== null, summaryEnds };
  const mask = buildCanonicalMask(path, options.lock, options.lockOf);
  const ways = waysOf(path, mask, options);
  const start: Assembly = {
    systemPrompt: options.systemPrompt,
    drafts: path.map((node, index) => draftOf(node, ways[index] ?? {})),
    outcomes: firstOutcomes(path, ways),
  };
  let end = start;
  let untrimmed = start;
  let withFiles = start;
  let bound = start;
  for (const rule of CONTEXT_RULES) {
    if (rule === filesAsText) withFiles = end;
    if (rule === trimToWindow) untrimmed = end;
    end = rule.apply(end, options);
    // Keys are taken where they will be compared: later rules join drafts, and one key would stand for several
    // messages.
    if (rule === bindThinkingToPrefix) bound = end;
  }
  const keys = prefixKeys(bound, options);
  const tokens = tokensPerNode(end.drafts, options);
  // Before reasoning is told as text: that replaces the draft which says why.
  const fates = new Map(bound.drafts.map((draft) => [draft.node.id, reasoningFate(draft, options)]));
  const standing = new Set(summarised.map(({ id }) => id));
  const left = new Set(chosen.map(({ id }) => id));
  const sent = new Set(path.map(({ id }) => id));
  const report = whole.map((node): ReportLine => {
    const { id } = node;
    if (!sent.has(id)) {
      const reason = !standing.has(id) ? 'compacted' : left.has(id) ? 'canvas_not_sent' : 'left_out';
      return { nodeId: id, fidelity: 'dropped', reasons: [reason], estimatedTokens: 0 };
    }
    const { fidelity, reasons } = end.outcomes.get(id) ?? AS_IT_IS;
    const reasoning = fates.get(id);
    const line = { nodeId: id, fidelity, reasons, estimatedTokens: tokens.get(id) ?? 0 };
    return reasoning === undefined ? line : { ...line, reasoning };
  });
  const fixed = estimateFixedTokens({ systemPrompt: end.systemPrompt, tools: options.tools });
  return {
    systemPrompt: end.systemPrompt,
    tools: options.tools,
    items: end.drafts.map((draft) => draft.item),
    report,
    breakNodeId: path[mask.breakIndex]?.id ?? null,
    estimatedTokens: [...tokens.values()].reduce((sum, value) => sum + value, fixed),
    untrimmedTokens: tokensPerNode(untrimmed.drafts, options),
    sentFiles: options.files === undefined ? new Map() : filesPerNode(withFiles.drafts, options.files),
    prefixes: firstPrefixes(bound, keys),
    thoughts: thoughtsOf(bound, keys, options),
    madeWith: madeWithOf(bound, keys),
    repeats: repeatedBy(bound, keys, options, fixed),
    otherEnds: chainsBySummary(bound.drafts, options).flatMap((chain) => chain.at(-1) ?? []),
  };
}

/**
 * The prefix keys of what a summary stands for, if the first is also what the summary was made with: then its provider
 * made it itself, with the instructions and tools of this request. A model that was asked had the question before it,
 * too. What it was made from may begin with another summary, behind which the same holds.
 */
function endsOfSummarised(whole: readonly TreeNode[], given: AssemblyOptions): readonly string[] {
  const { summary, earlierSummaries: earlier = [], ...others } = given;
  const made = whole.find(({ id }) => id === summary?.at(-1))?.madeWith?.prefix;
  const first = whole.findIndex(({ id }) => id === summary?.[0]);
  if (made === undefined || first < 1 || !given.bindsThinkingToPrefix) return [];
  const covered = withNewest(whole.slice(0, first), earlier);
  const { madeWith, otherEnds } = assembleContext(covered.path, { ...others, ...covered.standing, limits: null });
  return madeWith.prefix === made ? [made, ...otherEnds] : [];
}

/** The path with the summary in place that stood for its beginning: of those that are on it, the one for most of it. */
function withNewest(
  path: readonly TreeNode[],
  summaries: readonly (readonly TreeNode[])[],
): { readonly path: readonly TreeNode[]; readonly standing: Pick<AssemblyOptions, 'summary' | 'earlierSummaries'> } {
  const places = summaries.map(([asked]) => path.findIndex(({ id }) => id === asked?.parentId));
  const end = Math.max(-1, ...places);
  const index = places.lastIndexOf(end);
  const nodes = summaries[index];
  if (end < 0 || nodes === undefined) return { path, standing: {} };
  return {
    path: [...path.slice(0, end + 1), ...nodes, ...path.slice(end + 1)],
    standing: { summary: nodes.map(({ id }) => id), earlierSummaries: summaries.slice(0, index) },
  };
}

/**
 * By what is stored with each reply about the request that it answers. Thinking is no part of that, except for the last
 * thought that went back.
 */
function repeatedBy(
  { drafts }: Assembly,
  keys: readonly string[],
  options: AssemblyOptions,
  fixed: number,
): Repeated | null {
  const { provider, model } = options.lock;
  const found = drafts.findLastIndex(({ node, item }, index) => {
    if (node.role !== 'assistant' || item.synthetic || node.provider !== provider || node.modelUsed !== model)
      return false;
    return node.madeWith !== null && node.madeWith.prefix === keys[index];
  });
  const reply = drafts[found]?.node;
  if (reply === undefined) return null;
  const before = drafts.slice(0, found).reduce((sum, draft) => sum + draftTokens(draft, options), fixed);
  const behind = drafts.slice(found);
  return {
    nodeId: reply.id,
    estimatedTokens: before,
    blocksBehind: behind.reduce((sum, { node }) => sum + node.contentBlocks.length, 0),
    isNewest: behind.findLastIndex(({ node }) => node.role === 'assistant') === 0,
  };
}

/** The convenience form: the messages alone, for callers that have no raw and want no report. */
export function buildChatContext(
  path: readonly TreeNode[],
  options: Pick<AssemblyOptions, 'lock'> & Partial<AssemblyOptions>,
): readonly Message[] {
  return assembleContext(path, {
    replayBy: 'issuer',
    systemPrompt: null,
    tools: [],
    hasRaw: () => false,
    limits: null,
    reserveTokens: 0,
    bindsThinkingToPrefix: false,
    replaysThinking: false,
    keepToolsAfterBreak: false,
    systemInPlace: false,
    toolChanges: false,
    ...options,
  }).items.map((item) => item.message);
}

function draftOf(node: TreeNode, { raw = false, taken = 'all' }: Way): ItemDraft {
  return {
    node,
    taken,
    item: {
      nodeIds: [node.id],
      source: raw ? 'raw' : 'canonical',
      message: messageOfNode(node),
      reasoning: raw && taken === 'all' ? 'verbatim' : 'omit',
      partial: false,
      answeredCalls: [],
      synthetic: false,
      ...(node.role === 'tool' && node.isError ? { isError: true } : {}),
    },
  };
}

const AS_IT_IS: NodeOutcome = { fidelity: 'verbatim', reasons: [] };

function firstOutcomes(path: readonly TreeNode[], ways: readonly Way[]): ReadonlyMap<NodeId, NodeOutcome> {
  const outcomes = new Map<NodeId, NodeOutcome>();
  for (const [index, node] of path.entries()) {
    const reason = ways[index]?.reason;
    // No model made an error reply, and the rule that excludes it reports all there is to report.
    if (reason === undefined || node.isError) continue;
    outcomes.set(node.id, { fidelity: 'canonical', reasons: [reason] });
  }
  return outcomes;
}

function firstPrefixes({ drafts }: Assembly, keys: readonly string[]): ReadonlyMap<NodeId, string> {
  const prefixes = new Map<NodeId, string>();
  for (const [index, { node }] of drafts.entries()) {
    if (!prefixes.has(node.id)) prefixes.set(node.id, keys[index] ?? '');
  }
  return prefixes;
}

/** An item made from several nodes is counted at its first. */
function tokensPerNode(drafts: readonly ItemDraft[], options: AssemblyOptions): ReadonlyMap<NodeId, number> {
  const tokens = new Map<NodeId, number>();
  for (const draft of drafts) {
    const [first] = draft.item.nodeIds;
    tokens.set(first, (tokens.get(first) ?? 0) + draftTokens(draft, options));
  }
  return tokens;
}
