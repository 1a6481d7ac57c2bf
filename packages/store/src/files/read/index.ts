import type { BranchId, NodeId, ProjectId, RawResponse } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import { factsOfBranch, pageOfProjects, projectUse } from '../../find-projects.ts';
import { graphNodeOf } from '../../on-disk/node-summary.ts';
import { cachedPath } from '../../on-disk/turn-cache/path.ts';
import type { BranchFacts, Store, StoredContext } from '../../store.ts';
import { eachOf } from '../../on-disk/disk/index.ts';
import type { Base } from '../state/base.ts';
import { projectOf } from '../state/base.ts';
import type { NodeEntry, ProjectState } from '../state/project-state.ts';
import { childIdsOf, entryOf, isOpen, pathOf, turnOf } from '../state/project-state.ts';
import { readHistory } from './history.ts';
import { readNode, readNodes, readRaw, READERS, readRenderings } from './nodes.ts';
import { countEverything } from './statistics.ts';

type ReadMethods = Pick<
  Store,
  | 'listProjects'
  | 'findProjects'
  | 'getProject'
  | 'listBranches'
  | 'branchFacts'
  | 'getBranch'
  | 'findNode'
  | 'findTrail'
  | 'getNodes'
  | 'path'
  | 'children'
  | 'findChild'
  | 'history'
  | 'graph'
  | 'readContext'
  | 'getTurn'
  | 'turnOfRequest'
  | 'nodesOfTurn'
  | 'openTurns'
  | 'callsOfTurn'
  | 'getRaw'
  | 'statistics'
  | 'readLog'
>;

export function readMethods(base: Base): ReadMethods {
  return {
    findProjects: async (query) =>
      pageOfProjects(
        [...base.projects.values()].map((state) => ({
          ...state.project,
          lastUsedAt: projectUse(state.project, factsOf(state)),
          recorded: state.trails.size > 0,
        })),
        query,
      ),
    listProjects: async () => [...base.projects.values()].map(({ project }) => project),
    getProject: async (id) => projectOf(base, id).project,
    listBranches: async (project) => [...projectOf(base, project).branches.values()].map(({ branch }) => branch),
    branchFacts: async (project) => factsOf(projectOf(base, project)),
    getBranch: async (project, ref) => findBranch(base, project, ref),
    findNode: async (node) => {
      for (const state of base.projects.values()) {
        if (state.nodes.has(node) || state.broken.has(node)) return readNode(base, state, entryOf(state, node));
      }
      throw new UnknownIdError('node', node);
    },
    findTrail: async (trails, project) => {
      const states = project === undefined ? [...base.projects.values()] : [projectOf(base, project)];
      const found = findTrail(
        trails,
        states.filter((state) => state.trails.size > 0),
      );
      return found && readNode(base, found.state, found.entry);
    },
    getNodes: async (project, nodes) => {
      const state = projectOf(base, project);
      return readNodes(
        base,
        state,
        nodes.map((id) => entryOf(state, id)),
      );
    },
    path: async (project, node) => {
      const state = projectOf(base, project);
      return readNodes(base, state, pathOf(state, node));
    },
    children: async (project, node) => {
      const state = projectOf(base, project);
      return readNodes(base, state, childEntries(base, project, node));
    },
    findChild: async (project, parent, matchKey) => {
      const found = childEntries(base, project, parent).find((entry) => entry.matchKey === matchKey);
      return found ? readNode(base, projectOf(base, project), found) : null;
    },
    history: async (project, query) => readHistory(base, projectOf(base, project), query),
    graph: async (project) => {
      const { nodes, branches } = projectOf(base, project);
      return {
        nodes: [...nodes.values()].map(graphNodeOf),
        branches: [...branches.values()].map(({ branch }) => branch),
      };
    },
    readContext: async (project, tip, keyPrefix, slot) => readContext(base, project, tip, keyPrefix, slot),
    getTurn: async (project, turn) => turnOf(projectOf(base, project), turn).turn,
    turnOfRequest: async (project, clientRequestId) => {
      const state = projectOf(base, project);
      const id = state.clientRequests.get(clientRequestId);
      return id === undefined ? null : turnOf(state, id).turn;
    },
    nodesOfTurn: async (project, turn) => {
      const state = projectOf(base, project);
      const { id } = turnOf(state, turn).turn;
      return readNodes(
        base,
        state,
        [...state.nodes.values()].filter(({ turnId }) => turnId === id),
      );
    },
    openTurns: async (project) =>
      (project === undefined ? [...base.projects.values()] : [projectOf(base, project)]).flatMap(({ turns }) =>
        [...turns.values()].filter(isOpen).map(({ turn }) => turn),
      ),
    callsOfTurn: async (project, turn) => turnOf(projectOf(base, project), turn).calls.map(({ call }) => call),
    getRaw: async (project, node) => {
      const state = projectOf(base, project);
      return readRaw(base, state, entryOf(state, node).id);
    },
    statistics: async (project) =>
      countEverything(project === undefined ? [...base.projects.values()] : [projectOf(base, project)]),
    readLog: async (project, turn, after, limit) => {
      const state = projectOf(base, project);
      const { id } = turnOf(state, turn).turn;
      const entries = state.logs.get(id)?.entries ?? [];
      return entries.filter(({ seq }) => seq > after).slice(0, limit);
    },
  };
}

