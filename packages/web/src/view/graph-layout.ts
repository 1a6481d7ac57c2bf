import type { GraphView } from '@bough/api/client';

type GraphNode = GraphView['nodes'][number];

/** A point in the drawing: one message, a long run of messages without forks, or messages that are left out. */
export interface GraphItem {
  /** Its first node's id. */
  readonly id: string;
  readonly nodes: readonly GraphNode[];
  /** How many messages it stands for. */
  readonly count: number;
  /** The node after which these messages come, if they are left out of the tree until it is opened. */
  readonly after: string | null;
  /** Its own row: no other item is next to it, so that a label can only mean this one. */
  row: number;
  lane: number;
  readonly parent: GraphItem | null;
  readonly children: GraphItem[];
  readonly branchId: string | null;
}

export interface GraphLayout {
  /** In the order of their rows. */
  readonly items: readonly GraphItem[];
  readonly lanes: number;
  /** Every node's item, whether it is alone or inside a run. */
  readonly itemOf: ReadonlyMap<string, GraphItem>;
}

export interface LayoutOptions {
  /** Runs that are shown in full, by the id of their first node. */
  readonly expanded: ReadonlySet<string>;
  /** Nodes that must not be folded: tips of branches, the selected message. */
  readonly keep: ReadonlySet<string>;
}

/** Shorter runs stay as they are: folding them would save no space and cost a click. */
export const LONG_RUN = 8;

/**
 * The side conversations of a fork come right below it, each one lane further to the right; then the conversation
 * continues in its own lane. So a lane never runs past something further to the right, and there is room for words next
 * to every item.
 */
export function layoutGraph(nodes: readonly GraphNode[], { expanded, keep }: LayoutOptions): GraphLayout {
  const { roots, itemOf } = itemsOf(nodes, expanded, keep);
  const items: GraphItem[] = [];
  let lanes = 0;
  // A list of what is still to be drawn instead of recursion: ten thousand messages in one line would overflow the
  // stack.
  const waiting = roots.toReversed();
  for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
    item.row = items.length;
    items.push(item);
    lanes = Math.max(lanes, item.lane + 1);
    const main = mainChild(item);
    if (main === undefined) continue;
    main.lane = item.lane;
    waiting.push(main);
    for (const side of item.children.toReversed()) {
      if (side === main) continue;
      side.lane = item.lane + 1;
      waiting.push(side);
    }
  }
  return { items, lanes, itemOf };
}

/** The tree of items, not yet placed. */
function itemsOf(
  nodes: readonly GraphNode[],
  expanded: ReadonlySet<string>,
  keep: ReadonlySet<string>,
): { readonly roots: readonly GraphItem[]; readonly itemOf: ReadonlyMap<string, GraphItem> } {
  const children = childrenOf(nodes);
  const roots: GraphItem[] = [];
  const itemOf = new Map<string, GraphItem>();
  const add = (members: readonly [GraphNode, ...GraphNode[]], parent: GraphItem | null): GraphItem => {
    const [{ id, branchId }] = members;
    const count = members.reduce((sum, { run = 1 }) => sum + run, 0);
    const item: GraphItem = { id, nodes: members, count, after: null, row: 0, lane: 0, parent, children: [], branchId };
    (parent?.children ?? roots).push(item);
    for (const node of members) itemOf.set(node.id, item);
    return item;
  };
  const addLeftOut = (above: GraphItem | null, { id: after, below = 0, branchId }: GraphNode): void => {
    if (above === null || below === 0) return;
    const id = `${after}…`;
    const item = { id, nodes: [], count: below, after, row: 0, lane: 0, parent: above, children: [], branchId };
    above.children.push(item);
    itemOf.set(id, item);
  };
  const waiting = (children.get(null) ?? []).map((node): [GraphNode, GraphItem | null] => [node, null]).toReversed();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [node, parent] = next;
    const run = runFrom(node, children, keep);
    const isFolded = run.length >= LONG_RUN && !expanded.has(node.id);
    // An expanded or short run is laid out at once, so that its later half is not mistaken for a new, shorter run.
    const last = isFolded
      ? add(run, parent)
      : run.reduce<GraphItem | null>((above, each) => add([each], above), parent);
    const end = run.at(-1) ?? node;
    const below = children.get(end.id) ?? [];
    addLeftOut(last, end);
    for (const child of below.toReversed()) waiting.push([child, last]);
  }
  return { roots, itemOf };
}

/** A node whose parent is missing becomes a root: nothing is ever left out of the picture. */
function childrenOf(nodes: readonly GraphNode[]): ReadonlyMap<string | null, GraphNode[]> {
  const ids = new Set(nodes.map((node) => node.id));
  const children = new Map<string | null, GraphNode[]>();
  for (const node of nodes) {
    const parent = node.parentId !== null && ids.has(node.parentId) ? node.parentId : null;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [node]);
    else siblings.push(node);
  }
  return children;
}

/** One message, with everything that comes after it. */
const isAlone = ({ run = 1, below = 0 }: GraphNode): boolean => run === 1 && below === 0;

/** The nodes from this one on that can be folded together: none forks, ends, or must be shown alone. */
function runFrom(
  start: GraphNode,
  children: ReadonlyMap<string | null, readonly GraphNode[]>,
  keep: ReadonlySet<string>,
): readonly [GraphNode, ...GraphNode[]] {
  const isPlain = (node: GraphNode): boolean =>
    children.get(node.id)?.length === 1 && !keep.has(node.id) && !node.isError && isAlone(node);
  if (!isPlain(start)) return [start];
  const run: [GraphNode, ...GraphNode[]] = [start];
  for (
    let [below] = children.get(start.id) ?? [];
    below !== undefined && isPlain(below);
    [below] = children.get(below.id) ?? []
  )
    run.push(below);
  return run;
}

/** The child that continues in its parent's lane. */
export function mainChild(item: GraphItem): GraphItem | undefined {
  const children = item.children.filter(({ after }) => after === null);
  return children.find((child) => child.branchId === item.branchId) ?? children[0] ?? item.children[0];
}
