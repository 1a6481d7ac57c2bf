import type { AttachedBlock, ContentBlock, NonEmptyArray } from '../blocks/index.ts';
import { isNonEmpty } from '../blocks/index.ts';
import type { Branch, BranchId, Choices, NodeId, ProviderTool, ToolDefinition, TreeNode } from '../entities/index.ts';
import type { Message, ToolMessage } from '../messages/index.ts';
import { messageOf } from '../messages/index.ts';
import type { ModelLimits } from '../tokens/index.ts';
import { estimateFileTokens, estimateMessageTokens } from '../tokens/index.ts';
import type { FilePolicy } from './files/index.ts';
import type { ContextItem, ContextReason, Fidelity } from './items.ts';

/** Who a branch talks to. */
export interface Lock {
  readonly provider: string;
  readonly model: string;
}

/** What a model takes of a reply: all of it, all but its reasoning, or its text alone. */
export type Taken = 'all' | 'reply' | 'text';

export interface AssemblyOptions {
  readonly lock: Lock;
  readonly replayBy: Branch['replayBy'];
  /** What the model takes of replies that another one made; absent: their text. */
  readonly takes?: (maker: Lock) => Taken;
  readonly systemPrompt: string | null;
  readonly tools: readonly ToolDefinition[];
  /** What the provider runs itself: it stands among the tools, before everything else. */
  readonly providerTools?: readonly ProviderTool[];
  /** Whether a node's raw response is available. */
  readonly hasRaw: (node: NodeId) => boolean;
  /** The lock of the branch that an old node without provider information was made on. */
  readonly lockOf?: (branch: BranchId) => Lock | null;
  /** Null if the window is unknown: nothing is trimmed. */
  readonly limits: ModelLimits | null;
  /** Tokens to leave free for the answer. */
  readonly reserveTokens: number;
  readonly bindsThinkingToPrefix: boolean;
  /**
   * Whether the provider takes readable thinking back. If it does not, thinking that the user asked for is sent as
   * text.
   */
  readonly replaysThinking: boolean;
  readonly keepToolsAfterBreak: Branch['keepToolsAfterBreak'];
  /** Whether the model takes instructions in the middle of a conversation. */
  readonly systemInPlace: boolean;
  /** Whether it takes changes of tools there. */
  readonly toolChanges: boolean;
  /** What a person decided about single messages; absent: nothing. */
  readonly choices?: Choices | undefined;
  /** The nodes of the path that stand for everything before them; absent: nothing was summarised. */
  readonly summary?: readonly NodeId[] | undefined;
  /** The summaries that the branch had before that one, oldest first: it may have been made behind one of them. */
  readonly earlierSummaries?: readonly (readonly TreeNode[])[] | undefined;
  /**
   * The prefix keys of everything that the summary stands for, if its provider made it from exactly that: then what was
   * thought right behind it still fits. Computed, never given.
   */
  readonly summaryEnds?: readonly string[] | undefined;
  /** What the model does with files; absent: it takes them all. */
  readonly files?: FilePolicy | undefined;
  /** The prefix key of what comes before the path, if the path continues something that was assembled earlier. */
  readonly behind?: string | undefined;
}

/** An item on its way into the request, with the node that it stands for. */
export interface ItemDraft {
  readonly node: TreeNode;
  /** How much of it the model takes. A result shares the fate of its call. */
  readonly taken: Taken;
  /** The results that its sentences tell of, by node; empty for a call that has none. */
  readonly told?: readonly string[];
  /** How its files are sent, one letter each; absent where all of them are sent as files. */
  readonly files?: string;
  /** Files inside of a reply that goes back as it was made: they cost what they cost, though no message names them. */
  readonly within?: readonly AttachedBlock[];
  readonly item: ContextItem;
}

/** What an item costs, the files of an original included. */
export function draftTokens({ item, within = [] }: ItemDraft, { files }: Pick<AssemblyOptions, 'files'>): number {
  const ofFile = files?.tokens ?? estimateFileTokens;
  return within.reduce((sum, block) => sum + ofFile(block), estimateMessageTokens(item.message, ofFile));
}

export interface NodeOutcome {
  readonly fidelity: Fidelity;
  readonly reasons: readonly ContextReason[];
}

/** What the rules work on: each takes one and returns a new one. */
export interface Assembly {
  readonly systemPrompt: string | null;
  readonly drafts: readonly ItemDraft[];
  /** What to report about a node; absent for a node that is sent as it is. */
  readonly outcomes: ReadonlyMap<NodeId, NodeOutcome>;
}

