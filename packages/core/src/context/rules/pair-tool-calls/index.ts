import { isToolUseBlock } from '../../../blocks/index.ts';
import { memoized } from '../../../memo/index.ts';
import { messageOf } from '../../../messages/index.ts';
import type { ContextRule, ItemDraft } from '../../assembly.ts';
import { isResult, recordOutcome, resultsBehind, withItem } from '../../assembly.ts';

const NO_RESULT = 'This tool call was not executed: it has no result.';

/**
 * Every call is answered exactly once, directly after its reply, in the order of the calls. A call without a result
 * gets an error result; a result without a call is dropped. Both are reported.
 */
export const pairToolCalls: ContextRule = {
  name: 'pair-tool-calls',
  apply: (assembly) => {
    if (!assembly.drafts.some((draft) => isResult(draft) || callIdsOf(draft).length > 0)) return assembly;
    const outcomes = new Map(assembly.outcomes);
    const paired = new Set<ItemDraft>();
    const drafts: ItemDraft[] = [];
    for (const [index, draft] of assembly.drafts.entries()) {
      if (isResult(draft)) {
        // Results that belong to a call were placed after it.
        if (!paired.has(draft)) recordOutcome(outcomes, draft.node.id, 'tool_result_without_call', 'dropped');
        continue;
      }
      const callIds = callIdsOf(draft);
      if (callIds.length === 0) {
        drafts.push(draft);
        continue;
      }
      drafts.push(withItem(draft, { answeredCalls: callIds }));
      const results = resultsBehind(assembly.drafts, index);
      for (const id of callIds) {
        const result = results.find(({ item }) => item.message.tool_call_id === id);
        if (result === undefined) recordOutcome(outcomes, draft.node.id, 'tool_call_without_result');
        else paired.add(result);
        drafts.push(result ?? errorResult(draft, id));
      }
    }
    return { ...assembly, drafts, outcomes };
  },
};

const callIdsOf = memoized(({ item }: ItemDraft): readonly string[] => {
  if (item.message.role !== 'assistant') return [];
  return [...new Set(item.message.content.filter(isToolUseBlock).map((call) => call.id))];
});

function errorResult(draft: ItemDraft, callId: string): ItemDraft {
  return {
    node: draft.node,
    taken: draft.taken,
    item: {
      nodeIds: [draft.node.id],
      source: 'canonical',
      message: messageOf('tool', [{ type: 'text', text: NO_RESULT }], callId),
      reasoning: 'omit',
      partial: false,
      answeredCalls: [],
      synthetic: true,
      isError: true,
    },
  };
}
