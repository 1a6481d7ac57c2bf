import type { CallView } from '@bough/api/client';

/**
 * How long the model thought in these replies, all of them together; null if no call says. The rest of a call (waiting,
 * writing) is not thinking.
 */
export function thoughtMsOf(
  calls: readonly Pick<CallView, 'nodeId' | 'usage'>[],
  nodeIds: ReadonlySet<string | null>,
): number | null {
  const times = calls.flatMap(({ nodeId, usage }) =>
    nodeId !== null && nodeIds.has(nodeId) && usage?.reasoningMs !== undefined ? [usage.reasoningMs] : [],
  );
  return times.length === 0 ? null : times.reduce((sum, time) => sum + time, 0);
}

/** The last line of what was thought so far that says anything, without the marks of its formatting. */
export function lastLineOf(text: string): string {
  // Only the end is looked at: this is called with every piece of a text that may have 64 kB.
  const lines = text.slice(-600).split('\n');
  const line = lines.findLast((each) => /[\p{L}\p{N}]/u.test(each)) ?? '';
  return line
    .replaceAll(/[*_`#>|]+/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
