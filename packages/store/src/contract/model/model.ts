import type {
  Annotation,
  AnnotationChange,
  Branch,
  BranchId,
  Call,
  NodeId,
  Project,
  ProjectId,
  RawResponse,
  Rendering,
  TreeNode,
  Turn,
} from '@bough/core';
import { annotationKey } from '@bough/core';
import { patchedProject } from '../../find-projects.ts';
import { reparented } from '../../reparented.ts';
import type { LogEntry, ProjectRecord, TipMove } from '../../store.ts';
import type { ProjectSnapshot } from '../snapshot.ts';
import { sortRecords } from '../snapshot.ts';
import type { Operation } from './operations.ts';

/** What a project should hold: plain lists in the order of storage. */
export interface ProjectModel {
  readonly project: Project;
  readonly branches: readonly Branch[];
  readonly turns: readonly Turn[];
  readonly nodes: readonly TreeNode[];
  readonly calls: readonly { readonly call: Call; readonly raw: RawResponse | null }[];
  readonly renderings: readonly Rendering[];
  readonly annotations: readonly Annotation[];
  readonly logs: ReadonlyMap<string, readonly LogEntry[]>;
}

export type StoreModel = ReadonlyMap<ProjectId, ProjectModel>;

export const EMPTY_MODEL: StoreModel = new Map();

const emptyProject = (project: Project): ProjectModel => ({
  project,
  branches: [],
  turns: [],
  nodes: [],
  calls: [],
  renderings: [],
  annotations: [],
  logs: new Map(),
});

/**
 * What a store must hold after an operation that it accepted, in the simplest possible terms. Knows nothing of
 * conflicts: callers pass only valid operations.
 */
export function applyOperation(model: StoreModel, op: Operation): StoreModel {
  switch (op.type) {
    case 'createProject':
      return new Map(model).set(op.project.id, emptyProject(op.project));
    case 'deleteProject':
      return new Map([...model].filter(([id]) => id !== op.projectId));
    case 'importProject':
      return new Map(model).set(op.projectId, modelOfRecords(op.records));
    case 'createBranch':
      return change(model, op.branch.projectId, (p) => ({ ...p, branches: [...p.branches, op.branch] }));
    case 'beginTurn': {
      const { turn, nodes, renderings = [], tip, newBranch } = op.begin;
      return change(model, turn.projectId, (p) => {
        const branches = newBranch === undefined ? p.branches : [...p.branches, newBranch];
        const added = { nodes: [...p.nodes, ...nodes], renderings: [...p.renderings, ...renderings] };
        return withTip({ ...p, ...added, branches, turns: [...p.turns, turn] }, tip);
      });
    }
    case 'commitTurn':
      return change(model, op.commit.projectId, (p) => commit(p, op.commit));
    default:
      return change(model, op.projectId, (p) => changeProject(p, op));
  }
}

type ProjectOperation = Exclude<
  Operation,
  { type: 'createProject' | 'deleteProject' | 'importProject' | 'createBranch' | 'beginTurn' | 'commitTurn' }
>;

function changeProject(p: ProjectModel, op: ProjectOperation): ProjectModel {
  switch (op.type) {
    case 'updateProject':
      return { ...p, project: patchedProject(p.project, op.patch) };
    case 'updateBranch':
      return mapBranches(p, op.branchId, (branch) => ({ ...branch, ...op.patch }));
    case 'deleteBranch':
      return { ...p, branches: p.branches.filter(({ id }) => id !== op.branchId) };
    case 'moveTip':
      return mapBranches(p, op.branchId, (branch) => ({ ...branch, tipId: op.move.next }));
    case 'appendNodes':
      return withTip({ ...p, nodes: [...p.nodes, ...op.nodes] }, op.tip);
    case 'deleteNode':
      return removeNode(p, op.nodeId, op.mode);
    case 'setIncludeThinking': {
      const nodes = p.nodes.map((node) =>
        node.id === op.nodeId ? { ...node, includeThinkingInContext: op.include } : node,
      );
      return { ...p, nodes };
    }
    case 'annotate':
      return { ...p, annotations: annotated(p.annotations, op.change) };
    case 'reopenTurn': {
      const turns = p.turns.map((turn) => (turn.id === op.turnId ? { ...turn, status: 'running' as const } : turn));
      return { ...p, turns, logs: new Map([...p.logs].filter(([id]) => id !== op.turnId)) };
    }
    case 'dropLog':
      return { ...p, logs: new Map([...p.logs].filter(([id]) => id !== op.turnId)) };
    case 'appendLog': {
      const entries = [...(p.logs.get(op.turnId) ?? []), ...op.entries];
      return { ...p, logs: new Map(p.logs).set(op.turnId, entries) };
    }
  }
}

