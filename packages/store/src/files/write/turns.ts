import type { Turn } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import { ConflictError } from '../../errors.ts';
import type { BeginTurn, Store, TurnCommit } from '../../store.ts';
import type { TurnFile } from '../format/sidecars.ts';
import type { Base } from '../state/base.ts';
import { isOpen, openTurnOn } from '../state/project-state.ts';
import { changeProject } from './change-project.ts';
import type { ProjectChange } from './project-change.ts';
import { appendLog } from './log.ts';
import { addBranch, addCalls, addNodes, addRenderings, draftBranch, draftTurn, moveTip } from './project-change.ts';

type TurnMethods = Pick<
  Store,
  | 'beginTurn'
  | 'commitTurn'
  | 'renewLeases'
  | 'claimExpiredTurns'
  | 'claimTurn'
  | 'releaseTurn'
  | 'reopenTurn'
  | 'dropLog'
>;

export function turnMethods(base: Base): TurnMethods {
  return {
    // Copies, because turns and calls stay in memory: what the caller later does to its own objects must not reach
    // them.
    beginTurn: (begin) =>
      changeProject(base, begin.turn.projectId, (draft) => admit(base, draft, structuredClone(begin))),
    commitTurn: (commit) => commitTurn(base, structuredClone(commit)),
    renewLeases: async (owner, turns, leaseMs) => {
      const held = heldBy(base, owner, new Set(turns));
      const renewed: Turn[] = [];
      for (const { turn } of held) {
        await unlessGone(() =>
          changeProject(base, turn.projectId, (draft) => {
            const file = draftTurn(draft, turn.id);
            if (file.lease?.owner !== owner) return;
            setLease(draft, file, owner, base.now() + leaseMs);
            renewed.push(turn);
          }),
        );
      }
      return renewed.map(({ id }) => id);
    },
    claimExpiredTurns: async (owner, leaseMs, graceMs = 0) => {
      const claimed: Turn[] = [];
      for (const { turn } of everyTurn(base).filter((file) => isExpired(base, file, graceMs))) {
        await unlessGone(() =>
          changeProject(base, turn.projectId, (draft) => {
            const file = draftTurn(draft, turn.id);
            if (!isExpired(base, file, graceMs)) return;
            setLease(draft, file, owner, base.now() + leaseMs);
            claimed.push(file.turn);
          }),
        );
      }
      return claimed;
    },
    claimTurn: (project, id, owner, leaseMs) =>
      changeProject(base, project, (draft) => {
        const file = draftTurn(draft, id);
        if (file.turn.status !== 'awaiting_approval') throw claimed(file.turn);
        const turn: Turn = { ...file.turn, status: 'running' };
        setLease(draft, { ...file, turn }, owner, base.now() + leaseMs);
        return turn;
      }),
    releaseTurn: (project, id, owner, status) =>
      changeProject(base, project, (draft) => {
        const file = requireOwner(draft, id, owner);
        draft.turns.set(id, { ...file, turn: { ...file.turn, status }, lease: null });
      }),
    reopenTurn: (project, id, owner, leaseMs) =>
      changeProject(base, project, (draft) => {
        const file = draftTurn(draft, id);
        if (isOpen(file)) throw alreadyRunning(file.turn);
        requireFree(draft, file.turn.branchId);
        const turn: Turn = { ...file.turn, status: 'running' };
        setLease(draft, { ...file, turn }, owner, base.now() + leaseMs);
        if (draft.state.logs.get(id)?.entries.length) draft.droppedLogs.add(id);
        return turn;
      }),
    dropLog: (project, id) =>
      changeProject(base, project, (draft) => {
        const file = draftTurn(draft, id);
        if (isOpen(file)) throw alreadyRunning(file.turn);
        if (draft.state.logs.get(id)?.entries.length) draft.droppedLogs.add(id);
      }),
  };
}

