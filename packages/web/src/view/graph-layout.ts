import type { GraphView } from '@bough/api/client';

type GraphNode = GraphView['nodes'][number];

/** A point of the drawing: one message, or a long run of messages that nothing forks from. */
export interface GraphItem {
  /** Its first node's id. */
  readonly id: string;
  readonly nodes: readonly GraphNode[];
  readonly row: number;
  lane: number;
  readonly parent: GraphItem | null;
  readonly children: GraphItem[];
  readonly branchId: string | null;
}

export interface GraphLayout {
  readonly rows: readonly (readonly GraphItem[])[];
  /** For each row the rightmost lane that something is drawn in: labels stand behind it. */
  readonly rowLanes: readonly number[];
  readonly lanes: number;
  /** Every node's item, whether it stands alone or inside a run. */
  readonly itemOf: ReadonlyMap<string, GraphItem>;
}

export interface LayoutOptions {
  /** Runs that are shown in full, by the id of their first node. */
  readonly expanded: ReadonlySet<string>;
  /** Nodes that must stand alone: tips of branches, the selected message. */
  readonly keep: ReadonlySet<string>;
}

/** Fewer than this stay as they are: folding them would save no room and cost a click. */
export const LONG_RUN = 8;

/**
 * Rows are depths, lanes are chains: a chain follows the child that stays on its parent's branch, every other child starts a chain of
 * its own. A lane is used again once its chain has ended. Iterative and linear: ten thousand messages in one line would overflow a recursion.
 */
export function layoutGraph(nodes: readonly GraphNode[], { expanded, keep }: LayoutOptions): GraphLayout {
  const children = childrenOf(nodes);
  const rows: GraphItem[][] = [];
  const itemOf = new Map<string, GraphItem>();
  const stack: { readonly node: GraphNode; readonly parent: GraphItem | null }[] = [];
  for (const root of (children.get(null) ?? []).toReversed()) stack.push({ node: root, parent: null });
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const run = runFrom(next.node, children, keep);
    const isFolded = run.length >= LONG_RUN && !expanded.has(next.node.id);
    const [first = next.node] = run;
    const members = isFolded ? run : [first];
    const row = next.parent === null ? 0 : next.parent.row + 1;
    let item: GraphItem = {
      id: first.id,
      nodes: members,
      row,
      lane: 0,
      parent: next.parent,
      children: [],
      branchId: first.branchId,
    };
    place(item, rows, itemOf);
    if (!isFolded) {
      // An expanded or short run is laid down at once, so that its later half is not taken for a new, shorter run.
      for (const node of run.slice(1)) {
        const below: GraphItem = {
          id: node.id,
          nodes: [node],
          row: item.row + 1,
          lane: 0,
          parent: item,
          children: [],
          branchId: node.branchId,
        };
        item.children.push(below);
        place(below, rows, itemOf);
        item = below;
      }
    }
    const last = item.nodes.at(-1) ?? first;
    for (const child of (children.get(last.id) ?? []).toReversed()) stack.push({ node: child, parent: item });
    if (next.parent !== null) next.parent.children.push(itemOf.get(first.id) ?? item);
  }
  return { ...assignLanes(rows), rows, itemOf };
}

function place(item: GraphItem, rows: GraphItem[][], itemOf: Map<string, GraphItem>): void {
  (rows[item.row] ??= []).push(item);
  for (const node of item.nodes) itemOf.set(node.id, item);
}

/** A node whose parent is not among them stands as a root: nothing is ever left out of the picture. */
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

/** The nodes from this one on that can be folded together: none forks, ends, or must stand alone. */
function runFrom(
  start: GraphNode,
  children: ReadonlyMap<string | null, readonly GraphNode[]>,
  keep: ReadonlySet<string>,
): readonly GraphNode[] {
  const isPlain = (node: GraphNode): boolean =>
    children.get(node.id)?.length === 1 && !keep.has(node.id) && !node.isError;
  if (!isPlain(start)) return [start];
  const run = [start];
  for (
    let [below] = children.get(start.id) ?? [];
    below !== undefined && isPlain(below);
    [below] = children.get(below.id) ?? []
  )
    run.push(below);
  return run;
}

function assignLanes(rows: readonly (readonly GraphItem[])[]): Pick<GraphLayout, 'rowLanes' | 'lanes'> {
  const free: number[] = [];
  const rowLanes: number[] = [];
  let lanes = 0;
  let open: GraphItem[] = [];
  const mains = new Map<GraphItem, GraphItem | undefined>();
  const mainOf = (item: GraphItem): GraphItem | undefined => {
    // Once per item: a message with a thousand answers would be searched a thousand times.
    if (!mains.has(item)) mains.set(item, mainChild(item));
    return mains.get(item);
  };
  for (const row of rows) {
    const continued = new Set<GraphItem>();
    for (const item of row) {
      if (item.parent === null || mainOf(item.parent) !== item) continue;
      item.lane = item.parent.lane;
      continued.add(item);
    }
    for (const before of open) if (mainOf(before) === undefined) release(free, before.lane);
    for (const item of row) {
      if (continued.has(item)) continue;
      item.lane = free.pop() ?? lanes;
      lanes = Math.max(lanes, item.lane + 1);
    }
    open = [...row];
    rowLanes.push(row.reduce((widest, item) => Math.max(widest, item.lane), 0));
  }
  return { rowLanes, lanes };
}

/** The free lanes, the leftmost last: the next chain takes the one that is nearest to the trunk. */
function release(free: number[], lane: number): void {
  const at = free.findIndex((each) => each < lane);
  free.splice(at < 0 ? free.length : at, 0, lane);
}

/** The child that goes on in its parent's lane. */
export function mainChild(item: GraphItem): GraphItem | undefined {
  return item.children.find((child) => child.branchId === item.branchId) ?? item.children[0];
}
