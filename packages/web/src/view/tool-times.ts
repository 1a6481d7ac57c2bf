import type { MessageGroupView, NodeView, ToolView } from '@bough/api/client';

type TimedNode = Pick<NodeView, 'id' | 'role' | 'createdAt' | 'toolCallId'>;

/**
 * The replies whose calls may have waited for a person. The results of one reply are stored together: one call that
 * waits delays all of them.
 */
export function mayHaveWaited(
  segments: MessageGroupView['segments'],
  tools: readonly Pick<ToolView, 'name' | 'approval'>[],
): ReadonlySet<string> {
  const asking = new Set(tools.filter(({ approval }) => approval === 'ask').map(({ name }) => name));
  const items = segments.flatMap((segment) => segment.items);
  return new Set(
    items.flatMap((item) => (item.type === 'tool' && item.nodeId !== null && asking.has(item.name) ? item.nodeId : [])),
  );
}

/**
 * How long each tool call of a reply took, by its id: from the message that requested it to its stored result. Calls
 * that may have waited for a person have no time: how much of it was waiting is not stored.
 */
export function toolTimesOf(
  reply: readonly TimedNode[],
  waited: ReadonlySet<string> = new Set(),
): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  let asked: number | null = null;
  for (const { id, role, createdAt, toolCallId } of reply) {
    if (role === 'assistant') asked = waited.has(id) ? null : Date.parse(createdAt);
    else if (role === 'tool' && toolCallId !== null && asked !== null) {
      times.set(toolCallId, Math.max(0, Date.parse(createdAt) - asked));
    }
  }
  return times;
}
