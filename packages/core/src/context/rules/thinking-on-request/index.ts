import type { ContentBlock } from '../../../blocks/index.ts';
import { isReasoningBlock } from '../../../blocks/index.ts';
import { messageOf } from '../../../messages/index.ts';
import type { ContextRule, ItemDraft } from '../../assembly.ts';
import { toldThinking } from '../../prefix/index.ts';
import { drop, KEEP, mapDrafts, replace, withContent } from '../../assembly.ts';

/**
 * Reasoning that cannot go back as reasoning stays out. If the user asked for it, it is sent as labelled text instead:
 * the label keeps the model from mistaking an old thought for something that it said.
 */
export const thinkingOnRequest: ContextRule = {
  name: 'thinking-on-request',
  apply: (assembly, options) =>
    mapDrafts(assembly, (draft) => {
      const { item, node } = draft;
      if (node.role !== 'assistant' || item.synthetic) return KEEP;
      const thinking = toldThinking(draft, options);
      const wanted = thinking !== '';
      if (item.source === 'raw') {
        // Raw goes back unchanged; the text precedes it as a separate message.
        return wanted ? replace([labelled(draft, thinking), draft], 'thinking_included_as_text') : KEEP;
      }
      if (!item.message.content.some(isReasoningBlock)) return KEEP;
      if (wanted) {
        const told = withContent(draft, [label(thinking), ...withoutReasoning(item.message.content)]);
        return told === null ? drop('empty') : replace(told, 'thinking_included_as_text', 'canonical');
      }
      const silent = withContent(draft, withoutReasoning(item.message.content));
      return silent === null
        ? drop('thinking_not_replayable')
        : replace(silent, 'thinking_not_replayable', 'canonical');
    }),
};

function withoutReasoning(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  return blocks.filter((block) => !isReasoningBlock(block));
}

function label(thinking: string): ContentBlock {
  return { type: 'text', text: `[Reasoning from earlier, included on request]\n${thinking}\n[End of reasoning]` };
}

function labelled(draft: ItemDraft, thinking: string): ItemDraft {
  return {
    ...draft,
    item: {
      ...draft.item,
      source: 'canonical',
      message: messageOf('assistant', [label(thinking)]),
      reasoning: 'omit',
      partial: false,
      answeredCalls: [],
      synthetic: true,
    },
  };
}
