import type { MadeWith, NodeId } from '../../entities/index.ts';
import type { ContentBlock } from '../../blocks/index.ts';
import { isReasoningBlock, isThinkingBlock } from '../../blocks/index.ts';
import { deriveThinkingFromBlocks } from '../../derive/index.ts';
import { stableStringify } from '../../equality/index.ts';
import { sha256 } from '../../hash/index.ts';
import type { AssemblyOptions, Assembly, ItemDraft } from '../assembly.ts';
import type { ReasoningFate } from '../items.ts';

/**
 * Names everything that comes before a point in the request: system prompt, tools, and each earlier item with how it is
 * sent. Thinking is left out, because providers compare the conversation without it. Stored nodes never change, so
 * their ids stand for their content, and the whole chain costs one short hash per item.
 */
export function prefixKeys(assembly: Assembly, options: AssemblyOptions): readonly string[] {
  let key = options.behind ?? startOfPrefix(assembly.systemPrompt, options.tools, options.providerTools);
  const keys = [key];
  for (const draft of assembly.drafts) {
    key = sha256(`${key}\n${manner(draft, options)}`);
    keys.push(key);
  }
  return keys;
}

/** The prefix key of the first message. Without tools of the provider it is what it was before there were any. */
export function startOfPrefix(
  systemPrompt: string | null,
  tools: AssemblyOptions['tools'],
  providerTools: AssemblyOptions['providerTools'] = [],
): string {
  return sha256(stableStringify([systemPrompt, tools, ...(providerTools.length === 0 ? [] : [providerTools])]));
}

function manner(draft: ItemDraft, options: AssemblyOptions, asText = draft.taken === 'text'): string {
  const { node, item, told = [], files } = draft;
  const call = item.synthetic && item.message.role === 'tool' ? item.message.tool_call_id : '';
  const words = [node.id, item.source, asText, item.partial, toldThinking(draft, options) !== '', call, ...told];
  // Said only where a file is sent as something else: what was thought before there were files keeps its key.
  return [...words, ...(files === undefined ? [] : [`files:${files}`])].join(' ');
}

/** Its reasoning as text, if that is how it is sent: the user asked for it, and it does not go back as reasoning. */
export function toldThinking(draft: ItemDraft, options: AssemblyOptions): string {
  const { node } = draft;
  return node.includeThinkingInContext && !replaysReasoning(draft, options)
    ? deriveThinkingFromBlocks(node.contentBlocks)
    : '';
}

function replaysReasoning({ item }: ItemDraft, { replaysThinking }: AssemblyOptions): boolean {
  return item.source === 'raw' && item.reasoning === 'verbatim' && replaysThinking;
}

/** What happens to a reply's reasoning, told by the same facts that decide it. */
export function reasoningFate(draft: ItemDraft, options: AssemblyOptions): ReasoningFate | undefined {
  const { node, item } = draft;
  if (node.role !== 'assistant' || item.synthetic) return undefined;
  const blocks: readonly ContentBlock[] = node.contentBlocks;
  if (!blocks.some((block) => isThinkingBlock(block) && block.thinking !== '')) return undefined;
  if (replaysReasoning(draft, options)) return 'goes_back';
  return node.includeThinkingInContext ? 'as_text' : 'left_out';
}

export function hasReasoning({ node, item, taken }: ItemDraft): boolean {
  const blocks: readonly ContentBlock[] = node.contentBlocks;
  return item.source === 'raw' && taken === 'all' && blocks.some(isReasoningBlock);
}

/** A reply whose reasoning may go back, and whether everything before it is still what it was made with. */
export interface Thought {
  readonly nodeId: NodeId;
  readonly fits: boolean;
  /** The last thought that was sent when this one was made. */
  readonly previous: NodeId | null;
}

export function thoughtsOf(
  { drafts }: Assembly,
  keys: readonly string[],
  options: AssemblyOptions,
): readonly Thought[] {
  let byBreak: readonly string[] | undefined;
  const bySummary = chainsBySummary(drafts, options);
  return drafts.flatMap((draft, index) => {
    if (!hasReasoning(draft)) return [];
    const { id, madeWith } = draft.node;
    const fits =
      madeWith !== null &&
      (madeWith.prefix === keys[index] ||
        bySummary.some((chain) => madeWith.prefix === chain[index]) ||
        madeWith.prefix === (byBreak ??= keysByBreak(drafts, keys[0] ?? '', options))[index]);
    return [{ nodeId: id, fits, previous: madeWith?.previousThinking ?? null }];
  });
}

/**
 * The keys behind a summary that the provider made itself, as if what it stands for still stood there: the provider
 * vouches for that with its signature, as long as the summary is sent as it was signed. One chain for each name that
 * what it stands for has; the last key of each is that of everything.
 */
export function chainsBySummary(
  drafts: readonly ItemDraft[],
  options: AssemblyOptions,
): readonly (readonly (string | undefined)[])[] {
  const { summary, summaryEnds = [] } = options;
  const at = drafts.findIndex(({ node }) => node.id === summary?.at(-1));
  const made = drafts[at];
  if (made?.item.source !== 'raw' || made.taken !== 'all') return [];
  return summaryEnds.map((end) => {
    let key = end;
    const keys: (string | undefined)[] = [...drafts.slice(0, at + 1).map(() => undefined), key];
    for (const draft of drafts.slice(at + 1)) {
      key = sha256(`${key}\n${manner(draft, options)}`);
      keys.push(key);
    }
    return keys;
  });
}

/**
 * The keys of the replies after a model break if everything up to the break is counted as text, the user's messages
 * included: by the setting `break`, or by a version of Bough that knew no other. Where no reply before the break goes
 * back as it was made the request is the same, and what was thought then still fits.
 */
function keysByBreak(drafts: readonly ItemDraft[], start: string, options: AssemblyOptions): readonly string[] {
  const own = drafts.findIndex(({ item }) => item.source === 'raw');
  const broken = drafts.slice(0, Math.max(own, 0)).findLastIndex(isTextReply);
  if (broken < 0) return [];
  const next = drafts.findIndex((draft, index) => index > own && isTextReply(draft));
  const keys = [start];
  for (const [index, draft] of drafts.slice(0, next < 0 ? drafts.length : next).entries()) {
    keys.push(sha256(`${keys[index] ?? ''}\n${manner(draft, options, index <= broken || draft.taken === 'text')}`));
  }
  return keys;
}

const isTextReply = ({ taken, node }: ItemDraft): boolean => taken === 'text' && node.role === 'assistant';

/**
 * Which thoughts may go back: an unbroken run, each chained to the thought that is sent before it. It ends with the
 * newest thought that still fits, so that a deleted turn costs the thoughts after it and none before it.
 */
export function keptThoughts(thoughts: readonly Thought[]): ReadonlySet<NodeId> {
  const kept = new Set<NodeId>();
  let expected: NodeId | null | undefined;
  for (const { nodeId, fits, previous } of thoughts.toReversed()) {
    if (expected === undefined ? !fits : nodeId !== expected) continue;
    if (!fits) break;
    kept.add(nodeId);
    expected = previous;
  }
  return kept;
}

/** What the next reply will be made with: to be stored on its node. */
export function madeWithOf({ drafts }: Assembly, keys: readonly string[]): MadeWith {
  const last = drafts.findLast((draft) => hasReasoning(draft) && draft.item.reasoning === 'verbatim');
  return { prefix: keys.at(-1) ?? '', previousThinking: last?.node.id ?? null };
}
