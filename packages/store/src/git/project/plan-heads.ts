import type { NodeId, TreeNode } from '@bough/core';
import { leafRef } from '../meta/layout.ts';
import { serializeCommit, subjectOf } from '../objects/commit-object.ts';
import { appendBytes, EMPTY_TEXT, endsInLine, type PathText } from '../objects/path-text.ts';
import type { RefMove } from '../refs/move.ts';
import type { Head } from '../tree/load.ts';
import { type IndexedNode, indexed, type PathFile } from '../tree/node-index.ts';
import { endOfNode, type PathEnd, pathTree, secondsOf, type Surroundings } from './locate-commit.ts';

/** A node to store: its place in the order and its line are fixed before anything is written. */
export interface NewNode {
  readonly node: TreeNode;
  readonly order: number;
  readonly line: Buffer;
}

/** Where a branch's ref is to point afterwards. `head` is where it points now; null for a new branch. */
export interface TipChange {
  readonly ref: string;
  readonly head: Head | null;
  /** `undefined` where the branch is removed. */
  readonly next: NodeId | null | undefined;
}

export interface HeadPlan {
  readonly moves: readonly RefMove[];
  /** Updates the state with what has become true; to be called once the refs have moved. */
  readonly apply: () => void;
}

/**
 * Works out the commits for new nodes and the refs that hold them. Invariant: every branch's ref is at the path of its
 * tip, and every node is on the path of some ref, so that neither `git gc` nor a reader of the refs ever misses one.
 */
export async function planHeads(
  around: Surroundings,
  added: readonly NewNode[],
  tips: readonly TipChange[],
): Promise<HeadPlan> {
  const { state } = around;
  const chains = await planChains(around, added, tips);
  const heads: Head[] = [];
  const moves: RefMove[] = [];

  const changed = new Set(tips.map(({ ref }) => ref));
  const branchTips = new Set<NodeId | null>();
  for (const { ref } of state.branches.values())
    if (!changed.has(ref)) branchTips.add(state.heads.get(ref)?.tip ?? null);
  for (const { next } of tips) if (next !== undefined) branchTips.add(next);

  const parents = new Set(added.map(({ node }) => node.parentId));
  const isLeaf = (id: NodeId): boolean =>
    !parents.has(id) &&
    !branchTips.has(id) &&
    (state.index.find(id) === undefined || state.index.children(id).length === 0);

  // Leaves first: a node is never without a ref, not even between two moves.
  for (const { id, end } of chains.ends) {
    if (isLeaf(id)) heads.push(headAt(leafRef(id), id, end));
  }
  for (const { head } of tips) {
    if (head?.tip != null && isLeaf(head.tip)) heads.push({ ...head, ref: leafRef(head.tip) });
  }
  for (const { ref, head, next } of tips) {
    if (next === undefined) continue;
    heads.push(headAt(ref, next, await chains.endOf(next, head)));
  }
  for (const head of heads)
    moves.push({ ref: head.ref, from: state.heads.get(head.ref)?.commit ?? null, to: head.commit });

  const gone = tips.flatMap(({ head, next }) => (head && next === undefined ? [head] : []));
  const covered = [...state.heads.values()].filter(
    (head) => head.tip !== null && head.ref === leafRef(head.tip) && !isLeaf(head.tip),
  );
  for (const head of [...gone, ...covered]) moves.push({ ref: head.ref, from: head.commit, to: null });

  return {
    moves: moves.filter(({ from, to }) => from !== to),
    apply: () => {
      chains.apply();
      for (const { ref } of [...gone, ...covered]) state.heads.delete(ref);
      for (const head of heads) state.heads.set(head.ref, head);
    },
  };
}

function headAt(ref: string, tip: NodeId | null, { commit, tree, blob, text, aligned }: PathEnd): Head {
  return { ref, commit, tree, blob, length: text.length, aligned, tip };
}

interface Chains {
  /** The last nodes of each added chain, with their commits. */
  readonly ends: readonly { readonly id: NodeId; readonly end: PathEnd }[];
  /** The commit of any node, new or old. */
  readonly endOf: (id: NodeId | null, near: Head | null) => Promise<PathEnd>;
  readonly apply: () => void;
}

/**
 * One commit per new leaf, per new node that a branch will end on, and per new node where paths diverge, so that they
 * share their common part. Nodes in between share the next one's commit.
 */
