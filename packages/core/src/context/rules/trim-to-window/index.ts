import { ContextTooLongError, estimateFixedTokens, estimateMessageTokens } from '../../../tokens/index.ts';
import type { AssemblyOptions, ContextRule, ItemDraft } from '../../assembly.ts';
import { drop, KEEP, liftToPrompt, mapDrafts } from '../../assembly.ts';

/**
 * When the window overflows, turns are removed until this share of it is used. Removing only what is needed would move
 * the cut with every message, and a moving cut changes the prefix: caches miss, and bound thinking is lost, on every
 * single request.
 */
const FILL_AFTER_TRIM = 0.75;

/** Removes whole turns, oldest first, never half of one, never the newest. */
export const trimToWindow: ContextRule = {
  name: 'trim-to-window',
  apply: (assembly, options) => {
    if (options.limits === null) return assembly;
    const turns = turnsOf(assembly.drafts);
    const kept = firstKeptTurn(
      turns.map(tokensOf),
      tokenBudget({ ...options, systemPrompt: assembly.systemPrompt }, options.limits.contextWindow),
      options.limits.contextWindow,
    );
    const trimmed = new Set(turns.slice(0, kept).flat());
    if (trimmed.size === 0) return assembly;
    // Instructions outlive the turn that they were given in.
    const instructions = [...trimmed].filter(({ node }) => node.role === 'system');
    const rest = mapDrafts(assembly, (draft) =>
      trimmed.has(draft) && draft.node.role !== 'system' ? drop('trimmed') : KEEP,
    );
    return liftToPrompt(rest, new Set(instructions));
  },
};

/** How much of the window the messages may take. */
export function tokenBudget(
  options: Pick<AssemblyOptions, 'systemPrompt' | 'tools' | 'reserveTokens'>,
  contextWindow: number,
): number {
  return contextWindow - estimateFixedTokens(options) - options.reserveTokens;
}

/** Walks the turns in order, so that a longer conversation repeats the cuts that were made when it was shorter. */
function firstKeptTurn(tokens: readonly number[], budget: number, contextWindow: number): number {
  let start = 0;
  let used = 0;
  for (const [index, turn] of tokens.entries()) {
    used += turn;
    if (used <= budget) continue;
    while (start < index && used > budget * FILL_AFTER_TRIM) {
      used -= tokens[start] ?? 0;
      start += 1;
    }
  }
  if (used > budget) {
    throw new ContextTooLongError(
      Math.ceil(used + contextWindow - budget),
      contextWindow,
      'The newest message does not fit even alone: shorten it, or use a model with a larger window.',
    );
  }
  return start;
}

function turnsOf(drafts: readonly ItemDraft[]): readonly ItemDraft[][] {
  const turns: ItemDraft[][] = [];
  for (const draft of drafts) {
    const current = turns.at(-1);
    if (current === undefined || draft.node.role === 'user') turns.push([draft]);
    else current.push(draft);
  }
  return turns;
}

function tokensOf(turn: readonly ItemDraft[]): number {
  return turn.reduce((sum, draft) => sum + estimateMessageTokens(draft.item.message), 0);
}
