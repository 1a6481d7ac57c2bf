import type {
  Branch,
  Call,
  NodeId,
  Project,
  ProjectId,
  RawResponse,
  Rendering,
  TreeNode,
  Turn,
  TurnId,
} from '@bough/core';
import { BoughError, freeName, UnknownIdError } from '@bough/core';
import type { ProjectRecord, Store } from '@bough/store';
import { randomUUID } from 'node:crypto';

export interface ImportedProject {
  readonly project: Project;
  readonly outcome: 'new' | 'grown' | 'unchanged';
  readonly addedNodes: number;
  /** What the store can no longer take in, by kind. */
  readonly leftOut: readonly string[];
}

/**
 * Puts a project into a store, whole or not at all. An existing one gets what it lacks: nothing twice, nothing
 * overwritten. No provider is called, so a store is all that this needs.
 */
export async function importProject(store: Store, records: AsyncIterable<ProjectRecord>): Promise<ImportedProject> {
  const source = records[Symbol.asyncIterator]();
  const first = await source.next();
  if (first.done === true || first.value.type !== 'project')
    throw new BoughError('malformed_record', 'It does not begin with its project.');
  const project = first.value.value;
  const rest = { [Symbol.asyncIterator]: () => source };
  if (await isThere(store, project.id)) return grow(store, project, rest);
  let addedNodes = 0;
  await store.importProject(
    (async function* () {
      yield { type: 'project' as const, value: project };
      for await (const record of rest) {
        if (record.type === 'node') addedNodes += 1;
        yield record.type === 'branch' ? { ...record, value: asking(record.value) } : record;
      }
    })(),
  );
  return { project, outcome: 'new', addedNodes, leftOut: [] };
}

/** What somebody allowed elsewhere is not allowed here: a file must not be able to run tools unasked. */
function asking(branch: Branch): Branch {
  const { allowedTools: _, ...envelope } = branch.envelope;
  return { ...branch, envelope };
}

async function isThere(store: Store, id: ProjectId): Promise<boolean> {
  try {
    await store.getProject(id);
    return true;
  } catch (error) {
    if (error instanceof UnknownIdError) return false;
    throw error;
  }
}

interface Growth {
  readonly nodes: TreeNode[];
  readonly turns: Map<TurnId, Turn>;
  readonly branches: Branch[];
  readonly calls: { readonly call: Call; readonly raw: RawResponse | null }[];
  readonly renderings: Rendering[];
}

async function grow(store: Store, project: Project, records: AsyncIterable<ProjectRecord>): Promise<ImportedProject> {
  const { nodes: stored, branches } = await store.graph(project.id);
  const known = new Map<NodeId, NodeId | null>(stored.map(({ id, parentId }) => [id, parentId]));
  const growth: Growth = { nodes: [], turns: new Map(), branches: [], calls: [], renderings: [] };
  const knownTurns = new Set(stored.map(({ turnId }) => turnId));
  for await (const record of records) {
    if (record.type === 'node' && !known.has(record.value.id)) growth.nodes.push(record.value);
    else if (record.type === 'turn') growth.turns.set(record.value.id, record.value);
    else if (record.type === 'branch') growth.branches.push(asking(record.value));
    else if (record.type === 'rendering') growth.renderings.push(record.value);
    else if (record.type === 'call') {
      const { value: call, raw } = record;
      const isNew = !knownTurns.has(call.turnId) || (call.nodeId !== null && !known.has(call.nodeId));
      if (isNew) growth.calls.push({ call, raw });
    }
  }
  const leftOut = await addNodes(store, project.id, growth, knownTurns);
  for (const { id, parentId } of growth.nodes) known.set(id, parentId);
  const moved = await placeBranches(store, project.id, growth.branches, branches, known);
  const changed = growth.nodes.length > 0 || moved;
  if (changed) await store.publish({ type: 'changed', projectId: project.id });
  return { project, outcome: changed ? 'grown' : 'unchanged', addedNodes: growth.nodes.length, leftOut };
}

const LEASE_MS = 60_000;

/**
 * Turn by turn, in the order of their first nodes: everything in a turn is below its message, so parents come first.
 */
async function addNodes(
  store: Store,
  project: ProjectId,
  { nodes, turns, calls, renderings }: Growth,
  knownTurns: ReadonlySet<TurnId | null>,
): Promise<readonly string[]> {
  const owner = `import-${randomUUID()}`;
  const groups = groupedBy(nodes, ({ turnId }) => turnId);
  const callsOf = groupedBy(calls, ({ call }) => call.turnId);
  const renderingsOf = groupedBy(renderings, ({ nodeId }) => nodeId);
  const added = new Set(nodes.map(({ id }) => id));
  const leftOut: string[] = [];
  // Renderings are stored with a turn's end. New renderings of older nodes came with the requests of newer turns: the
  // first one carries them.
  let pending = renderings.filter(({ nodeId }) => !added.has(nodeId));
  for (const [id, group] of groups) {
    pending.push(...group.flatMap((node) => renderingsOf.get(node.id) ?? []));
    const turn = id === null || knownTurns.has(id) ? undefined : turns.get(id);
    const mine = id === null ? [] : (callsOf.get(id) ?? []);
    if (turn === undefined) {
      await store.appendNodes(project, group);
      leftOut.push(...mine.map(() => 'call of a turn that had ended here'));
      continue;
    }
    await store.beginTurn({ turn: { ...turn, status: 'running' }, owner, leaseMs: LEASE_MS, nodes: group });
    const status = turn.status === 'error' || turn.status === 'interrupted' ? turn.status : 'complete';
    await store.commitTurn({
      projectId: project,
      turnId: turn.id,
      owner,
      nodes: [],
      calls: mine,
      renderings: pending,
      status,
    });
    pending = [];
  }
  return leftOut;
}

function groupedBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** A branch advances only where nobody has continued it differently: its tip must be on the path to the new one. */
async function placeBranches(
  store: Store,
  project: ProjectId,
  wanted: readonly Branch[],
  stored: readonly Branch[],
  parents: ReadonlyMap<NodeId, NodeId | null>,
): Promise<boolean> {
  let changed = false;
  const names = new Set(stored.map(({ name }) => name));
  for (const branch of wanted) {
    const there = stored.find(({ id }) => id === branch.id);
    if (there === undefined) {
      const name = freeName(branch.name, names);
      names.add(name);
      await store.createBranch({ ...branch, name });
      changed = true;
    } else if (there.tipId !== branch.tipId && branch.tipId !== null && isAbove(there.tipId, branch.tipId, parents)) {
      await store.moveTip(project, there.id, { expected: there.tipId, next: branch.tipId });
      changed = true;
    }
  }
  return changed;
}

function isAbove(above: NodeId | null, below: NodeId, parents: ReadonlyMap<NodeId, NodeId | null>): boolean {
  let at: NodeId | null = below;
  while (at !== null && at !== above) at = parents.get(at) ?? null;
  return at === above;
}
