import type { ContextRule } from '../../assembly.ts';
import { KEEP, mapDrafts, replace, withItem } from '../../assembly.ts';
import { hasReasoning, keptThoughts, prefixKeys, thoughtsOf } from '../../prefix/index.ts';

/**
 * Some models accept signed thinking only behind exactly what it was made with, and chain each thought to the one
 * before it. Going back from the newest reply, thinking is kept while its prefix is unchanged and the chain is
 * unbroken; the rest stays out, because one block that does not fit makes the provider reject the request.
 */
export const bindThinkingToPrefix: ContextRule = {
  name: 'bind-thinking-to-prefix',
  apply: (assembly, options) => {
    if (!options.bindsThinkingToPrefix) return assembly;
    const thoughts = thoughtsOf(assembly, prefixKeys(assembly, options));
    const kept = new Set(thoughts.slice(thoughts.length - keptThoughts(thoughts)).map(({ nodeId }) => nodeId));
    return mapDrafts(assembly, (draft) =>
      !hasReasoning(draft) || kept.has(draft.node.id)
        ? KEEP
        : replace(withItem(draft, { reasoning: 'omit' }), 'thinking_prefix_changed', 'canonical'),
    );
  },
};
