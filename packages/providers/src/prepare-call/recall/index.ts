import type { NodeId, RawResponse, TreeNode } from '@bough/core';

/**
 * What a process remembers of the nodes that it prepared requests from. A store gives new objects with every reading; here each node
 * becomes the object that it was the last time, so that everything that was found out about it still holds, and the reading of a raw
 * reply is found again without the raw. Stored nodes and their raw never change; those that differ all the same are taken as new.
 */
export interface Recall {
  readonly node: (node: TreeNode) => TreeNode;
  /** What `read` gives for the raw of a node. */
  readonly reading: <Reading extends object>(
    id: NodeId,
    raw: RawResponse,
    read: (raw: RawResponse) => Reading,
  ) => Reading;
}

/** Two long conversations of a thousand turns each fit in; what was used longest ago is forgotten first. */
const MOST_NODES = 20_000;

interface Memory {
  readonly node: TreeNode;
  raw: { readonly stamp: RawStamp; readonly read: unknown; readonly reading: object } | null;
}

type RawStamp = Pick<RawResponse, 'api' | 'provider' | 'deployment' | 'model' | 'capturedAt' | 'complete'>;

export function createRecall(mostNodes: number = MOST_NODES): Recall {
  // Two generations instead of an order of use: to forget costs nothing as long as nothing is forgotten.
  let young = new Map<NodeId, Memory>();
  let old = new Map<NodeId, Memory>();

  const find = (id: NodeId): Memory | undefined => {
    const memory = young.get(id);
    if (memory !== undefined) return memory;
    const before = old.get(id);
    if (before !== undefined) keep(id, before);
    return before;
  };
  const keep = (id: NodeId, memory: Memory): void => {
    if (young.size >= mostNodes) {
      old = young;
      young = new Map();
    }
    young.set(id, memory);
  };

  return {
    node: (node) => {
      const memory = find(node.id);
      if (memory !== undefined && isSameNode(memory.node, node)) return memory.node;
      keep(node.id, { node, raw: null });
      return node;
    },
    reading: <Reading extends object>(id: NodeId, raw: RawResponse, read: (raw: RawResponse) => Reading): Reading => {
      const memory = find(id);
      const known = memory?.raw;
      // Whoever reads with the same function gets what that function gave.
      if (known?.read === read && isSameRaw(known.stamp, raw)) return known.reading as Reading;
      const reading = read(raw);
      if (memory !== undefined) memory.raw = { stamp: stampOf(raw), read, reading };
      return reading;
    },
  };
}

/** The match key stands for the parent and for the content; beside them stands what may be set later, and what an import may have changed. */
function isSameNode(before: TreeNode, now: TreeNode): boolean {
  return (
    before.matchKey === now.matchKey &&
    before.includeThinkingInContext === now.includeThinkingInContext &&
    before.isError === now.isError &&
    before.interrupted === now.interrupted &&
    before.provider === now.provider &&
    before.modelUsed === now.modelUsed &&
    before.toolCallId === now.toolCallId &&
    before.createdOnBranch === now.createdOnBranch &&
    before.content.length === now.content.length &&
    before.contentBlocks.length === now.contentBlocks.length &&
    before.madeWith?.prefix === now.madeWith?.prefix &&
    before.madeWith?.previousThinking === now.madeWith?.previousThinking
  );
}

function stampOf({ api, provider, deployment, model, capturedAt, complete }: RawResponse): RawStamp {
  return { api, provider, deployment, model, capturedAt, complete };
}

function isSameRaw(before: RawStamp, now: RawResponse): boolean {
  return (
    before.capturedAt === now.capturedAt &&
    before.complete === now.complete &&
    before.model === now.model &&
    before.deployment === now.deployment &&
    before.provider === now.provider &&
    before.api === now.api
  );
}
