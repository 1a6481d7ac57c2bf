import type { Branch, BranchId, NodeId, Project, ProjectId, TreeNode } from '@bough/core';
import { nameLexemes, UnknownIdError } from '@bough/core';
import { StoreError } from '../../errors.ts';
import type { BlobStore } from '../../blobs/index.ts';
import type { HitKind, Place } from '../../search/page.ts';
import type { Candidate, Scope, SearchSource } from '../../search/run.ts';
import { lexemesWithFiles } from '../../search/texts.ts';
import type { BranchFacts } from '../../store.ts';
import type { NodeSummary } from '../node-summary.ts';
import { FirstFew, isIn, lineTest, nameMatches } from './find.ts';
import type { IndexedThing, SearchIndex } from './index.ts';

/** A project whose messages can be read. */
export interface SearchedProject {
  readonly nodes: () => Iterable<NodeSummary>;
  readonly find: (id: NodeId) => NodeSummary | undefined;
  readonly read: (ids: readonly NodeId[]) => Promise<readonly TreeNode[]>;
  readonly branches: () => readonly Branch[];
  readonly facts: () => Readonly<Record<BranchId, BranchFacts>>;
}

/** The projects of a store on a disk. */
export interface SearchedStore {
  readonly list: () => Promise<readonly Project[]>;
  readonly open: (id: ProjectId) => Promise<SearchedProject>;
  /** What a project that is not open can be told by from any other state of it; null for one that is open. */
  readonly stampOf: (id: ProjectId) => Promise<string | null>;
  readonly blobs: BlobStore;
}

export interface OnDiskSearch extends SearchSource {
  /** Finishes the step that is under way. */
  readonly close: () => Promise<void>;
}

const PATIENCE_MS = 250;

export function searchOnDisk(index: SearchIndex, store: SearchedStore): OnDiskSearch {
  /** Projects whose index cannot be written: a full disk, a directory of somebody else's. All of them is looked at. */
  const unindexed = new Set<ProjectId>();
  let closed = false;
  let running: Promise<void> | null = null;

  /** Whether the index has everything that the project has. */
  const prepareOne = async (id: ProjectId, mayGoOn: () => boolean): Promise<boolean> => {
    const stamp = await store.stampOf(id);
    if (stamp !== null && (await index.isStamped(id, stamp))) return true;
    const project = await store.open(id);
    const given = {
      things: thingsOf(project),
      lexemesOf: (things: readonly IndexedThing[]) => lexemesOf(store.blobs, project, things),
      ...(stamp === null ? {} : { stamp }),
    };
    try {
      const complete = await index.update(id, given, mayGoOn);
      unindexed.delete(id);
      return complete;
    } catch (error) {
      if (!isOfTheDisk(error)) throw error;
      unindexed.add(id);
      return true;
    }
  };

  const prepareAll = async (ids: readonly ProjectId[], mayGoOn: () => boolean): Promise<boolean> => {
    let complete = true;
    for (const id of ids) {
      if (!mayGoOn()) return false;
      complete = (await tolerant(() => prepareOne(id, mayGoOn))) !== false && complete;
    }
    return complete;
  };

  const idsIn = async (projects: readonly ProjectId[] | null): Promise<readonly ProjectId[]> =>
    projects ?? (await store.list()).map(({ id }) => id);

  const inBackground = (ids: readonly ProjectId[]): void => {
    running ??= prepareAll(ids, () => !closed)
      // What cannot be read is told by whoever reads it.
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => {
        running = null;
      });
  };

  const nodePlaces = async (scope: Scope, after: Place | null, limit: number): Promise<readonly FoundPlace[]> => {
    const found = new FirstFew<FoundPlace>(after, limit);
    const test = lineTest(scope);
    for (const id of await idsIn(scope.projects)) {
      await tolerant(async () => {
        const on = scope.branch === null ? null : pathOf(await store.open(id), scope.branch);
        const place = (thing: IndexedThing): FoundPlace => ({ ...thing, projectId: id });
        if (unindexed.has(id)) {
          for (const thing of thingsOf(await store.open(id)))
            if (thing.kind === 'node' && (on?.has(thing.id) ?? true) && found.takes(place(thing)))
              found.add(place(thing));
          return;
        }
        const open = (await store.stampOf(id)) === null ? await store.open(id) : null;
        for await (const line of index.lines(id)) {
          if (line?.kind !== 'node' || !test(line) || !found.takes(place(line)) || on?.has(line.id) === false) continue;
          if (open !== null && open.find(line.id as NodeId)?.contentMark !== line.mark) continue;
          found.add(place(line));
        }
      });
    }
    return found.all();
  };

  const branchPlaces = async (scope: Scope, after: Place | null, limit: number): Promise<readonly Candidate[]> => {
    const found = new FirstFew<Candidate>(after, limit);
    const add = (id: ProjectId, branch: { readonly id: string; readonly name: string; readonly createdAt: string }) => {
      const { name, createdAt } = branch;
      const candidate: Candidate = {
        kind: 'branch',
        id: branch.id,
        projectId: id,
        createdAt,
        names: [name],
        node: null,
      };
      if (found.takes(candidate) && nameMatches(scope, [name], createdAt)) found.add(candidate);
    };
    for (const id of await idsIn(scope.projects)) {
      await tolerant(async () => {
        if (unindexed.has(id) || (await store.stampOf(id)) === null) {
          for (const branch of (await store.open(id)).branches()) add(id, branch);
          return;
        }
        for await (const line of index.lines(id))
          if (line?.kind === 'branch') add(id, { id: line.id, name: line.mark, createdAt: line.createdAt });
      });
    }
    return found.all();
  };

  const projectPlaces = async (scope: Scope, after: Place | null, limit: number): Promise<readonly Candidate[]> => {
    const found = new FirstFew<Candidate>(after, limit);
    for (const { id, name, description, createdAt } of await store.list()) {
      const names = [name, ...(description === null ? [] : [description])];
      const candidate: Candidate = { kind: 'project', id, projectId: id, createdAt, names, node: null };
      if (isIn(scope, id) && found.takes(candidate) && nameMatches(scope, names, createdAt)) found.add(candidate);
    }
    return found.all();
  };

  return {
    prepare: async (projects) => {
      const ids = await idsIn(projects);
      const until = performance.now() + PATIENCE_MS;
      if (await prepareAll(ids, () => performance.now() < until)) return false;
      inBackground(ids);
      return true;
    },
    candidates: async (scope, kind: HitKind, after, limit) => {
      if (kind === 'project') return projectPlaces(scope, after, limit);
      if (kind === 'branch') return branchPlaces(scope, after, limit);
      return nodesAt(store, await nodePlaces(scope, after, limit));
    },
    leadingBranches: async (project, nodes) =>
      (await tolerant(async () => leadingBranches(await store.open(project), nodes))) ?? new Map<NodeId, BranchId>(),
    close: async () => {
      closed = true;
      await running;
    },
  };
}

