import { ContextTooLongError, estimateFixedTokens } from '../../../tokens/index.ts';
import type { AssemblyOptions, ContextRule, ItemDraft } from '../../assembly.ts';
import { draftTokens, drop, KEEP, liftToPrompt, mapDrafts, replace } from '../../assembly.ts';

/**
 * When the window overflows, turns are removed until this share of it is used. Removing only what is needed would move
 * the cut with every message, and a moving cut changes the prefix: caches miss, and bound thinking is lost, on every
 * single request.
 */
const FILL_AFTER_TRIM = 0.75;

/**
 * Removes whole turns, oldest first, never half of one, never the newest, and none with a pinned message or a summary:
 * with a summary would go everything that it stands for.
 */
export const trimToWindow: ContextRule = {
  name: 'trim-to-window',
  apply: (assembly, options) => {
    if (options.limits === null) return assembly;
    const turns = turnsOf(assembly.drafts);
    const stays = ({ node: { id } }: ItemDraft): boolean =>
      options.choices?.[id] === 'pin' || options.summary?.includes(id) === true;
    const pins = turns.map((turn) => turn.some(stays));
    const kept = firstKeptTurn(
      turns.map((turn, index) => ({ tokens: tokensOf(turn, options), isPinned: pins[index] === true })),
      tokenBudget({ ...options, systemPrompt: assembly.systemPrompt }, options.limits.contextWindow),
      options.limits.contextWindow,
    );
    const cut = turns.slice(0, kept);
    const trimmed = new Set(cut.filter((_, index) => pins[index] !== true).flat());
    if (trimmed.size === 0) return assembly;
    const spared = new Set(cut.filter((_, index) => pins[index] === true).flat());
    // Instructions outlive the turn that they were given in.
    const instructions = [...trimmed].filter(({ node }) => node.role === 'system');
    const rest = mapDrafts(assembly, (draft) => {
      if (spared.has(draft)) return options.summary?.includes(draft.node.id) === true ? KEEP : replace(draft, 'pinned');
      return trimmed.has(draft) && draft.node.role !== 'system' ? drop('trimmed') : KEEP;
    });
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

interface TurnCost {
  readonly tokens: number;
  readonly isPinned: boolean;
}

/**
 * Walks the turns in order, so that a longer conversation repeats the cuts that were made when it was shorter. Turns
 * before the returned one go, except for pinned ones.
 */
function firstKeptTurn(turns: readonly TurnCost[], budget: number, contextWindow: number): number {
  let start = 0;
  let used = 0;
  for (const [index, { tokens }] of turns.entries()) {
    used += tokens;
    if (used <= budget) continue;
    while (start < index && used > budget * FILL_AFTER_TRIM) {
      const first = turns[start];
      if (first?.isPinned === false) used -= first.tokens;
      start += 1;
    }
  }
  if (used > budget) {
    throw new ContextTooLongError(
      Math.ceil(used + contextWindow - budget),
      contextWindow,
      turns.some(({ isPinned }) => isPinned)
        ? 'The newest message does not fit beside those that are pinned: unpin some, shorten it, or use a model with a larger window.'
        : 'The newest message does not fit even alone: shorten it, or use a model with a larger window.',
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

function tokensOf(turn: readonly ItemDraft[], options: AssemblyOptions): number {
  return turn.reduce((sum, draft) => sum + draftTokens(draft, options), 0);
}
