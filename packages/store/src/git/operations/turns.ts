import type { ProjectId, Turn, TurnId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import { ConflictError } from '../../errors.ts';
import type { Store, TurnCommit } from '../../store.ts';
import { requestKey, runningFile, TURN_FILE, turnDirectory, turnKey, type TurnPlace } from '../meta/layout.ts';
import { type EndedTurn, type OpenTurn, writeJson } from '../meta/records.ts';
import { type PlannedCommit, nextNumber } from '../project/planned-commit.ts';
import type { OpenProject, Prepared } from '../project/open-project.ts';
import { settleDefaultRef } from '../project/default-ref.ts';
import { branchRecord, type ProjectState } from '../project/state.ts';
import { requireNoTurn } from './branches.ts';
import { draftNewBranch, forgetResponse, requireTip } from './draft-branch.ts';
import { draftCalls, draftRenderings } from './draft-calls.ts';
import type { Account } from '../../on-disk/account/index.ts';
import type { TurnCache } from '../../on-disk/turn-cache/index.ts';
import { byStorage } from '../tree/node-index.ts';
import { draftNodes, hasTurn, requireTurn } from './draft-nodes.ts';
import { readTurnOf, turnOfRequest } from './turn-files.ts';

type Turns = Pick<Store, 'beginTurn' | 'getTurn' | 'turnOfRequest' | 'nodesOfTurn' | 'openTurns' | 'commitTurn'>;

export interface TurnContext {
  readonly open: (id: ProjectId) => Promise<OpenProject>;
  /** The projects that have open turns. */
  readonly withOpenTurns: () => AsyncIterable<OpenProject>;
  readonly cache: TurnCache;
  readonly account: Account;
  readonly now: () => number;
}

export function turnOperations({ open, withOpenTurns, cache, account, now }: TurnContext): Turns {
  return {
    beginTurn: async (begin) => {
      const project = await open(begin.turn.projectId);
      const { turn, owner, leaseMs, clientRequestId = null, nodes, renderings = [], tip, newBranch } = begin;
      const begun = await project.write<{ turn: Turn; repeated: boolean }>('Begin a turn', async (draft, state) => {
        const before = clientRequestId === null ? null : await turnOfRequest(project, clientRequestId);
        if (before !== null) return { result: { turn: before, repeated: true }, apply: [] };

        if (hasTurn(state, turn.id)) {
          throw new ConflictError('id_taken', `There already is a turn with the id "${turn.id}".`, turn.id);
        }
        const forked = newBranch && draftNewBranch(draft, state, newBranch, tip?.next);
        if (turn.branchId !== null && turn.branchId !== newBranch?.id)
          requireNoTurn(state, branchRecord(state, turn.branchId).id);
        const moved = tip && !forked ? [requireTip(state, branchRecord(state, tip.branchId), tip)] : [];
        const tips = forked ? [forked.tip] : moved;
        const stored = await draftNodes(project, draft, state, nodes, tips, { turnId: turn.id, branch: newBranch });
        await draftRenderings(project, draft, state, nodes, renderings);
        const number = nextNumber(draft);
        const open: OpenTurn = { turn: { ...turn }, number, clientRequestId, owner, leaseUntil: now() + leaseMs };
        const opened = draftOpenTurn(draft, state, open);
        const forgotten = tip && !forked ? forgetResponse(draft, state, branchRecord(state, tip.branchId)) : [];
        const apply = [stored, ...(forked ? [forked.recorded] : forgotten), opened];
        return { result: { turn: open.turn, repeated: false }, apply };
      });
      if (newBranch) await settleDefaultRef(project);
      return begun;
    },

    getTurn: async (id, turn) => readTurnOf(await open(id), turn),

    turnOfRequest: async (id, clientRequestId) => turnOfRequest(await open(id), clientRequestId),

    nodesOfTurn: async (id, turn) => {
      const project = await open(id);
      const state = project.state();
      requireTurn(state, turn);
      const nodes = state.index.all().filter(({ turnId }) => turnId === turn);
      return project.nodes.read(nodes.sort(byStorage));
    },

    openTurns: async (id) => {
      if (id !== undefined) return openTurnsOf(await open(id));
      const found: Turn[] = [];
      for await (const project of withOpenTurns()) found.push(...openTurnsOf(project));
      return found;
    },

    commitTurn: async (commit) => {
      const project = await open(commit.projectId);
      const { turnId, owner, log = [] } = commit;
      if (log.length > 0) {
        const { reopened } = requireOwner(project.state(), turnId, owner);
        await project.logs.append(turnId, reopened ?? 0, log);
      }
      const summary = commit.status === undefined ? 'Store a part of a turn' : `End a turn: ${commit.status}`;
      await project.write(summary, async (draft, state) => {
        const prepared = await prepareCommit(project, draft, state, commit);
        await account.add(commit.calls.map(({ call }) => call));
        return prepared;
      });
      await cache.write(commit.projectId, commit.cachedTurns ?? []);
    },
  };
}

function openTurnsOf(project: OpenProject): readonly Turn[] {
  const { openTurns } = project.state();
  return [...openTurns.values()].sort((a, b) => a.number - b.number).map(({ turn }) => turn);
}

async function prepareCommit(
  project: OpenProject,
  draft: PlannedCommit,
  state: ProjectState,
  commit: TurnCommit,
): Promise<Prepared<void>> {
  const { turnId, owner, nodes, calls, renderings, tip, status } = commit;
  const open = requireOwner(state, turnId, owner);
  const branch = tip && branchRecord(state, tip.branchId);
  const tips = tip && branch ? [requireTip(state, branch, tip)] : [];
  const steps = [await draftNodes(project, draft, state, nodes, tips)];
  const place: TurnPlace = { number: open.number, key: turnKey(turnId), request: requestOf(open) };
  await draftCalls(project, draft, state, { place, nodes, calls });
  await draftRenderings(project, draft, state, nodes, renderings);
  if (branch) steps.push(...forgetResponse(draft, state, branch));
  if (status !== undefined) {
    const { clientRequestId, reopened } = open;
    const record: EndedTurn = { turn: { ...open.turn, status }, clientRequestId, ...(reopened && { reopened }) };
    draft.files.set(`${turnDirectory(place)}/${TURN_FILE}`, writeJson(record));
    draft.files.set(runningFile(turnId), null);
    steps.push(() => state.openTurns.delete(turnId));
  }
  if (status !== undefined || calls.length > 0) {
    steps.push(() => {
      state.turns.set(place.key, place);
      if (place.request !== null) state.requests.set(place.request, place);
    });
  }
  return { result: undefined, apply: steps };
}

const requestOf = ({ clientRequestId }: OpenTurn): string | null =>
  clientRequestId === null ? null : requestKey(clientRequestId);

/** Puts an unfinished turn's record into the draft. Returns the update of the state. */
export function draftOpenTurn(draft: PlannedCommit, state: ProjectState, open: OpenTurn): () => void {
  draft.files.set(runningFile(open.turn.id), writeJson(open));
  return () => state.openTurns.set(open.turn.id, open);
}

export function requireOpen(state: ProjectState, id: TurnId): OpenTurn | null {
  const open = state.openTurns.get(id);
  if (open === undefined && !hasTurn(state, id)) throw new UnknownIdError('turn', id);
  return open ?? null;
}

export function requireOwner(state: ProjectState, id: TurnId, owner: string): OpenTurn {
  const open = requireOpen(state, id);
  if (open?.owner === owner && open.turn.status === 'running') return open;
  throw new ConflictError(
    'not_owner',
    `The turn ${id} is not run by "${owner}" any more: somebody took it over, or it has ended.`,
    id,
  );
}
