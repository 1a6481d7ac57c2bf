import type { Call, NodeId, TurnId } from '@bough/core';
import type { Store } from '@bough/store';
import { orNull } from '../conduct/find.ts';

/** What is read to find the request before another. */
export type Earlier = Pick<Store, 'callsOfTurn' | 'nodesOfTurn' | 'path' | 'getNodes' | 'getTurn' | 'getBranch'>;

/**
 * The request before a call in the same conversation. Where the client left its own history (an edit, a summary), that
 * is the newest one of the history that it left: it is what the provider had in its cache.
 */
export async function previousCall(store: Earlier, call: Call): Promise<Call | null> {
  const { projectId, turnId } = call;
  const own = await store.callsOfTurn(projectId, turnId);
  const earlier = own.slice(
    0,
    own.findIndex(({ id }) => id === call.id),
  );
  const inTurn = earlier.findLast(isAnswered);
  if (inTurn !== undefined) return inTurn;
  const nodes = await store.nodesOfTurn(projectId, turnId);
  const tip = call.nodeId ?? nodes.at(-1)?.id;
  if (tip === undefined) return null;
  return (await leftBehind(store, call, nodes[0]?.parentId ?? null)) ?? onPath(store, call, tip);
}

/** The newest call of the branch that the client left with this one; null if it left none. */
async function leftBehind(store: Earlier, call: Call, above: NodeId | null): Promise<Call | null> {
  const { projectId, turnId } = call;
  const { branchId } = await store.getTurn(projectId, turnId);
  const branch = branchId === null ? null : await orNull(store.getBranch(projectId, branchId));
  const from = branch?.forkedFromId ?? null;
  if (from === null || from !== above || branch?.recorded?.because == null) return null;
  const [common] = await store.getNodes(projectId, [from]);
  const source = common?.createdOnBranch ?? null;
  const left = source === null ? null : await orNull(store.getBranch(projectId, source));
  if (left?.tipId == null) return null;
  const found = await onPath(store, call, left.tipId);
  // It may have gone on since.
  return found !== null && found.startedAt < call.startedAt ? found : null;
}

/** The newest call that a provider answered on the path to a node, apart from the turn of the call itself. */
async function onPath(store: Earlier, { projectId, turnId }: Call, tip: NodeId): Promise<Call | null> {
  const path = await store.path(projectId, tip);
  const replies = path.filter(
    ({ role, trail, turnId: of }) => role === 'assistant' && trail !== undefined && of !== turnId,
  );
  const turns = new Set<TurnId>(replies.toReversed().flatMap(({ turnId: of }) => of ?? []));
  const ids = new Set<NodeId>(path.map(({ id }) => id));
  for (const turn of [...turns].slice(0, MOST_TURNS)) {
    const calls = await store.callsOfTurn(projectId, turn);
    const last = calls.findLast((each) => isAnswered(each) && each.nodeId !== null && ids.has(each.nodeId));
    if (last !== undefined) return last;
  }
  return null;
}

/** Turns without an answer are passed over, but not for ever. */
const MOST_TURNS = 20;

const isAnswered = ({ exchange, usage }: Call): boolean => exchange !== undefined && usage !== null;