/** One named decision of the policy. The order of the rules is the policy: see `assemble.ts`. */
export interface ContextRule {
  readonly name: string;
  readonly apply: (assembly: Assembly, options: AssemblyOptions) => Assembly;
}

/** Moves system messages into the system prompt. They are sent, so the report does not call them dropped. */
export function liftToPrompt(assembly: Assembly, lifted: ReadonlySet<ItemDraft>): Assembly {
  if (lifted.size === 0) return assembly;
  const parts = [assembly.systemPrompt, ...[...lifted].map(({ node }) => node.content)];
  const told = parts.filter((part) => part !== null && part.trim() !== '');
  return {
    ...assembly,
    drafts: assembly.drafts.filter((draft) => !lifted.has(draft)),
    systemPrompt: told.length === 0 ? null : told.join('\n\n'),
  };
}

/** Applies `decide` to every draft. Reasons and fidelity end up in the report. Copies nothing if everything is kept. */
export function mapDrafts(assembly: Assembly, decide: (draft: ItemDraft, index: number) => Decision): Assembly {
  let changed: { readonly drafts: ItemDraft[]; readonly outcomes: Map<NodeId, NodeOutcome> } | null = null;
  for (const [index, draft] of assembly.drafts.entries()) {
    const decision = decide(draft, index);
    if (decision.kind === 'keep') {
      changed?.drafts.push(draft);
      continue;
    }
    changed ??= { drafts: assembly.drafts.slice(0, index), outcomes: new Map(assembly.outcomes) };
    const fidelity = decision.kind === 'drop' ? 'dropped' : decision.fidelity;
    recordOutcome(changed.outcomes, draft.node.id, decision.reason, fidelity);
    if (decision.kind === 'replace') changed.drafts.push(...decision.drafts);
  }
  return changed === null ? assembly : { ...assembly, ...changed };
}

export type Decision =
  | { readonly kind: 'keep' }
  | { readonly kind: 'drop'; readonly reason: ContextReason }
  | {
      readonly kind: 'replace';
      readonly drafts: readonly ItemDraft[];
      readonly reason: ContextReason;
      readonly fidelity?: Fidelity;
    };

export const KEEP: Decision = { kind: 'keep' };
export const drop = (reason: ContextReason): Decision => ({ kind: 'drop', reason });
export const replace = (
  drafts: ItemDraft | readonly ItemDraft[],
  reason: ContextReason,
  fidelity?: Fidelity,
): Decision => ({
  kind: 'replace',
  drafts: 'node' in drafts ? [drafts] : drafts,
  reason,
  ...(fidelity === undefined ? {} : { fidelity }),
});

/** Adds a reason to a node's line. `dropped` is final: a later rule cannot revive a node in the report. */
export function recordOutcome(
  outcomes: Map<NodeId, NodeOutcome>,
  id: NodeId,
  reason: ContextReason,
  fidelity?: Fidelity,
): void {
  const before = outcomes.get(id) ?? { fidelity: 'verbatim', reasons: [] };
  outcomes.set(id, {
    fidelity: before.fidelity === 'dropped' ? 'dropped' : (fidelity ?? before.fidelity),
    reasons: before.reasons.includes(reason) ? before.reasons : [...before.reasons, reason],
  });
}

/** The tool messages directly after a reply: the only ones that can answer its calls. */
export function resultsBehind(drafts: readonly ItemDraft[], index: number): readonly ResultDraft[] {
  const results: ResultDraft[] = [];
  for (let next = index + 1; next < drafts.length; next += 1) {
    const draft = drafts[next];
    if (draft === undefined || !isResult(draft)) break;
    results.push(draft);
  }
  return results;
}

export type ResultDraft = ItemDraft & { readonly item: { readonly message: ToolMessage } };

export function isResult(draft: ItemDraft): draft is ResultDraft {
  return draft.item.message.role === 'tool';
}

/** The draft with other content; null if nothing is left. */
export function withContent(draft: ItemDraft, blocks: readonly ContentBlock[]): ItemDraft | null {
  if (!isNonEmpty(blocks)) return null;
  const message = rebuild(draft.item.message, blocks);
  return { ...draft, item: { ...draft.item, message } };
}

export function withItem(draft: ItemDraft, change: Partial<ContextItem>): ItemDraft {
  return { ...draft, item: { ...draft.item, ...change } };
}

function rebuild(message: Message, blocks: NonEmptyArray<ContentBlock>): Message {
  return messageOf(message.role, blocks, message.role === 'tool' ? message.tool_call_id : null);
}
