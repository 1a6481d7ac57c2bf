import type { NodeView } from '@bough/api/client';

/** How long each tool call of a reply took, by its id: from the message that requested it to its stored result. */
export function toolTimesOf(
  reply: readonly Pick<NodeView, 'role' | 'createdAt' | 'toolCallId'>[],
): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  let asked: number | null = null;
  for (const { role, createdAt, toolCallId } of reply) {
    if (role === 'assistant') asked = Date.parse(createdAt);
    else if (role === 'tool' && toolCallId !== null && asked !== null) {
      times.set(toolCallId, Math.max(0, Date.parse(createdAt) - asked));
    }
  }
  return times;
}
