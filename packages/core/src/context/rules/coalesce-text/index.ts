import { canCoalesce, coalesceTextOnlyAdjacent } from '../../../coalesce/index.ts';
import type { ContextRule, ItemDraft } from '../../assembly.ts';
import { withItem } from '../../assembly.ts';

/**
 * Joins neighbours of one role that are nothing but text. Raw replies are never joined: their bytes are the provider's.
 */
export const coalesceText: ContextRule = {
  name: 'coalesce-text',
  apply: (assembly) => {
    const drafts: ItemDraft[] = [];
    for (const draft of assembly.drafts) {
      const before = drafts.at(-1);
      if (before === undefined || !joins(before, draft)) {
        drafts.push(draft);
        continue;
      }
      drafts[drafts.length - 1] = joined(before, draft);
    }
    return drafts.length === assembly.drafts.length ? assembly : { ...assembly, drafts };
  },
};

function joined(before: ItemDraft, draft: ItemDraft): ItemDraft {
  const [message = draft.item.message] = coalesceTextOnlyAdjacent([before.item.message, draft.item.message]);
  const [first, ...rest] = before.item.nodeIds;
  return withItem(before, { message, nodeIds: [first, ...rest, ...draft.item.nodeIds] });
}

function joins(before: ItemDraft, draft: ItemDraft): boolean {
  return (
    before.item.source === 'canonical' &&
    draft.item.source === 'canonical' &&
    canCoalesce(before.item.message, draft.item.message)
  );
}