function admit(base: Base, draft: ProjectChange, begin: BeginTurn): { turn: Turn; repeated: boolean } {
  const { state } = draft;
  const { turn, owner, leaseMs, clientRequestId, nodes, renderings = [], tip, newBranch } = begin;
  const before = clientRequestId === undefined ? undefined : state.clientRequests.get(clientRequestId);
  if (before !== undefined) return { turn: draftTurn(draft, before).turn, repeated: true };
  if (state.turns.has(turn.id)) {
    throw new ConflictError('id_taken', `There already is a turn with the id "${turn.id}".`, turn.id);
  }
  if (newBranch) addBranch(draft, newBranch);
  requireFree(draft, turn.branchId);
  const file: TurnFile = {
    turn,
    lease: { owner, expiresAt: base.now() + leaseMs },
    clientRequestId: clientRequestId ?? null,
    calls: [],
  };
  draft.turns.set(turn.id, file);
  addNodes(draft, nodes);
  addRenderings(draft, renderings);
  if (tip) moveTip(draft, tip.branchId, tip);
  return { turn: file.turn, repeated: false };
}

/** The branch must exist, and no turn may run on it. */
function requireFree(draft: ProjectChange, branch: Turn['branchId']): void {
  if (branch === null) return;
  draftBranch(draft, branch);
  const running = openTurnOn(draft.state, branch);
  if (running) throw alreadyRunning(running.turn);
}

async function commitTurn(base: Base, commit: TurnCommit): Promise<void> {
  const { projectId, turnId, owner, nodes, calls, renderings, cachedTurns = [], tip, log = [], status } = commit;
  if (log.length > 0) await appendLog(base, projectId, turnId, log);
  await changeProject(base, projectId, async (draft) => {
    const turn = requireOwner(draft, turnId, owner);
    addNodes(draft, nodes);
    const called = addCalls(draft, turn, calls);
    addRenderings(draft, renderings);
    if (tip) moveTip(draft, tip.branchId, tip);
    if (status !== undefined) draft.turns.set(turnId, { ...called, turn: { ...called.turn, status }, lease: null });
    await base.account.add(calls.map(({ call }) => call));
  });
  await base.cache.write(projectId, cachedTurns);
}

/** Only running turns have an owner: a turn that has ended, or waits for an approval, belongs to nobody. */
function requireOwner(draft: ProjectChange, id: Turn['id'], owner: string): TurnFile {
  const file = draftTurn(draft, id);
  if (file.turn.status !== 'running' || file.lease?.owner !== owner) {
    throw new ConflictError(
      'not_owner',
      `The turn "${id}" belongs to somebody else or has ended.`,
      file.lease?.owner ?? null,
    );
  }
  return file;
}

/** A project that is deleted meanwhile must not cost the turns of other projects their leases. */
async function unlessGone(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof UnknownIdError)) throw error;
  }
}

function setLease(draft: ProjectChange, file: TurnFile, owner: string, expiresAt: number): void {
  draft.turns.set(file.turn.id, { ...file, lease: { owner, expiresAt } });
}

function heldBy(base: Base, owner: string, ids: ReadonlySet<string>): TurnFile[] {
  return everyTurn(base).filter(
    ({ turn, lease }) => ids.has(turn.id) && turn.status === 'running' && lease?.owner === owner,
  );
}

const isExpired = (base: Base, { turn, lease }: TurnFile, graceMs: number): boolean =>
  turn.status === 'running' && (lease === null || lease.expiresAt + graceMs <= base.now());

function everyTurn(base: Base): TurnFile[] {
  return [...base.projects.values()].flatMap((state) => [...state.turns.values()].filter(isOpen));
}

const alreadyRunning = (turn: Turn): ConflictError =>
  new ConflictError('turn_running', 'A turn is still under way. Wait for it or interrupt it.', turn.id);

const claimed = (turn: Turn): ConflictError =>
  new ConflictError('turn_running', `The turn "${turn.id}" is being worked on already, or has ended.`, turn.id);