async function planChains(
  around: Surroundings,
  added: readonly NewNode[],
  tips: readonly TipChange[],
): Promise<Chains> {
  const { repository, texts, state, objects } = around;
  const byId = new Map(added.map((one) => [one.node.id, one]));
  const children = new Map<NodeId | null, number>();
  for (const { node } of added) children.set(node.parentId, (children.get(node.parentId) ?? 0) + 1);
  const wanted = new Map(tips.flatMap((tip) => (tip.next == null ? [] : [[tip.next, tip] as const])));
  const ends = new Map<NodeId, PathEnd>();
  const places = new Map<NodeId, IndexedNode>();
  const grown = new Map<PathFile, PathEnd>();

  // A first message needs no commit before it, unless its branch already has one.
  const baseOf = async (above: NodeId | null, near: Head | null): Promise<PathEnd | null> => {
    const isFirst = above === null && near === null && ![...state.heads.values()].some(({ tip }) => tip === null);
    return isFirst ? null : endOfNode(around, above, near);
  };

  for (const { node } of added) {
    if (children.get(node.id) === 1 && !wanted.has(node.id)) continue;
    const { chain, above } = chainTo(node.id, byId, ends);
    const base = (above === null ? null : ends.get(above)) ?? (await baseOf(above, wanted.get(node.id)?.head ?? null));
    const { text, offsets } = extend(base?.text ?? EMPTY_TEXT, chain);
    const blob = objects.addText(text, base?.blob);
    const tree = await pathTree(repository, objects, state, base?.tree ?? null, blob);
    const message = messageOf(chain);
    const parent = base === null ? [] : [base.commit];
    const commit = objects.add(
      'commit',
      serializeCommit({ tree, parents: parent, message }, secondsOf(node.createdAt)),
    );
    const end: PathEnd = { commit, tree, blob, text, aligned: base?.aligned ?? true };
    ends.set(node.id, end);

    const file = fileOf(around, above, base, places, grown) ?? { blob, length: text.length, aligned: end.aligned };
    grown.set(file, end);
    for (const [at, one] of chain.entries()) {
      const start = offsets[at] ?? 0;
      const place = { order: one.order, found: 0, old: false, file, start, end: start + one.line.length };
      if (!places.has(one.node.id)) places.set(one.node.id, indexed(one.node, place));
    }
  }

  return {
    ends: added.flatMap(({ node }) => {
      const end = ends.get(node.id);
      return end ? [{ id: node.id, end }] : [];
    }),
    endOf: async (id, near) => (id === null ? undefined : ends.get(id)) ?? endOfNode(around, id, near),
    apply: () => {
      for (const [file, { blob, text }] of grown) {
        file.blob = blob;
        file.length = text.length;
      }
      for (const { node } of added) {
        const place = places.get(node.id);
        if (place) state.index.add(place);
      }
      for (const [id, { commit, tree, blob, text }] of ends) {
        state.commits.set(id, { commit, tree });
        texts.keep(blob, text);
      }
    },
  };
}

/**
 * The chain of new nodes that ends at one, starting after the nearest node that has a commit: `above` is that node, or
 * null.
 */
function chainTo(
  id: NodeId,
  added: ReadonlyMap<NodeId, NewNode>,
  ends: ReadonlyMap<NodeId, PathEnd>,
): { readonly chain: readonly NewNode[]; readonly above: NodeId | null } {
  const chain: NewNode[] = [];
  let above: NodeId | null = id;
  while (above !== null && !ends.has(above)) {
    const one = added.get(above);
    if (one === undefined) break;
    chain.push(one);
    above = one.node.parentId;
  }
  return { chain: chain.reverse(), above };
}

/** The file of the node above, if the new lines come right after its end and no other lines have been added there. */
function fileOf(
  { state }: Surroundings,
  above: NodeId | null,
  base: PathEnd | null,
  places: ReadonlyMap<NodeId, IndexedNode>,
  grown: ReadonlyMap<PathFile, PathEnd>,
): PathFile | null {
  if (above === null || base === null) return null;
  const { file } = places.get(above) ?? state.index.get(above);
  const blob = grown.get(file)?.blob ?? file.blob;
  return blob === base.blob ? file : null;
}

function extend(
  base: PathText,
  chain: readonly NewNode[],
): { readonly text: PathText; readonly offsets: readonly number[] } {
  const start = endsInLine(base) ? base : appendBytes(base, NEWLINE);
  const offsets: number[] = [];
  let at = start.length;
  for (const { line } of chain) {
    offsets.push(at);
    at += line.length + 1;
  }
  return { text: appendBytes(start, Buffer.concat(chain.flatMap(({ line }) => [line, NEWLINE]))), offsets };
}

const NEWLINE = Buffer.from('\n');

function messageOf(chain: readonly NewNode[]): string {
  const [last] = chain.slice(-1);
  if (last === undefined) return 'Nothing';
  const subject = subjectOf(`${last.node.role}: ${last.node.content.slice(0, 500)}`);
  return chain.length === 1 ? subject : `${subject}\n\nWith the ${chain.length - 1} nodes before it.`;
}
