import type { MessageGroupView, NodeView, ToolView } from '@bough/api/client';

type TimedNode = Pick<NodeView, 'id' | 'role' | 'createdAt' | 'toolCallId' | 'toolMs'>;

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
 * How long each tool call of a reply took, by its id, as it is stored with its result. Older results have no such time:
 * for them it is counted from the message that requested the call, unless the call may have waited for a person.
 */
export function toolTimesOf(
  reply: readonly TimedNode[],
  waited: ReadonlySet<string> = new Set(),
): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  let asked: number | null = null;
  for (const { id, role, createdAt, toolCallId, toolMs } of reply) {
    if (role === 'assistant') asked = waited.has(id) ? null : Date.parse(createdAt);
    else if (role === 'tool' && toolCallId !== null && toolMs !== undefined) times.set(toolCallId, toolMs);
    else if (role === 'tool' && toolCallId !== null && asked !== null) {
      times.set(toolCallId, Math.max(0, Date.parse(createdAt) - asked));
    }
  }
  return times;
}
