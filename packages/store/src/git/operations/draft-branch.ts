import type { Branch, NodeId } from '@bough/core';
import { ConflictError } from '../../errors.ts';
import { type BranchConfig, withLockOf, writeConfig } from '../meta/branch-config.ts';
import { branchFile, CONFIG_FILE, HEAD_REFS } from '../meta/layout.ts';
import { type BranchRecord, writeJson } from '../meta/records.ts';
import { refNamesOf } from '../names/index.ts';
import { type PlannedCommit, nextNumber } from '../project/planned-commit.ts';
import { branchByName, headOf, type ProjectState } from '../project/state.ts';
import type { TipMove } from '../../store.ts';
import type { TipChange } from '../project/plan-heads.ts';

/**
 * Puts a new branch into the draft. `next` is its tip, which may be stored in the same write. Returns the ref that must
 * move, and the update of the state.
 */
export function draftNewBranch(
  draft: PlannedCommit,
  state: ProjectState,
  branch: Branch,
  next = branch.tipId,
): { readonly tip: TipChange; readonly recorded: () => void } {
  if (state.branches.has(branch.id)) {
    throw new ConflictError('id_taken', `There already is a branch with the id "${branch.id}".`, branch.id);
  }
  requireFreeName(state, branch.name);
  if (branch.tipId !== null) state.index.get(branch.tipId);
  if (branch.forkedFromId !== null) state.index.get(branch.forkedFromId);
  const ref = freeRef(state, branch.name);
  const { tipId: _, projectId: __, ...fields } = branch;
  return {
    tip: { ref, head: null, next },
    recorded: draftBranch(draft, state, null, { ...fields, ref, order: nextNumber(draft) }),
  };
}

/** Puts a branch's record and lock into the draft. `before` is what they were. Returns the update of the state. */
export function draftBranch(
  draft: PlannedCommit,
  state: ProjectState,
  before: BranchRecord | null,
  after: BranchRecord | null,
): () => void {
  if (after !== null) draft.files.set(branchFile(after.id), writeJson(after));
  else if (before !== null) draft.files.set(branchFile(before.id), null);

  let config = state.config;
  if (before !== null && before.name !== after?.name) config = withLockOf(config, before.name, null);
  if (after !== null) {
    // One provider that it does not know, and ResearchTree lists no branch at all. Bough's own record has it.
    const isKnown = !state.isShared || RESEARCH_TREE_PROVIDERS.has(after.envelope.provider);
    config = withLockOf(config, after.name, isKnown ? lockOfRecord(after) : null);
  }
  draftLocks(draft, state, config);
  return () => {
    if (before !== null) state.branches.delete(before.id);
    if (after !== null) state.branches.set(after.id, after);
    state.config = config;
  };
}

/**
 * For a branch whose tip moves. ResearchTree continues from the response that its lock names, and sends nothing of what
 * was said since; the provider stored none of Bough's, and answers 400. Without one ResearchTree sends everything.
 */
export function forgetResponse(
  draft: PlannedCommit,
  state: ProjectState,
  branch: BranchRecord,
): readonly (() => void)[] {
  if ((branch.previousResponseId ?? null) === null) return [];
  return [draftBranch(draft, state, branch, { ...branch, previousResponseId: null })];
}

const RESEARCH_TREE_PROVIDERS: ReadonlySet<string> = new Set([
  'openai',
  'openai_responses',
  'gemini',
  'anthropic',
  'mock',
]);

function draftLocks(draft: PlannedCommit, state: ProjectState, config: BranchConfig): void {
  const bytes = writeConfig(config);
  if (!bytes.equals(writeConfig(state.config))) draft.files.set(CONFIG_FILE, bytes);
}

function lockOfRecord({ envelope, previousResponseId = null, hidden }: BranchRecord) {
  return { provider: envelope.provider, model: envelope.model, previousResponseId, isHidden: hidden };
}

export function requireFreeName(state: ProjectState, name: string): void {
  if (branchByName(state, name) === undefined) return;
  throw new ConflictError('name_taken', `There already is a branch "${name}". Choose another name.`, name);
}

/** The first ref name of a branch that can coexist with those of the others, even where `A` is `a`. */
export function freeRef(state: ProjectState, name: string): string {
  const taken = [...state.branches.values()].map(({ ref }) => ref.toLowerCase());
  const stands = (candidate: string): boolean => {
    const ref = candidate.toLowerCase();
    return taken.every((other) => other !== ref && !other.startsWith(`${ref}/`) && !ref.startsWith(`${other}/`));
  };
  const candidates = refNamesOf(name).map((candidate) => `${HEAD_REFS}${candidate}`);
  const free = candidates.find(stands);
  if (free !== undefined) return free;
  throw new ConflictError('name_taken', `The name "${name}" differs too little from that of another branch.`, name);
}

/** The move of a branch's tip, if the tip is where the caller believes it to be. */
export function requireTip(state: ProjectState, branch: BranchRecord, move: TipMove): TipChange {
  const head = headOf(state, branch.ref);
  if (head.tip !== move.expected) throw tipMoved(branch, head.tip);
  return { ref: branch.ref, head, next: move.next };
}

function tipMoved(branch: BranchRecord, tip: NodeId | null): ConflictError {
  return new ConflictError('tip_moved', `The branch "${branch.name}" has moved on. Read it again and decide.`, tip);
}
