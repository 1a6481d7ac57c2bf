import type { ContextRule } from '../../assembly.ts';
import { KEEP, mapDrafts, replace, withItem } from '../../assembly.ts';
import { hasReasoning, keptThoughts, prefixKeys, thoughtsOf } from '../../prefix/index.ts';

/**
 * Some models accept signed thinking only after exactly what it was made with, and chain each thought to the one before
 * it. The newest unbroken run of thoughts whose prefix is unchanged is kept; the rest stays out, because a single block
 * that does not fit makes the provider reject the request.
 */
export const bindThinkingToPrefix: ContextRule = {
  name: 'bind-thinking-to-prefix',
  apply: (assembly, options) => {
    if (!options.bindsThinkingToPrefix) return assembly;
    const thoughts = thoughtsOf(assembly, prefixKeys(assembly, options));
    const kept = keptThoughts(thoughts);
    return mapDrafts(assembly, (draft) =>
      !hasReasoning(draft) || kept.has(draft.node.id)
        ? KEEP
        : replace(withItem(draft, { reasoning: 'omit' }), 'thinking_prefix_changed', 'canonical'),
    );
  },
};
