import type { BranchId, ProjectId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import { ConflictError } from '../../errors.ts';
import type { Store } from '../../store.ts';
import type { OpenProject } from '../project/open-project.ts';
import { planHeads } from '../project/plan-heads.ts';
import {
  branchByName,
  branchesInOrder,
  branchOf,
  branchRecord,
  factsOf,
  headOf,
  type ProjectState,
} from '../project/state.ts';
import { notePin, readPin } from '../project/pin.ts';
import { settleDefaultRef } from '../project/default-ref.ts';
import { keepBranch } from '../trash/keep.ts';
import { draftBranch, draftNewBranch, forgetResponse, freeRef, requireFreeName, requireTip } from './draft-branch.ts';

type Branches = Pick<
  Store,
  'createBranch' | 'listBranches' | 'branchFacts' | 'getBranch' | 'updateBranch' | 'deleteBranch' | 'moveTip'
>;

export function branchOperations(open: (id: ProjectId) => Promise<OpenProject>): Branches {
  return {
    createBranch: async (branch) => {
      const project = await open(branch.projectId);
      await project.write(`Create the branch ${branch.name}`, async (draft, state) => {
        const { tip, recorded } = draftNewBranch(draft, state, branch);
        const plan = await planHeads({ ...project, state, objects: draft.objects }, [], [tip]);
        draft.moves.push(...plan.moves);
        return { result: undefined, apply: [plan.apply, recorded] };
      });
      await settleDefaultRef(project);
    },

    listBranches: async (id) => {
      const state = (await open(id)).state();
      return branchesInOrder(state).map((record) => branchOf(state, record));
    },

    branchFacts: async (id) => factsOf((await open(id)).state()),

    getBranch: async (id, ref) => {
      const state = (await open(id)).state();
      // Any text may be one branch's id and another's name.
      const record = state.branches.get(ref as BranchId) ?? branchByName(state, ref);
      if (record === undefined) throw new UnknownIdError('branch', ref);
      return branchOf(state, record);
    },

    updateBranch: async (id, branch, patch) => {
      const project = await open(id);
      const updated = await project.write(`Change a branch`, async (draft, state) => {
        const before = branchRecord(state, branch);
        const renamed = patch.name !== undefined && patch.name !== before.name;
        if (renamed) requireFreeName(state, patch.name);
        const after = { ...before, ...patch, ref: renamed ? freeRef(state, patch.name) : before.ref };
        const head = headOf(state, before.ref);
        if (renamed) {
          draft.moves.push(
            { ref: after.ref, from: null, to: head.commit },
            { ref: before.ref, from: head.commit, to: null },
          );
        }
        const steps = [draftBranch(draft, state, before, after)];
        // ResearchTree pins one branch: its file names the new one, and no longer the others.
        if (patch.pinned === true && (await readPin(project.repository.gitDir)) !== undefined)
          for (const other of state.branches.values())
            if (other.pinned && other.id !== branch)
              steps.push(draftBranch(draft, state, other, { ...other, pinned: false }));
        const moved = (): void => {
          state.heads.delete(before.ref);
          state.heads.set(after.ref, { ...head, ref: after.ref });
        };
        const { ref: _, order: __, previousResponseId: ___, ...fields } = after;
        return { apply: [...steps, moved], result: { ...fields, projectId: state.project.id, tipId: head.tip } };
      });
      if (patch.pinned !== undefined) await notePin(project.repository.gitDir, updated);
      await settleDefaultRef(project);
      return updated;
    },

    deleteBranch: async (id, branch, ticket) => {
      const project = await open(id);
      await project.write('Delete a branch', async (draft, state) => {
        const record = branchRecord(state, branch);
        requireNoTurn(state, record.id);
        const change = { ref: record.ref, head: headOf(state, record.ref), next: undefined };
        const plan = await planHeads({ ...project, state, objects: draft.objects }, [], [change]);
        draft.moves.push(...plan.moves);
        const gone = draftBranch(draft, state, record, null);
        if (ticket === undefined) return { result: undefined, apply: [plan.apply, gone] };
        keepBranch(draft, state, ticket, { record, tip: change.head.tip });
        const kept = (): void => void (state.hasTrash = true);
        return { result: undefined, apply: [plan.apply, gone, kept] };
      });
      await settleDefaultRef(project);
    },

    moveTip: async (id, branch, move) => {
      const project = await open(id);
      await project.write('Move a tip', async (draft, state) => {
        const change = requireTip(state, branchRecord(state, branch), move);
        if (move.next !== null) state.index.get(move.next);
        const plan = await planHeads({ ...project, state, objects: draft.objects }, [], [change]);
        draft.moves.push(...plan.moves);
        const forgotten = forgetResponse(draft, state, branchRecord(state, branch));
        return { result: undefined, apply: [plan.apply, ...forgotten] };
      });
    },
  };
}

export function requireNoTurn(state: ProjectState, branch: BranchId): void {
  for (const { turn } of state.openTurns.values()) {
    if (turn.branchId !== branch) continue;
    throw new ConflictError(
      'turn_running',
      `The turn ${turn.id} runs on this branch. Wait for its end, or stop it.`,
      turn.id,
    );
  }
}
