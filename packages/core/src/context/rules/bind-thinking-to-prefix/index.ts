import type { NodeId } from '../../../entities/index.ts';
import type { ContextRule } from '../../assembly.ts';
import { KEEP, mapDrafts, replace, withItem } from '../../assembly.ts';
import { hasReasoning, prefixKeys } from '../../prefix/index.ts';

/**
 * Some models accept signed thinking only behind exactly what it was made with, and chain each thought to the one before it. Going
 * back from the newest reply, thinking is kept while its prefix is unchanged and the chain is unbroken; the rest stays out,
 * because one block that does not fit makes the provider reject the request.
 */
export const bindThinkingToPrefix: ContextRule = {
  name: 'bind-thinking-to-prefix',
  apply: (assembly, options) => {
    if (!options.bindsThinkingToPrefix) return assembly;
    const keys = prefixKeys(assembly, options);
    const kept = new Set<NodeId>();
    let expected: NodeId | null | undefined;
    for (const [index, draft] of [...assembly.drafts.entries()].reverse()) {
      if (!hasReasoning(draft)) continue;
      const { madeWith } = draft.node;
      const inChain = expected === undefined || expected === draft.node.id;
      if (!inChain || madeWith === null || madeWith.prefix !== keys[index]) break;
      kept.add(draft.node.id);
      expected = madeWith.previousThinking;
    }
    return mapDrafts(assembly, (draft) =>
      !hasReasoning(draft) || kept.has(draft.node.id)
        ? KEEP
        : replace(withItem(draft, { reasoning: 'omit' }), 'thinking_prefix_changed', 'canonical'),
    );
  },
};
