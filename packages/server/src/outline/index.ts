import type { BranchId, NodeId } from '@bough/core';
import type { Graph, GraphNode } from '@bough/store';
import type { Tree } from './tree.ts';
import { branchesBelow, chainTo, childrenOf, treeOf } from './tree.ts';

/** A node of an outline: a message, or a run of messages that it is the first of. */
export interface OutlineNode extends Omit<GraphNode, 'parentId'> {
  /** The node of the outline above it. */
  readonly parentId: NodeId | null;
  /** How many messages it stands for, itself included. */
  readonly run: number;
  /** How many messages that come after it the outline leaves out. */
  readonly below: number;
  /** A branch that leads to it. */
  readonly leadsTo: BranchId | null;
}

export interface OutlineQuery {
  /** The most nodes of the outline. */
  readonly limit: number;
  /** What is shown first: the way to this node. */
  readonly tip: NodeId | null;
  /** Nodes to which the way is shown, and what comes after them: the runs and subtrees that somebody opened. */
  readonly open: readonly NodeId[];
}

/** Shorter runs stay as they are. */
const LONG_RUN = 8;
/** How much of a run is shown where it is opened: it may be as long as the project. */
const OPENED = 200;

/**
 * A tree of any size in a limited number of nodes: straight runs are one node each, and what is far from where somebody
 * looks is left out and counted. Nothing is lost: every message is in the outline, in one of its runs, or counted below
 * one of its nodes.
 */
export function outlineOf(graph: Graph, query: OutlineQuery): readonly OutlineNode[] {
  return new Outline(treeOf(graph), query).made();
}

class Outline {
  readonly #tree: Tree;
  readonly #limit: number;
  /** The places that an outline must show: the ways to what was asked for. */
  readonly #wanted = new Set<number>();
  readonly #opened = new Set<number>();
  readonly #tips: ReadonlySet<number>;
  /** Merges, and what they brought: a line between the two is drawn only where both are shown. */
  readonly #merged: ReadonlySet<number>;
  /** How long the run is that begins at a place of the outline, and the place of the outline above it. */
  readonly #shown = new Map<number, { readonly run: number; readonly above: number }>();
  /** Up to here the way to the tip is one run, whatever forks off it: it is longer than the outline. */
  #forcedTo = -1;

  constructor(tree: Tree, { limit, tip, open }: OutlineQuery) {
    this.#tree = tree;
    this.#limit = limit;
    const places = (ids: readonly (NodeId | null)[]): readonly number[] =>
      ids.flatMap((id) => (id === null ? [] : (tree.placeOf.get(id) ?? [])));
    this.#tips = new Set(places(tree.branches.map(({ tipId }) => tipId)));
    this.#merged = new Set(places(tree.nodes.flatMap((node) => (node.mergedUpTo ? [node.id, node.mergedUpTo] : []))));
    const opened = places(open);
    for (const place of opened) this.#opened.add(place);
    const [end] = places([tip]);
    const chain = end === undefined ? [] : chainTo(tree, end);
    if (opened.length === 0) this.#force(chain);
    for (const place of [...chain, ...opened.flatMap((each) => chainTo(tree, each))]) this.#wanted.add(place);
  }

  made(): readonly OutlineNode[] {
    const { nodes, roots } = this.#tree;
    // What is wanted comes first; the rest level by level, so that it is near what is shown already.
    const wanted: [place: number, above: number][] = [];
    const later: [place: number, above: number][] = [];
    const wait = (place: number, above: number): void => {
      (this.#wanted.has(place) ? wanted : later).push([place, above]);
    };
    for (const root of roots) wait(root, -1);
    let next = 0;
    while (this.#shown.size < this.#limit) {
      const step = wanted.pop() ?? later[next++];
      if (step === undefined) break;
      const [place, above] = step;
      const last = this.#show(place, above);
      for (const child of childrenOf(this.#tree, last.end)) if (!this.#shown.has(child)) wait(child, last.first);
    }
    this.#showLone();
    const branches = branchesBelow(this.#tree);
    return [...this.#shown]
      .toSorted(([a], [b]) => a - b)
      .flatMap(([place, { run, above }]) => {
        const node = nodes[place];
        if (node === undefined) return [];
        const parentId = nodes[above]?.id ?? null;
        return [{ ...node, parentId, run, below: this.#below(place, run), leadsTo: branches[place]?.id ?? null }];
      });
  }

  /** A single message that is left out would take as much room as the note that it is. */
  #showLone(): void {
    for (const [place, { run }] of this.#shown) {
      if (this.#below(place, run) !== 1) continue;
      for (const child of childrenOf(this.#tree, this.#endOf(place, run)))
        if (!this.#shown.has(child)) this.#shown.set(child, { run: 1, above: place });
    }
  }

  /** Shows a place with the run that begins there. Returns where that run begins and ends. */
  #show(place: number, above: number): { readonly first: number; readonly end: number } {
    if (this.#forcedTo >= 0 && above < 0 && this.#wanted.has(place)) return this.#showForced(place);
    const run = this.#runFrom(place);
    const isOpened = this.#opened.has(place);
    const single = isOpened ? Math.min(run.length, OPENED) : run.length < LONG_RUN ? run.length : 0;
    let first = above;
    for (const each of run.slice(0, single)) {
      this.#shown.set(each, { run: 1, above: first });
      first = each;
    }
    const rest = run.slice(single);
    const [start] = rest;
    if (start !== undefined) {
      this.#shown.set(start, { run: rest.length, above: first });
      first = start;
    }
    return { first, end: run.at(-1) ?? place };
  }

  #showForced(root: number): { readonly first: number; readonly end: number } {
    const chain = chainTo(this.#tree, this.#forcedTo);
    this.#shown.set(root, { run: chain.length, above: -1 });
    return { first: root, end: this.#forcedTo };
  }

  /** The nodes from this one on of which none forks, ends, or must be shown alone. */
  #runFrom(place: number): readonly number[] {
    const { firstChild } = this.#tree;
    const run = [place];
    if (!this.#isPlain(place)) return run;
    for (let at = firstChild[place] ?? -1; at >= 0 && this.#isPlain(at); at = firstChild[at] ?? -1) {
      if (this.#opened.has(at)) break;
      run.push(at);
    }
    return run;
  }

  #isPlain(place: number): boolean {
    const { children, nodes } = this.#tree;
    const isMarked = this.#tips.has(place) || this.#merged.has(place);
    return children[place] === 1 && !isMarked && nodes[place]?.isError !== true;
  }

  /** What comes after a run and is not shown. */
  #below(place: number, run: number): number {
    const { size } = this.#tree;
    const end = this.#endOf(place, run);
    let hidden = (size[place] ?? 0) - run;
    for (const child of childrenOf(this.#tree, end)) if (this.#shown.has(child)) hidden -= size[child] ?? 0;
    return hidden;
  }

  #endOf(place: number, run: number): number {
    if (run === 1) return place;
    const isForced = this.#forcedTo >= 0 && this.#tree.parent[place] === -1 && this.#wanted.has(place);
    if (isForced) return this.#forcedTo;
    let end = place;
    for (let step = 1; step < run; step += 1) end = this.#tree.firstChild[end] ?? -1;
    return end;
  }

  /** A way on which almost every message forks may be longer than the outline: then its end is shown. */
  #force(chain: readonly number[]): void {
    let single = 0;
    for (let at = chain.length - 1; at > 0; at -= 1) {
      if (!this.#isPlain(chain[at] ?? 0)) single += 1;
      if (single <= this.#limit / 2) continue;
      this.#forcedTo = chain[at - 1] ?? -1;
      return;
    }
  }
}
