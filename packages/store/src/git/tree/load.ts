import type { NodeId, ProjectId, Turn, TurnId } from '@bough/core';
import { backfillTurns, turnId } from '@bough/core';
import { EMPTY_BLOB, pathTextOf } from '../objects/path-text.ts';
import type { Repository } from '../repository/repository.ts';
import { createNodeIndex, type IndexedNode, type NodeIndex } from './node-index.ts';
import { type Found, readPathFile } from './read-path-file.ts';
import type { Texts } from './texts.ts';

export const NODES_FILE = 'nodes.jsonl';

/** A ref that ends a path: a branch, or a leaf that no branch ends on. */
export interface Head {
  readonly ref: string;
  readonly commit: string;
  readonly tree: string;
  readonly blob: string;
  readonly length: number;
  readonly aligned: boolean;
  readonly tip: NodeId | null;
}

export interface LoadedTree {
  readonly index: NodeIndex;
  readonly heads: ReadonlyMap<string, Head>;
  readonly oldTurns: ReadonlyMap<TurnId, OldTurn>;
}

/** A turn of nodes from before turns were stored: computed, never written. */
export interface OldTurn {
  readonly turn: Turn;
  readonly replies: readonly IndexedNode[];
}

/** Builds the structure of a project from its heads, the most important first. */
export async function loadTree(
  repository: Repository,
  texts: Texts,
  project: ProjectId,
  refs: readonly (readonly [ref: string, commit: string])[],
  nodeTurns: ReadonlyMap<NodeId, TurnId> = new Map(),
): Promise<LoadedTree> {
  const found: Found = { nodes: new Map(), old: new Map() };
  const heads = new Map<string, Head>();
  const readings = new Map<string, Pick<Head, 'blob' | 'length' | 'aligned' | 'tip'>>();
  for (const [ref, commit] of refs) {
    const { tree } = await repository.readCommit(commit);
    const blob = (await repository.readTree(tree)).get(NODES_FILE)?.oid ?? EMPTY_BLOB;
    let reading = readings.get(blob);
    if (reading === undefined) {
      const content = blob === EMPTY_BLOB ? Buffer.alloc(0) : await repository.readBlob(blob);
      const file = { blob, subject: `${repository.gitDir} ${ref}:${NODES_FILE}` };
      reading = { blob, length: content.length, ...readPathFile(project, content, file, found) };
      readings.set(blob, reading);
      texts.keep(blob, pathTextOf(content));
    }
    heads.set(ref, { ref, commit, tree, ...reading });
  }
  for (const [id, turn] of nodeTurns) {
    const node = found.nodes.get(id);
    if (node) found.nodes.set(id, { ...node, turnId: turn });
  }
  return { heads, ...withOldTurns(project, found) };
}

/** Places old nodes in the order by their times, and gives them their turns. */
function withOldTurns(project: ProjectId, { nodes, old }: Found): Pick<LoadedTree, 'index' | 'oldTurns'> {
  if (old.size === 0) return { index: createNodeIndex(nodes.values()), oldTurns: new Map() };
  // A clock that ran backwards must not put a reply before its question.
  const times = new Map<NodeId, number>();
  for (const node of old.values()) {
    const above = node.parentId === null ? 0 : (times.get(node.parentId) ?? 0);
    times.set(node.id, Math.max(above, Date.parse(node.createdAt)));
  }
  const inTime = [...old.values()].sort((a, b) => (times.get(a.id) ?? 0) - (times.get(b.id) ?? 0));
  const { turns, assignments } = backfillTurns(project, inTime, (user) => turnId(`turn-of-${user.id}`));
  for (const [found, { id }] of inTime.entries()) {
    const node = nodes.get(id);
    if (node) nodes.set(id, { ...node, found, turnId: assignments.get(id) ?? null } satisfies IndexedNode);
  }
  const replies = new Map<TurnId, IndexedNode[]>(turns.map((turn) => [turn.id, []]));
  const index = createNodeIndex(nodes.values());
  for (const node of index.all()) {
    if (node.old && node.turnId !== null && node.role === 'assistant') replies.get(node.turnId)?.push(node);
  }
  return {
    index,
    oldTurns: new Map(turns.map((turn) => [turn.id, { turn, replies: replies.get(turn.id) ?? [] }])),
  };
}