interface FoundPlace extends Place {
  readonly kind: IndexedThing['kind'];
}

/** Null for a project that cannot be read, or is gone by now: a damaged one must not hide the others. */
async function tolerant<T>(look: () => Promise<T>): Promise<T | null> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof StoreError || error instanceof UnknownIdError) return null;
    throw error;
  }
}

const isOfTheDisk = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && typeof error.syscall === 'string';

function thingsOf(project: SearchedProject): readonly IndexedThing[] {
  const things: IndexedThing[] = [];
  for (const { id, contentMark, createdAt } of project.nodes())
    things.push({ kind: 'node', id, mark: contentMark, createdAt });
  for (const { id, name, createdAt } of project.branches()) things.push({ kind: 'branch', id, mark: name, createdAt });
  return things;
}

async function lexemesOf(
  blobs: BlobStore,
  project: SearchedProject,
  things: readonly IndexedThing[],
): Promise<readonly (readonly string[])[]> {
  const ids = things.filter(({ kind }) => kind === 'node').map(({ id }) => id as NodeId);
  const nodes = new Map<string, TreeNode>();
  for (const node of await readTolerantly(project, ids)) nodes.set(node.id, node);
  const found: (readonly string[])[] = [];
  for (const { kind, id, mark } of things) {
    const node = kind === 'node' ? nodes.get(id) : undefined;
    if (kind === 'branch') found.push(nameLexemes(mark));
    else found.push(node === undefined ? [] : await lexemesWithFiles(blobs, node));
  }
  return found;
}

/** All at once, or one by one where one of them cannot be read. */
async function readTolerantly(project: SearchedProject, ids: readonly NodeId[]): Promise<readonly TreeNode[]> {
  const all = await tolerant(() => project.read(ids));
  if (all !== null) return all;
  const nodes: TreeNode[] = [];
  for (const id of ids) nodes.push(...((await tolerant(() => project.read([id]))) ?? []));
  return nodes;
}

async function nodesAt(store: SearchedStore, places: readonly FoundPlace[]): Promise<readonly Candidate[]> {
  const byProject = new Map<ProjectId, NodeId[]>();
  for (const { projectId, id } of places) byProject.set(projectId, [...(byProject.get(projectId) ?? []), id as NodeId]);
  const nodes = new Map<string, TreeNode>();
  for (const [id, ids] of byProject) {
    const read = await tolerant(async () => readTolerantly(await store.open(id), ids));
    for (const node of read ?? []) nodes.set(JSON.stringify([id, node.id]), node);
  }
  // One that cannot be read keeps its place: it matches nothing, and the next page begins after it.
  return places.map(({ id, projectId, createdAt }) => ({
    kind: 'node',
    id,
    projectId,
    createdAt,
    names: [],
    node: nodes.get(JSON.stringify([projectId, id])) ?? null,
  }));
}

/** From the node to the root; a cycle that was made by hand ends. */
function* upwards(project: SearchedProject, from: NodeId | null): Iterable<NodeId> {
  const seen = new Set<NodeId>();
  for (let id = from; id !== null && !seen.has(id); id = project.find(id)?.parentId ?? null) {
    seen.add(id);
    yield id;
  }
}

function pathOf(project: SearchedProject, branch: BranchId): ReadonlySet<string> {
  const found = project.branches().find(({ id }) => id === branch);
  return new Set(upwards(project, found?.tipId ?? null));
}

function leadingBranches(project: SearchedProject, nodes: readonly NodeId[]): ReadonlyMap<NodeId, BranchId> {
  const facts = project.facts();
  const usedAt = ({ id }: Branch): string => facts[id]?.lastUsedAt ?? '';
  const preferred = [...project.branches()].sort(
    (a, b) => Number(a.hidden) - Number(b.hidden) || (usedAt(a) < usedAt(b) ? 1 : usedAt(a) > usedAt(b) ? -1 : 0),
  );
  const wanted = new Set(nodes);
  const leading = new Map<NodeId, BranchId>();
  for (const { id, tipId } of preferred) {
    if (wanted.size === 0) break;
    for (const node of upwards(project, tipId)) if (wanted.delete(node)) leading.set(node, id);
  }
  return leading;
}