function commit(p: ProjectModel, { turnId, nodes, calls, renderings, tip, status }: CommitOf): ProjectModel {
  const known = new Set(p.renderings.map(renderingKey));
  const added = renderings.filter((rendering) => !known.has(renderingKey(rendering)));
  return {
    ...withTip({ ...p, nodes: [...p.nodes, ...nodes] }, tip),
    calls: [...p.calls, ...calls],
    renderings: [...p.renderings, ...added],
    turns: status ? p.turns.map((turn) => (turn.id === turnId ? { ...turn, status } : turn)) : p.turns,
  };
}

function annotated(kept: readonly Annotation[], { put, remove }: AnnotationChange): readonly Annotation[] {
  const changed = new Set([...put, ...remove].map(annotationKey));
  return [...kept.filter((one) => !changed.has(annotationKey(one))), ...put];
}

type CommitOf = Extract<Operation, { type: 'commitTurn' }>['commit'];

function removeNode(p: ProjectModel, nodeId: NodeId, mode: 'cascade' | 'reparent'): ProjectModel {
  const parentId = p.nodes.find(({ id }) => id === nodeId)?.parentId ?? null;
  const removed = new Set<NodeId | null>([nodeId]);
  if (mode === 'cascade') {
    // Parents come before their children, so one pass finds the whole subtree.
    for (const node of p.nodes) if (node.parentId !== null && removed.has(node.parentId)) removed.add(node.id);
  }
  const kept = p.nodes.filter(({ id }) => !removed.has(id));
  return {
    ...p,
    nodes: kept.map((node) => (node.parentId === nodeId ? reparented(node, parentId) : node)),
    branches: p.branches.map((branch) => ({
      ...branch,
      tipId: removed.has(branch.tipId) ? parentId : branch.tipId,
      forkedFromId: removed.has(branch.forkedFromId) ? parentId : branch.forkedFromId,
    })),
    renderings: p.renderings.filter((rendering) => !removed.has(rendering.nodeId)),
    annotations: p.annotations.filter(({ nodeId: beside }) => !removed.has(beside)),
  };
}

function withTip(p: ProjectModel, tip: (TipMove & { readonly branchId: BranchId }) | undefined): ProjectModel {
  return tip ? mapBranches(p, tip.branchId, (branch) => ({ ...branch, tipId: tip.next })) : p;
}

function mapBranches(p: ProjectModel, id: BranchId, map: (branch: Branch) => Branch): ProjectModel {
  return { ...p, branches: p.branches.map((branch) => (branch.id === id ? map(branch) : branch)) };
}

function change(model: StoreModel, id: ProjectId, map: (project: ProjectModel) => ProjectModel): StoreModel {
  const project = model.get(id);
  if (!project) throw new Error(`the operation is about ${id}, which the model does not have`);
  return new Map(model).set(id, map(project));
}

const renderingKey = (rendering: Rendering): string => JSON.stringify([rendering.nodeId, rendering.key]);

function modelOfRecords(records: readonly ProjectRecord[]): ProjectModel {
  let model: ProjectModel | undefined;
  for (const record of records) {
    if (record.type === 'project') model = emptyProject(record.value);
    else if (!model) throw new Error('the project record comes first');
    else if (record.type === 'branch') model = { ...model, branches: [...model.branches, record.value] };
    else if (record.type === 'turn') model = { ...model, turns: [...model.turns, record.value] };
    else if (record.type === 'node') model = { ...model, nodes: [...model.nodes, record.value] };
    else if (record.type === 'call') {
      model = { ...model, calls: [...model.calls, { call: record.value, raw: record.raw }] };
    } else if (record.type === 'rendering') model = { ...model, renderings: [...model.renderings, record.value] };
    else if (record.type === 'annotation') model = { ...model, annotations: [...model.annotations, record.value] };
  }
  if (!model) throw new Error('an import has records');
  return model;
}

/** The model in the form in which a store is read for comparison. */
export function snapshotOfModel(p: ProjectModel): ProjectSnapshot {
  const records: ProjectRecord[] = [
    { type: 'project', value: p.project },
    ...p.branches.map((value) => ({ type: 'branch', value }) as const),
    ...p.turns.map((value) => ({ type: 'turn', value }) as const),
    ...p.nodes.map((value) => ({ type: 'node', value }) as const),
    ...p.calls.map(({ call, raw }) => ({ type: 'call', value: call, raw }) as const),
    ...p.renderings.map((value) => ({ type: 'rendering', value }) as const),
    ...p.annotations.map((value) => ({ type: 'annotation', value }) as const),
  ];
  const logs = [...p.logs]
    .filter(([, entries]) => entries.length > 0)
    .map(([turnId, entries]) => ({ turnId, entries }))
    .sort((a, b) => (a.turnId < b.turnId ? -1 : 1));
  return { records: sortRecords(records), logs };
}