/** The newest node with the first trail that has any. Between projects, the times of their nodes decide. */
function findTrail(
  trails: readonly string[],
  states: readonly ProjectState[],
): { readonly state: ProjectState; readonly entry: NodeEntry } | null {
  for (const trail of trails) {
    const newest = states.flatMap((state) => {
      const entries = [...(state.trails.get(trail) ?? [])].map((id) => entryOf(state, id));
      const [entry] = entries.sort((a, b) => b.order - a.order);
      return entry === undefined ? [] : [{ state, entry }];
    });
    const [first] = newest.sort((a, b) => (a.entry.createdAt < b.entry.createdAt ? 1 : -1));
    if (first !== undefined) return first;
  }
  return null;
}

export function factsOf({ branches, nodes }: ProjectState): Readonly<Record<BranchId, BranchFacts>> {
  return Object.fromEntries(
    [...branches.values()].map(({ branch }) => [branch.id, factsOfBranch(branch, (id) => nodes.get(id))]),
  );
}

function findBranch(base: Base, project: ProjectId, ref: string) {
  const { branches, broken, problems } = projectOf(base, project);
  for (const { branch } of branches.values()) if (branch.id === ref) return branch;
  for (const { branch } of branches.values()) if (branch.name === ref) return branch;
  // It may be the very branch whose file cannot be read: its name is inside that file.
  throw broken.get(ref) ?? problems[0] ?? new UnknownIdError('branch', ref);
}

function childEntries(base: Base, project: ProjectId, parent: NodeId | null): readonly NodeEntry[] {
  const state = projectOf(base, project);
  if (parent !== null) entryOf(state, parent);
  return childIdsOf(state, parent).map((id) => entryOf(state, id));
}

async function readContext(
  base: Base,
  project: ProjectId,
  tip: NodeId,
  keyPrefix: string,
  slot: string | undefined,
): Promise<StoredContext> {
  const state = projectOf(base, project);
  const { behind, ...front } = await cachedPath(base.cache, project, pathOf(state, tip), slot);
  const raws = new Map<NodeId, RawResponse>();
  const renderings = new Map<NodeId, ReadonlyMap<string, string>>();
  await eachOf(behind, READERS, async ({ id }) => {
    const raw = await readRaw(base, state, id);
    if (raw) raws.set(id, raw);
    const fitting = [...(await readRenderings(base, state, id))].filter(([key]) => key.startsWith(keyPrefix));
    if (fitting.length > 0) renderings.set(id, new Map(fitting));
  });
  return { ...front, nodes: await readNodes(base, state, behind), raws, renderings };
}
