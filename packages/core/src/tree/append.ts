import type { ContentBlock } from '../blocks/index.ts';
import type { BranchId, NodeId, ProjectId, TreeNode, TurnId } from '../entities/index.ts';
import { normalizeForComparison, stableDeepEqual } from '../equality/index.ts';
import type { Message } from '../messages/index.ts';
import { isToolMessage } from '../messages/index.ts';
import { createNode, matchKeyOf, messageOfNode } from './node.ts';
import type { Tree } from './tree.ts';
import { addNodes, childrenOf, getNode } from './tree.ts';

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
  /** `nodeIds[i]` is the node of `messages[i]`, found or new; null where the message was empty. No index ever shifts. */
  readonly nodeIds: readonly (NodeId | null)[];
  /** The last node of the sequence; the starting point where every message was empty. */
  readonly tip: NodeId | null;
}

/** Finds a child by its match key: in memory here, by an index in a store. */
export type FindChild = (parent: NodeId | null, matchKey: string) => TreeNode | null | Promise<TreeNode | null>;

/** What the search is told of each message, in order; it answers with the stored child or null. */
type Step = { readonly parent: NodeId | null; readonly matchKey: string };

/**
 * Appends a message sequence below a parent. The longest prefix that is already there is reused, as it is stored; from the first
 * message that is not, every message becomes a new node.
 */
function* appendSteps(
  parent: NodeId | null,
  messages: readonly Message[],
  making: Making,
): Generator<Step, Appended, TreeNode | null> {
  const { messages: normalized, indexMap } = normalizeForComparison(messages);
  const nodeIds: (NodeId | null)[] = messages.map(() => null);
  const created: TreeNode[] = [];
  let tip = parent;
  for (const [place, comparable] of normalized.entries()) {
    const index = indexMap[place];
    const message = index === undefined ? undefined : messages[index];
    if (index === undefined || message === undefined) continue;
    const stored = created.length > 0 ? null : yield { parent: tip, matchKey: matchKeyOf(tip, message) };
    const node = stored !== null && sameMessage(stored, comparable) ? stored : newNode(tip, message, making);
    if (node !== stored) created.push(node);
    nodeIds[index] = node.id;
    tip = node.id;
  }
  return { created, nodeIds, tip };
}

/** Against a store. */
export async function planAppend(
  parent: NodeId | null,
  messages: readonly Message[],
  making: Making,
  findChild: FindChild,
): Promise<Appended> {
  const steps = appendSteps(parent, messages, making);
  let step = steps.next();
  while (!step.done) step = steps.next(await findChild(step.value.parent, step.value.matchKey));
  return step.value;
}

/** Against a tree in memory. */
export function appendMessages(
  tree: Tree,
  parent: NodeId | null,
  messages: readonly Message[],
  making: Making,
): Appended & { readonly tree: Tree } {
  if (parent !== null) getNode(tree, parent);
  const steps = appendSteps(parent, messages, making);
  let step = steps.next();
  while (!step.done) {
    const { parent: below, matchKey } = step.value;
    step = steps.next(childrenOf(tree, below).find((child) => child.matchKey === matchKey) ?? null);
  }
  return { ...step.value, tree: addNodes(tree, step.value.created) };
}

/** An edit never overwrites: it is a new sibling with other content. */
export function editNode(
  tree: Tree,
  id: NodeId,
  content: readonly ContentBlock[],
  making: Making,
): { readonly tree: Tree; readonly node: TreeNode } {
  const original = getNode(tree, id);
  const node = createNode({
    ...placeOf(original.parentId, making),
    role: original.role,
    contentBlocks: content,
    toolCallId: original.toolCallId,
  });
  return { tree: addNodes(tree, [node]), node };
}

// A hash is a promise of the node's maker; comparing once more makes a wrong one (an import, a bug) harmless.
function sameMessage(stored: TreeNode, comparable: Message): boolean {
  const [normalized] = normalizeForComparison([messageOfNode(stored)]).messages;
  return stableDeepEqual(normalized, comparable);
}

function newNode(parent: NodeId | null, message: Message, making: Making): TreeNode {
  return createNode({
    ...placeOf(parent, making),
    role: message.role,
    contentBlocks: message.content,
    toolCallId: isToolMessage(message) ? message.tool_call_id : null,
  });
}

function placeOf(parentId: NodeId | null, making: Making) {
  return {
    id: making.newId(),
    projectId: making.projectId,
    parentId,
    turnId: making.turnId ?? null,
    createdOnBranch: making.createdOnBranch ?? null,
    createdAt: making.now(),
  };
}
