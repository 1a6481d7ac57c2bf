import type { Branch, NodeId, ProjectId, Rendering, TreeNode, Turn, TurnId } from '@bough/core';
import { createNode } from '@bough/core';
import { thinks } from '../admit/thinks.ts';
import type { Environment } from '../environment.ts';
import type { RecordedStart } from '../turn/runner.ts';
import type { TurnEnd } from '../watch/hub.ts';

/** A message of another program's conversation. */
export interface RecordedMessage extends Pick<TreeNode, 'id' | 'role' | 'contentBlocks'> {
  readonly trail: string;
  readonly toolCallId?: string | undefined;
  readonly isError?: boolean | undefined;
  /** What it is part of: the turn that is recorded, an older one, or none that is known. */
  readonly turn: 'this' | TurnId | null;
}

/** Where a call is recorded. */
export interface RecordedPlace {
  readonly projectId: ProjectId;
  /** As it was read, or as it is to be made. */
  readonly branch: Branch;
  readonly isNewBranch: boolean;
  /** What the first new message is below; what is answered where there is none. */
  readonly parentId: NodeId | null;
  /** A turn of the branch that has ended, and how, and goes on now; null: a new one begins. */
  readonly goesOn: { readonly turnId: TurnId; readonly endedAs: TurnEnd['status'] } | null;
  /** New messages, each below the one before. */
  readonly messages: readonly RecordedMessage[];
  /** What the bodies of the call are rebuilt from. */
  readonly renderings: readonly Rendering[];
}

/** Stores what a client said. A lost race is a `ConflictError`, and nothing is stored: it needs another place. */
export async function begin(env: Environment, leaseMs: number, place: RecordedPlace): Promise<RecordedStart> {
  return place.goesOn === null ? beginNew(env, leaseMs, place) : goOn(env, leaseMs, place, place.goesOn);
}

async function beginNew(env: Environment, leaseMs: number, place: RecordedPlace): Promise<RecordedStart> {
  const { projectId, branch, renderings } = place;
  const turn: Turn = {
    id: env.ids.turn(),
    projectId,
    branchId: branch.id,
    isThinkingMode: thinks(env, branch.envelope),
    status: 'running',
    createdAt: env.now().toISOString(),
  };
  const nodes = nodesOf(env, place, turn.id);
  const tip = tipOf(nodes, place);
  await env.store.beginTurn({
    turn,
    owner: env.owner,
    leaseMs,
    nodes,
    renderings,
    tip: { branchId: branch.id, expected: branch.tipId, next: tip },
    ...(place.isNewBranch ? { newBranch: branch } : {}),
  });
  const own = nodes.filter(({ turnId }) => turnId === turn.id);
  return {
    turn,
    branch,
    tip,
    nodeIds: own.map(({ id }) => id),
    userNodeId: own.findLast(({ role }) => role === 'user')?.id ?? null,
  };
}

async function goOn(
  env: Environment,
  leaseMs: number,
  place: RecordedPlace,
  { turnId: id, endedAs }: NonNullable<RecordedPlace['goesOn']>,
): Promise<RecordedStart> {
  const { projectId, branch, renderings } = place;
  const turn = await env.store.reopenTurn(projectId, id, env.owner, leaseMs);
  const nodes = nodesOf(env, place, id);
  const tip = tipOf(nodes, place);
  const part = { projectId, turnId: id, owner: env.owner, nodes, calls: [], renderings };
  try {
    await env.store.commitTurn({ ...part, tip: { branchId: branch.id, expected: branch.tipId, next: tip } });
  } catch (error) {
    // Nothing was added: it ends as it did before.
    await env.store.commitTurn({ ...part, nodes: [], renderings: [], status: endedAs });
    throw error;
  }
  return { turn, branch, tip, userNodeId: null };
}

function tipOf(nodes: readonly TreeNode[], { parentId }: RecordedPlace): NodeId {
  const tip = nodes.at(-1)?.id ?? parentId;
  if (tip === null) throw new Error('A recorded turn answers something.');
  return tip;
}

function nodesOf(env: Environment, place: RecordedPlace, turnId: TurnId): readonly TreeNode[] {
  let { parentId } = place;
  const createdAt = env.now().toISOString();
  return place.messages.map(({ turn, ...message }) => {
    const node = createNode({
      ...message,
      isError: message.isError ?? false,
      toolCallId: message.toolCallId ?? null,
      projectId: place.projectId,
      parentId,
      turnId: turn === 'this' ? turnId : turn,
      createdOnBranch: place.branch.id,
      createdAt,
    });
    parentId = node.id;
    return node;
  });
}
