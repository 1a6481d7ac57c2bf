import type { ContentBlock } from '../../../blocks/index.ts';
import { isToolChangeBlock } from '../../../blocks/index.ts';
import type { ContextRule, ItemDraft } from '../../assembly.ts';
import { isResult, liftToPrompt, withContent } from '../../assembly.ts';

/**
 * System messages at the beginning of the path are the system prompt. Later ones are sent where they are, if the model
 * takes them there: lifted, they would change the beginning of the request and with it everything that is cached or
 * bound to it. Most models accept instructions only at the beginning; for them, later ones join the prompt too.
 */
export const liftSystemMessages: ContextRule = {
  name: 'lift-system-messages',
  apply: (assembly, { systemInPlace, toolChanges }) => {
    if (!assembly.drafts.some(isSystem)) return assembly;
    const drafts = toolChanges ? assembly.drafts : assembly.drafts.flatMap(withoutToolChanges);
    const first = drafts.findIndex((draft) => !isSystem(draft));
    const lifted = drafts.filter((draft, index) => isSystem(draft) && (!systemInPlace || index < first));
    return liftToPrompt({ ...assembly, drafts: behindResults(drafts) }, new Set(lifted));
  },
};

const isSystem = ({ node }: ItemDraft): boolean => node.role === 'system';

/** Where changes of tools are not taken, the request has the tools of today from its beginning: nothing is lost. */
function withoutToolChanges(draft: ItemDraft): readonly ItemDraft[] {
  const blocks: readonly ContentBlock[] = draft.item.message.content;
  if (!isSystem(draft) || !blocks.some(isToolChangeBlock)) return [draft];
  const rest = withContent(
    draft,
    blocks.filter((block) => !isToolChangeBlock(block)),
  );
  return rest === null ? [] : [rest];
}

/** A call and its results belong together: instructions between them follow the results. */
function behindResults(drafts: readonly ItemDraft[]): readonly ItemDraft[] {
  const ordered: ItemDraft[] = [];
  let waiting: ItemDraft[] = [];
  for (const [index, draft] of drafts.entries()) {
    if (isSystem(draft) && drafts.slice(index).find((next) => !isSystem(next))?.node.role === 'tool') {
      waiting.push(draft);
      continue;
    }
    if (!isResult(draft)) {
      ordered.push(...waiting);
      waiting = [];
    }
    ordered.push(draft);
  }
  return [...ordered, ...waiting];
}
