import type { NodeId } from '@bough/core';
import type { PreparedRequest, RenderInput } from '../protocol.ts';

// Containers die, and a provider refuses every request that names a dead one. That it is gone is remembered as what the
// container of a node becomes in a request: nothing. Like every rendering it is stored with the node and read with it,
// by any server; were it only in memory, each later message would be refused once and sent twice.

const keyOf = (keys: string): string => `${keys}container`;
const NOTHING = 'null';

/** Whether the container of this node was left out of an earlier request because it was gone. */
export function isKnownGone(nodeId: NodeId, keys: string, { renderingOf }: Pick<RenderInput, 'renderingOf'>): boolean {
  return renderingOf?.(nodeId, keyOf(keys)) !== undefined;
}

/** To be stored with the renderings of a request that leaves the container of this node out. */
export function newlyGone(
  nodeId: NodeId,
  keys: string,
  input: Pick<RenderInput, 'renderingOf'>,
): PreparedRequest['renderings'] {
  return isKnownGone(nodeId, keys, input) ? [] : [{ nodeId, key: keyOf(keys), bytes: NOTHING }];
}
