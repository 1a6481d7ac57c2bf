import type { Annotation, Branch, BranchId, Envelope, NodeId, Project, TurnId } from '@bough/core';
import { branchId, UnknownIdError } from '@bough/core';
import { factsOfBranch, projectUse } from '../../find-projects.ts';
import type { BranchFacts } from '../../store.ts';
import { branchNameOf } from '../names/index.ts';
import { type BranchConfig, lockOf } from '../meta/branch-config.ts';
import { HEAD_REFS, type TurnPlace } from '../meta/layout.ts';
import type { BranchRecord, OpenTurn, ProjectFile } from '../meta/records.ts';
import type { Head, LoadedTree } from '../tree/load.ts';
import type { NodeIndex } from '../tree/node-index.ts';

/** What is known of an open project. Changed only after a write has succeeded, and only by that write. */
export interface ProjectState {
  project: Project;
  file: ProjectFile;
  /** `project.json` as a blob: every new commit carries it. */
  fileBlob: string;
  meta: MetaPosition;
  config: BranchConfig;
  /** It has a work tree: ResearchTree may open it, and reads the lock file. */
  isShared: boolean;
  /** The branch that a plain `git log` shows. */
  defaultRef: string;
  index: NodeIndex;
  oldTurns: LoadedTree['oldTurns'];
  readonly branches: Map<BranchId, BranchRecord>;
  readonly heads: Map<string, Head>;
  readonly openTurns: Map<TurnId, OpenTurn>;
  /** Turns that have a directory, by their id as a file name. */
  readonly turns: Map<string, TurnPlace>;
  readonly requests: Map<string, TurnPlace>;
  readonly includeThinking: Map<NodeId, boolean>;
  /** What is kept beside nodes; of a node that is gone it is not shown. */
  readonly annotations: Map<NodeId, readonly Annotation[]>;
  /** Something may lie in its trash. */
  hasTrash: boolean;
  /** Turns that nodes got after they were stored. */
  readonly nodeTurns: ReadonlyMap<NodeId, TurnId>;
  /** Commits that are known to end at a node. */
  readonly commits: Map<NodeId, { readonly commit: string; readonly tree: string }>;
}

export interface MetaPosition {
  readonly commit: string | null;
  readonly tree: string | null;
  readonly sequence: number;
}

export function branchOf(state: ProjectState, record: BranchRecord): Branch {
  const { ref, order: _, previousResponseId: __, ...fields } = record;
  return { ...fields, projectId: state.project.id, tipId: headOf(state, ref).tip };
}

/** A ref that was removed by hand says nothing. */
export function factsOf(state: ProjectState): Readonly<Record<BranchId, BranchFacts>> {
  return Object.fromEntries(
    [...state.branches.values()].map((record) => [
      record.id,
      factsOfBranch({ ...record, tipId: state.heads.get(record.ref)?.tip ?? null }, state.index.find),
    ]),
  );
}

export function lastUsedAt(state: ProjectState): string {
  return projectUse(state.project, factsOf(state));
}

export function headOf(state: ProjectState, ref: string): Head {
  const head = state.heads.get(ref);
  if (head === undefined) throw new UnknownIdError('ref', ref);
  return head;
}

export function branchRecord(state: ProjectState, id: BranchId): BranchRecord {
  const record = state.branches.get(id);
  if (record === undefined) throw new UnknownIdError('branch', id);
  return record;
}

export function branchByName(state: ProjectState, name: string): BranchRecord | undefined {
  for (const record of state.branches.values()) if (record.name === name) return record;
  return undefined;
}

export function branchesInOrder(state: ProjectState): readonly BranchRecord[] {
  return [...state.branches.values()].sort((a, b) => a.order - b.order);
}

/** The record of a branch that Bough did not make. Its name serves as its id, as it does in the lines written on it. */
export function foundBranch(
  ref: string,
  file: ProjectFile,
  config: BranchConfig,
  defaults: Envelope,
  order: number,
): BranchRecord {
  const name = branchNameOf(ref.slice(HEAD_REFS.length));
  const { systemPrompt } = file.project;
  return withLock(
    {
      id: branchId(name),
      name,
      ref,
      order,
      forkedFromId: null,
      envelope: { ...defaults, ...(systemPrompt === null ? {} : { systemPrompt }), ...file.project.defaults },
      previousResponseId: null,
      replayBy: 'issuer',
      keepToolsAfterBreak: false,
      pinned: file.pinnedBranch === name,
      hidden: false,
      color: null,
      createdAt: file.project.createdAt,
    },
    config,
  );
}

/** The lock file takes precedence for what it covers: it is the file that people and ResearchTree edit. */
export function withLock(record: BranchRecord, config: BranchConfig): BranchRecord {
  const lock = lockOf(config, record.name);
  return {
    ...record,
    envelope: {
      ...record.envelope,
      provider: lock.provider ?? record.envelope.provider,
      model: lock.model ?? record.envelope.model,
    },
    previousResponseId: (lock.previousResponseId === undefined ? record : lock).previousResponseId ?? null,
    hidden: lock.isHidden ?? record.hidden,
  };
}
