import type { ContextView, NodeView } from '@bough/api/client';

/** What changed instructions cost. */
export interface InstructionsPrice {
  /** How many replies lose reasoning that is bound to what stood before it. */
  readonly lost: number;
  /** The tokens of the whole request: read anew if its beginning changes. */
  readonly tokens: number;
}

export function priceOf({
  report,
  estimatedTokens,
}: Pick<ContextView, 'report' | 'estimatedTokens'>): InstructionsPrice {
  const lost = report.filter(({ reasons }) => reasons.includes('thinking_prefix_changed')).length;
  return { lost, tokens: estimatedTokens };
}

/** Which tools come and go with a message; null if none do. */
export function toolChangeIn({
  contentBlocks,
}: Pick<NodeView, 'contentBlocks'>): { readonly added: readonly string[]; readonly removed: readonly string[] } | null {
  const block = contentBlocks.find(({ type }) => type === 'tool-change');
  if (block === undefined) return null;
  const [before, after] = [namesIn(block['before']), namesIn(block['after'])];
  return {
    added: after.filter((name) => !before.includes(name)),
    removed: before.filter((name) => !after.includes(name)),
  };
}

function namesIn(tools: unknown): readonly string[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) =>
    typeof tool === 'object' && tool !== null && 'name' in tool && typeof tool.name === 'string' ? [tool.name] : [],
  );
}
