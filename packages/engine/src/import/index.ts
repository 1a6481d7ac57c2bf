import type {
  Annotation,
  Branch,
  Call,
  NodeId,
  Project,
  ProjectId,
  ProviderTool,
  RawResponse,
  Rendering,
  TreeNode,
  Turn,
  TurnId,
} from '@bough/core';
import { annotationKey, BoughError, providerToolsSetting, stableDeepEqual, UnknownIdError } from '@bough/core';
import type { ForeignDocument, ProjectRecord, Store } from '@bough/store';
import { ConflictError, StoreError } from '@bough/store';
import { randomUUID } from 'node:crypto';
import { beginBranches, placeBranches } from './branches.ts';
import { countRewritten, wordingOf } from './rewritten.ts';

export interface ImportedProject {
  readonly project: Project;
  readonly outcome: 'new' | 'grown' | 'unchanged';
  readonly addedNodes: number;
  /** What the store can no longer take in, and what was changed there since it was imported, by kind. */
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

/**
 * What somebody allowed elsewhere is not allowed here: a file must not be able to run tools unasked, nor to act in
 * somebody's name at a server.
 */
function asking(branch: Branch): Branch {
  const { allowedTools: _, ...envelope } = branch.envelope;
  return { ...branch, envelope: { ...envelope, ...providerToolsSetting(envelope.providerTools?.map(nameless)) } };
}

function nameless({ tool, settings }: ProviderTool): ProviderTool {
  const { authorization, ...others } = settings ?? {};
  return authorization === undefined
    ? { tool, ...(settings !== undefined && { settings }) }
    : { tool, settings: others };
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

interface StoredCall {
  readonly call: Call;
  readonly raw: RawResponse | null;
}

interface Growth {
  readonly nodes: TreeNode[];
  readonly turns: Map<TurnId, Turn>;
  readonly branches: Branch[];
  readonly calls: StoredCall[];
  readonly renderings: Rendering[];
  readonly foreign: ForeignDocument[];
  readonly annotations: Annotation[];
}

async function grow(store: Store, project: Project, records: AsyncIterable<ProjectRecord>): Promise<ImportedProject> {
  const { nodes: stored, branches } = await store.graph(project.id);
  const known = new Map<NodeId, NodeId | null>(stored.map(({ id, parentId }) => [id, parentId]));
  const growth: Growth = {
    nodes: [],
    turns: new Map(),
    branches: [],
    calls: [],
    renderings: [],
    foreign: [],
    annotations: [],
  };
  const knownTurns = new Set(stored.map(({ turnId }) => turnId));
  const repeated = new Map<NodeId, string>();
  for await (const record of records) {
    if (record.type === 'node' && known.has(record.value.id)) repeated.set(record.value.id, wordingOf(record.value));
    else if (record.type === 'node') growth.nodes.push(record.value);
    else if (record.type === 'turn') growth.turns.set(record.value.id, record.value);
    else if (record.type === 'branch') growth.branches.push(asking(record.value));
    else if (record.type === 'rendering') growth.renderings.push(record.value);
    else if (record.type === 'foreign') growth.foreign.push(record.value);
    else if (record.type === 'annotation') growth.annotations.push(record.value);
    else if (record.type === 'call') {
      const { value: call, raw } = record;
      // Of a turn that is there, calls that made no node may be new: the turn may have been reopened since.
      const isNew = !knownTurns.has(call.turnId) || call.nodeId === null || !known.has(call.nodeId);
      if (isNew) growth.calls.push({ call, raw });
    }
  }
  const replies = new Set(stored.flatMap(({ id, role }) => (role === 'assistant' ? [id] : [])));
  const begun = await beginBranches(store, growth, branches, known);
  const unstored = await addNodes(store, project.id, growth, knownTurns);
  const rewritten = await countRewritten(store, project.id, repeated);
  const leftOut = [...unstored, ...Array<string>(rewritten).fill('change of a message that is here already')];
  for (const { id, parentId } of growth.nodes) known.set(id, parentId);
  const moved = await placeBranches(store, project.id, growth.branches, [...branches, ...begun], known, replies);
  const kept = await keepForeign(store, project.id, growth.foreign);
  const noted = await keepAnnotations(store, project.id, growth.annotations);
  const changed = growth.nodes.length > 0 || begun.length > 0 || moved || kept || noted;
  if (changed) await store.publish({ type: 'changed', projectId: project.id });
  return { project, outcome: changed ? 'grown' : 'unchanged', addedNodes: growth.nodes.length, leftOut };
}

/** What the other program keeps now takes the place of what it kept the last time. True where that is different. */
async function keepForeign(store: Store, project: ProjectId, documents: readonly ForeignDocument[]): Promise<boolean> {
  if (documents.length === 0 || stableDeepEqual(await store.foreignDocuments(project), documents)) return false;
  await store.replaceForeign(project, documents);
  return true;
}

/** What is here stays, also where it was written differently since; what is not here yet is added. */
async function keepAnnotations(store: Store, project: ProjectId, given: readonly Annotation[]): Promise<boolean> {
  if (given.length === 0) return false;
  const there = new Set((await store.annotations({ projectId: project })).map(annotationKey));
  const put = given.filter((one) => !there.has(annotationKey(one)));
  if (put.length > 0) await store.annotate(project, { put, remove: [] });
  return put.length > 0;
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
    const turn = id === null ? undefined : turns.get(id);
    const isKnown = id === null || knownTurns.has(id);
    const given = id === null ? [] : (callsOf.get(id) ?? []);
    const mine = isKnown ? await unknownCalls(store, project, id, given) : given;
    const isNew = !isKnown && turn !== undefined;
    // A turn that was reopened where it comes from goes on here too.
    if (turn === undefined || !(isNew || (mine.length > 0 && (await reopen(store, turn, owner))))) {
      await store.appendNodes(project, group);
      leftOut.push(...mine.map(() => 'call of a turn that had ended here'));
      continue;
    }
    if (isNew) await store.beginTurn({ turn: { ...turn, status: 'running' }, owner, leaseMs: LEASE_MS, nodes: group });
    const status = turn.status === 'error' || turn.status === 'interrupted' ? turn.status : 'complete';
    await store.commitTurn({
      projectId: project,
      turnId: turn.id,
      owner,
      nodes: isNew ? [] : group,
      calls: mine,
      renderings: pending,
      status,
    });
    pending = [];
  }
  return leftOut;
}

async function unknownCalls(
  store: Store,
  project: ProjectId,
  turn: TurnId | null,
  calls: readonly StoredCall[],
): Promise<readonly StoredCall[]> {
  if (turn === null || calls.length === 0) return [];
  const stored = new Set((await store.callsOfTurn(project, turn)).map(({ id }) => id));
  return calls.filter(({ call }) => !stored.has(call.id));
}

/** False where the turn cannot go on here: another one holds its branch, or the branch is gone. */
async function reopen(store: Store, turn: Turn, owner: string): Promise<boolean> {
  try {
    await store.reopenTurn(turn.projectId, turn.id, owner, LEASE_MS);
    return true;
  } catch (error) {
    const isRefused = error instanceof ConflictError || error instanceof UnknownIdError;
    if (isRefused || (error instanceof StoreError && error.code === 'old_turn')) return false;
    throw error;
  }
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
