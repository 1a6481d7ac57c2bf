import type { CachedTurn, NodeId, TreeNode } from '@bough/core';
import { marksOf } from '@bough/core';
import type { CallSources, CallTarget, PreparedCall } from '@bough/providers';
import { cacheSlot, prepareCall, prepareStored } from '@bough/providers';

/** As a store reads it: the same nodes, each as a new object. */
export function reread(path: readonly TreeNode[]): readonly TreeNode[] {
  return JSON.parse(JSON.stringify(path)) as readonly TreeNode[];
}

export interface CachedCall {
  readonly call: PreparedCall;
  /** How many nodes of the path were not read. */
  readonly unread: number;
}

/** What stores keep of closed turns, and the requests that the engine makes with it. */
export class TurnCache {
  readonly #turns = new Map<string, CachedTurn>();
  readonly #keeps: (turn: CachedTurn) => boolean;
  /** How many requests were made without reading their whole path. */
  spared = 0;

  /** `keeps` decides which turns are kept; nothing may depend on which ones are. */
  constructor(keeps: (turn: CachedTurn) => boolean = () => true) {
    this.#keeps = keeps;
  }

  /** Raw is lost only through damage, and damage spares no cache. */
  forget(node: NodeId): void {
    for (const [name, { facts }] of this.#turns) if (facts.includes(JSON.stringify(node))) this.#turns.delete(name);
  }

  /**
   * The request, made from the cached turns and what follows them; the whole path is read only if that is not possible.
   * Asking for anything that was not read is an error.
   */
  prepare(whole: readonly TreeNode[], target: CallTarget, sources: CallSources): CachedCall {
    const slot = cacheSlot(target);
    // A summary is not on the stored path.
    const path = whole.filter(({ id }) => target.summary?.every((node) => node.id !== id) ?? true);
    const cachedTurns = path.flatMap(({ id }) => this.#turns.get(nameOf(slot, id)) ?? []);
    const newest = cachedTurns.at(-1)?.nodeId;
    const unread = newest === undefined ? 0 : 1 + path.findIndex(({ id }) => id === newest);
    const hidden = new Set(path.slice(0, unread).map(({ id }) => id));
    const behind = <Value>(id: NodeId, read: () => Value): Value => {
      if (hidden.has(id)) throw new Error(`${id} was not read.`);
      return read();
    };
    const { renderingOf } = sources;
    const behindCached = unread === 0 ? whole : path.slice(unread);
    const stored = { marks: marksOf(path), nodes: reread(behindCached), cachedTurns };
    const call = prepareStored(stored, target, {
      ...sources,
      rawOf: (id) => behind(id, () => sources.rawOf(id)),
      renderingOf: (id, key) => behind(id, () => renderingOf?.(id, key)),
    });
    const made = call ?? prepareCall(reread(whole), target, sources);
    for (const turn of made.newCachedTurns()) if (this.#keeps(turn)) this.#turns.set(nameOf(slot, turn.nodeId), turn);
    if (call !== null && unread > 0) this.spared += 1;
    return { call: made, unread: call === null ? 0 : unread };
  }
}

const nameOf = (slot: string, node: NodeId): string => `${slot} ${node}`;

/** About one turn in two. */
export function everyOther({ nodeId }: CachedTurn): boolean {
  return (nodeId.codePointAt(nodeId.length - 1) ?? 0) % 2 === 0;
}
