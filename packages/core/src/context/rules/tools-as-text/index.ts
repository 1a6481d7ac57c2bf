import type { ContentBlock } from '../../../blocks/index.ts';
import { isToolUseBlock } from '../../../blocks/index.ts';
import { deriveTextFromBlocks } from '../../../derive/index.ts';
import type { ContextRule } from '../../assembly.ts';
import { drop, KEEP, mapDrafts, replace, resultsBehind, withContent, withItem } from '../../assembly.ts';

/**
 * At and before the model break, a tool call becomes a sentence in the reply that made it, with its result: the new model learns what was
 * found without being shown calls in another provider's form. The branch option `keepToolsAfterBreak` keeps them structured.
 */
export const toolsAsText: ContextRule = {
  name: 'tools-as-text',
  apply: (assembly, { keepToolsAfterBreak }) => {
    if (keepToolsAfterBreak) return assembly;
    const { drafts } = assembly;
    return mapDrafts(assembly, (draft, index) => {
      if (!draft.beforeBreak) return KEEP;
      if (draft.node.role === 'tool') return replace([], 'tool_use_as_text', 'canonical');
      // A synthetic result stands for a call of the same node, which has its own line.
      if (draft.item.synthetic) return replace([], 'tool_use_as_text');
      const { content } = draft.item.message;
      if (!content.some(isToolUseBlock)) return KEEP;
      const results = new Map(
        resultsBehind(drafts, index).map(({ item }) => [
          item.message.tool_call_id,
          deriveTextFromBlocks(item.message.content),
        ]),
      );
      const told = withContent(
        draft,
        content.map((block) => tell(block, results)),
      );
      return told === null
        ? drop('empty')
        : replace(withItem(told, { answeredCalls: [] }), 'tool_use_as_text', 'canonical');
    });
  },
};

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
