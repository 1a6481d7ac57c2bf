import type { ContentBlock } from '../../../blocks/index.ts';
import { isReasoningBlock, isTextBlock, isToolUseBlock } from '../../../blocks/index.ts';
import type { ContextRule, ItemDraft, ResultDraft } from '../../assembly.ts';
import { drop, isResult, KEEP, mapDrafts, replace, resultsBehind, withContent, withItem } from '../../assembly.ts';
import { textNamingFiles } from '../../files/index.ts';

/**
 * Where only the text of a reply is taken, a tool call and its result become a sentence in it: the model learns what
 * was found without seeing calls in another provider's form. The branch option `keepToolsAfterBreak` keeps them
 * structured.
 */
export const toolsAsText: ContextRule = {
  name: 'tools-as-text',
  apply: (assembly, { keepToolsAfterBreak }) => {
    const { drafts } = assembly;
    if (keepToolsAfterBreak || !drafts.some(isText)) return assembly;
    const continued = continuedLoops(drafts);
    const told = new Set(
      drafts.flatMap((draft, index) => (isText(draft) && !continued.has(draft) ? resultsBehind(drafts, index) : [])),
    );
    return mapDrafts(assembly, (draft, index) => {
      if (isResult(draft)) {
        if (!told.has(draft)) return KEEP;
        // A synthetic result stands for a call of the same node, which has its own line.
        return draft.item.synthetic ? replace([], 'tool_use_as_text') : replace([], 'tool_use_as_text', 'canonical');
      }
      if (!isText(draft) || continued.has(draft)) return KEEP;
      const { content } = draft.item.message;
      if (!content.some(isToolUseBlock)) return KEEP;
      const spoken = inWords(draft, resultsBehind(drafts, index));
      return spoken === null ? drop('empty') : replace(spoken, 'tool_use_as_text', 'canonical');
    });
  },
};

/** The reply with its calls and their results as sentences. */
function inWords(draft: ItemDraft, behind: readonly ResultDraft[]): ItemDraft | null {
  const results = new Map(behind.map(({ item }) => [item.message.tool_call_id, textNamingFiles(item.message.content)]));
  const spoken = withContent(draft, inParagraphs(draft.item.message.content, results));
  if (spoken === null) return null;
  const told = behind.map(({ node, item }) => (item.synthetic ? '' : node.id));
  return { ...withItem(spoken, { answeredCalls: [] }), told };
}

const isText = ({ taken }: ItemDraft): boolean => taken === 'text';

/**
 * Calls of other models whose results the model continues from, with no user message in between. As text, the results
 * would be part of a reply, and a request that ends with a reply is refused.
 */
function continuedLoops(drafts: readonly ItemDraft[]): ReadonlySet<ItemDraft> {
  const loops = new Set<ItemDraft>();
  for (const [index, draft] of drafts.entries()) {
    if (!isText(draft) || draft.node.role !== 'assistant' || isResult(draft)) continue;
    const results = resultsBehind(drafts, index);
    const next = drafts[index + results.length + 1];
    const isContinued = next === undefined || (next.node.role === 'assistant' && !isText(next));
    if (results.length > 0 && isContinued) for (const member of [draft, ...results]) loops.add(member);
  }
  return loops;
}

/** Each sentence is a paragraph of the text around it: some protocols join the texts of a message as they are. */
function inParagraphs(blocks: readonly ContentBlock[], results: ReadonlyMap<string, string>): readonly ContentBlock[] {
  const told: ContentBlock[] = [];
  let isAfterSentence = false;
  for (const block of blocks) {
    const isSentence = isToolUseBlock(block);
    const text = isSentence
      ? toolUseAsText(block.name, JSON.stringify(block.parameters), results.get(block.id) ?? '')
      : isTextBlock(block)
        ? block.text
        : null;
    // Reasoning between them stays out.
    const at = told.findLastIndex((other) => !isReasoningBlock(other));
    const before = told[at];
    if (text === null || text === '') told.push(block);
    else if (before !== undefined && isTextBlock(before) && before.text !== '' && (isSentence || isAfterSentence)) {
      told[at] = { type: 'text', text: `${before.text}\n\n${text}` };
    } else told.push({ ...(isSentence ? {} : block), type: 'text', text });
    isAfterSentence = isSentence;
  }
  return told;
}

/** The sentence that a call and its result become where they cannot be sent as such. */
export function toolUseAsText(name: string, json: string, result: string): string {
  return `[Used the tool "${name}" with ${json}. It answered: ${result}]`;
}
