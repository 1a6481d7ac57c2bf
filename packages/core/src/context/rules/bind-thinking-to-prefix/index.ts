import type { NodeId } from '../../../entities/index.ts';
import type { Assembly, ContextRule } from '../../assembly.ts';
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
    let bound = assembly;
    let before = '';
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const kept = keptThoughts(thoughtsOf(bound, prefixKeys(bound, options), options));
      const names = [...kept].join(' ');
      if (round > 0 && names === before) return bound;
      before = names;
      bound = withOnly(assembly, kept);
      if (!isWanted(assembly)) return bound;
    }
    return withOnly(assembly, new Set());
  },
};

/**
 * A thought that stays out and that the user wants in the context is sent as text, and the text changes the prefix of
 * all that follows. So the decision is made again until it agrees with itself; if it never does, nothing is kept.
 */
const MOST_ROUNDS = 5;

function isWanted({ drafts }: Assembly): boolean {
  return drafts.some((draft) => hasReasoning(draft) && draft.node.includeThinkingInContext);
}

function withOnly(assembly: Assembly, kept: ReadonlySet<NodeId>): Assembly {
  return mapDrafts(assembly, (draft) =>
    !hasReasoning(draft) || kept.has(draft.node.id)
      ? KEEP
      : replace(withItem(draft, { reasoning: 'omit' }), 'thinking_prefix_changed', 'canonical'),
  );
}
