import type { ContentBlock } from '../../../blocks/index.ts';
import { isToolUseBlock } from '../../../blocks/index.ts';
import { deriveTextFromBlocks } from '../../../derive/index.ts';
import type { ContextRule, ItemDraft, ResultDraft } from '../../assembly.ts';
import { drop, isResult, KEEP, mapDrafts, replace, resultsBehind, withContent, withItem } from '../../assembly.ts';

/**
 * At and before the model break, a tool call and its result become a sentence in the reply that made the call: the new
 * model learns what was found without seeing calls in another provider's form. The branch option `keepToolsAfterBreak`
 * keeps them structured.
 */
export const toolsAsText: ContextRule = {
  name: 'tools-as-text',
  apply: (assembly, { keepToolsAfterBreak }) => {
    const { drafts } = assembly;
    if (keepToolsAfterBreak || !drafts.some(({ beforeBreak }) => beforeBreak)) return assembly;
    const spanning = loopAcrossBreak(drafts);
    // A result is treated like its call, whichever side of the break it is on.
    const told = new Set(
      drafts.flatMap((draft, index) => (draft.beforeBreak && !spanning.has(draft) ? resultsBehind(drafts, index) : [])),
    );
    return mapDrafts(assembly, (draft, index) => {
      if (isResult(draft)) {
        if (!told.has(draft)) return KEEP;
        // A synthetic result stands for a call of the same node, which has its own line.
        return draft.item.synthetic ? replace([], 'tool_use_as_text') : replace([], 'tool_use_as_text', 'canonical');
      }
      if (!draft.beforeBreak || spanning.has(draft)) return KEEP;
      const { content } = draft.item.message;
      if (!content.some(isToolUseBlock)) return KEEP;
      const spoken = inWords(draft, resultsBehind(drafts, index));
      return spoken === null ? drop('empty') : replace(spoken, 'tool_use_as_text', 'canonical');
    });
  },
};

/** The reply with its calls and their results as sentences. */
function inWords(draft: ItemDraft, behind: readonly ResultDraft[]): ItemDraft | null {
  const results = new Map(
    behind.map(({ item }) => [item.message.tool_call_id, deriveTextFromBlocks(item.message.content)]),
  );
  const spoken = withContent(
    draft,
    draft.item.message.content.map((block) => tell(block, results)),
  );
  return spoken === null ? null : withItem(spoken, { answeredCalls: [] });
}

/**
 * The calls of the break and their results, if the new model continues from the results with no user message in
 * between. As text, the results would be part of a reply, and a request that ends with a reply is refused.
 */
function loopAcrossBreak(drafts: readonly ItemDraft[]): ReadonlySet<ItemDraft> {
  const index = drafts.findLastIndex(
    (draft) => draft.beforeBreak && draft.node.role === 'assistant' && !isResult(draft),
  );
  const caller = drafts[index];
  const results = caller === undefined ? [] : resultsBehind(drafts, index);
  if (caller === undefined || results.length === 0) return new Set();
  const next = drafts[index + results.length + 1];
  return next === undefined || next.node.role === 'assistant' ? new Set([caller, ...results]) : new Set();
}

function tell(block: ContentBlock, results: ReadonlyMap<string, string>): ContentBlock {
  if (!isToolUseBlock(block)) return block;
  return {
    type: 'text',
    text: toolUseAsText(block.name, JSON.stringify(block.parameters), results.get(block.id) ?? ''),
  };
}

/** The sentence that a call and its result become where they cannot be sent as such. */
export function toolUseAsText(name: string, json: string, result: string): string {
  return `[Used the tool "${name}" with ${json}. It answered: ${result}]`;
}
