import type { BranchId, NodeId, ProjectId, TreeNode, TurnId } from '../entities/index.ts';
import { normalizeForComparison, stableDeepEqual } from '../equality/index.ts';
import type { Message } from '../messages/index.ts';
import { isToolMessage } from '../messages/index.ts';
import { createNode, matchKeyOf, messageOfNode } from './node.ts';

/** Ids and times come from outside: core has neither a clock nor randomness. */
export interface Making {
  readonly projectId: ProjectId;
  readonly newId: () => NodeId;
  readonly now: () => string;
  readonly turnId?: TurnId | null;
  readonly createdOnBranch?: BranchId | null;
}

export interface Appended {
  /** New nodes, parents first. */
  readonly created: readonly TreeNode[];
  /** `nodeIds[i]` is the node of `messages[i]`, found or new; null if the message was empty. Indexes never shift. */
  readonly nodeIds: readonly (NodeId | null)[];
  /** The last node of the sequence; the starting point if every message was empty. */
  readonly tip: NodeId | null;
}

/** Finds a stored child by its match key. */
export type FindChild = (parent: NodeId | null, matchKey: string) => Promise<TreeNode | null>;

/**
 * Appends a message sequence below a parent. The longest prefix that is already stored is reused as it is; from the
 * first message that is not, every message becomes a new node.
 */
export async function planAppend(
  parent: NodeId | null,
  messages: readonly Message[],
  making: Making,
  findChild: FindChild,
): Promise<Appended> {
  const { messages: normalized, indexMap } = normalizeForComparison(messages);
  const nodeIds: (NodeId | null)[] = messages.map(() => null);
  const created: TreeNode[] = [];
  let tip = parent;
  for (const [place, comparable] of normalized.entries()) {
    const index = indexMap[place];
    const message = index === undefined ? undefined : messages[index];
    if (index === undefined || message === undefined) continue;
    const stored = created.length > 0 ? null : await findChild(tip, matchKeyOf(tip, message));
    const node = stored !== null && sameMessage(stored, comparable) ? stored : newNode(tip, message, making);
    if (node !== stored) created.push(node);
    nodeIds[index] = node.id;
    tip = node.id;
  }
  return { created, nodeIds, tip };
}

// A match key is only a claim by the node's maker; comparing once more makes a wrong one (an import, a bug) harmless.
function sameMessage(stored: TreeNode, comparable: Message): boolean {
  const [normalized] = normalizeForComparison([messageOfNode(stored)]).messages;
  return stableDeepEqual(normalized, comparable);
}

function newNode(parentId: NodeId | null, message: Message, making: Making): TreeNode {
  return createNode({
    id: making.newId(),
    projectId: making.projectId,
    parentId,
    turnId: making.turnId ?? null,
    createdOnBranch: making.createdOnBranch ?? null,
    createdAt: making.now(),
    role: message.role,
    contentBlocks: message.content,
    toolCallId: isToolMessage(message) ? message.tool_call_id : null,
  });
}
