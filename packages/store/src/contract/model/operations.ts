import type { AnnotationChange, Branch, BranchId, NodeId, Project, ProjectId, TreeNode, TurnId } from '@bough/core';
import type {
  BeginTurn,
  BranchPatch,
  LogEntry,
  ProjectPatch,
  ProjectRecord,
  Store,
  TipMove,
  TurnCommit,
} from '../../store.ts';
import { LONG_LEASE } from '../build.ts';
import { putFiles } from './files.ts';
import { recordsOf } from '../snapshot.ts';

/** A write as data, so that one program can do it and another can work out what it should have done. */
export type Operation =
  | { readonly type: 'createProject'; readonly project: Project }
  | { readonly type: 'updateProject'; readonly projectId: ProjectId; readonly patch: ProjectPatch }
  | { readonly type: 'deleteProject'; readonly projectId: ProjectId }
  | { readonly type: 'importProject'; readonly projectId: ProjectId; readonly records: readonly ProjectRecord[] }
  | { readonly type: 'createBranch'; readonly branch: Branch }
  | {
      readonly type: 'updateBranch';
      readonly projectId: ProjectId;
      readonly branchId: BranchId;
      readonly patch: BranchPatch;
    }
  | { readonly type: 'deleteBranch'; readonly projectId: ProjectId; readonly branchId: BranchId }
  | { readonly type: 'moveTip'; readonly projectId: ProjectId; readonly branchId: BranchId; readonly move: TipMove }
  | {
      readonly type: 'appendNodes';
      readonly projectId: ProjectId;
      readonly nodes: readonly TreeNode[];
      readonly tip?: TipMove & { readonly branchId: BranchId };
    }
  | {
      readonly type: 'deleteNode';
      readonly projectId: ProjectId;
      readonly nodeId: NodeId;
      readonly mode: 'cascade' | 'reparent';
    }
  | {
      readonly type: 'setIncludeThinking';
      readonly projectId: ProjectId;
      readonly nodeId: NodeId;
      readonly include: boolean;
    }
  | { readonly type: 'annotate'; readonly projectId: ProjectId; readonly change: AnnotationChange }
  | { readonly type: 'beginTurn'; readonly begin: BeginTurn }
  | { readonly type: 'commitTurn'; readonly commit: TurnCommit }
  | {
      readonly type: 'appendLog';
      readonly projectId: ProjectId;
      readonly turnId: TurnId;
      readonly entries: readonly LogEntry[];
    }
  | { readonly type: 'reopenTurn'; readonly projectId: ProjectId; readonly turnId: TurnId; readonly owner: string }
  | { readonly type: 'dropLog'; readonly projectId: ProjectId; readonly turnId: TurnId };

export async function runOperation(store: Store, op: Operation): Promise<void> {
  await putFiles(store, op);
  switch (op.type) {
    case 'createProject':
      return store.createProject(op.project);
    case 'updateProject':
      await store.updateProject(op.projectId, op.patch);
      return;
    case 'deleteProject':
      return store.deleteProject(op.projectId);
    case 'importProject':
      return store.importProject(recordsOf(op.records));
    case 'createBranch':
      return store.createBranch(op.branch);
    case 'updateBranch':
      await store.updateBranch(op.projectId, op.branchId, op.patch);
      return;
    case 'deleteBranch':
      return store.deleteBranch(op.projectId, op.branchId);
    case 'moveTip':
      return store.moveTip(op.projectId, op.branchId, op.move);
    case 'appendNodes':
      return store.appendNodes(op.projectId, op.nodes, op.tip);
    case 'deleteNode':
      await store.deleteNode(op.projectId, op.nodeId, op.mode);
      return;
    case 'setIncludeThinking':
      await store.setIncludeThinking(op.projectId, op.nodeId, op.include);
      return;
    case 'annotate':
      return store.annotate(op.projectId, op.change);
    case 'beginTurn':
      await store.beginTurn(op.begin);
      return;
    case 'commitTurn':
      return store.commitTurn(op.commit);
    case 'reopenTurn':
      await store.reopenTurn(op.projectId, op.turnId, op.owner, LONG_LEASE);
      return;
    case 'appendLog':
      return store.appendLog(op.projectId, op.turnId, op.entries);
    case 'dropLog':
      return store.dropLog(op.projectId, op.turnId);
  }
}
