import type { ProjectId, Turn, TurnId } from '@bough/core';
import { ConflictError, StoreError } from '../../errors.ts';
import type { Store } from '../../store.ts';
import { turnKey } from '../meta/layout.ts';
import type { OpenTurn } from '../meta/records.ts';
import type { OpenProject } from '../project/open-project.ts';
import { writeRenewals } from '../project/renewals.ts';
import { branchRecord } from '../project/state.ts';
import { requireNoTurn } from './branches.ts';
import { readTurnAt } from './turn-files.ts';
import { draftOpenTurn, requireOpen, requireOwner } from './turns.ts';

type Leases = Pick<Store, 'renewLeases' | 'claimExpiredTurns' | 'claimTurn' | 'releaseTurn' | 'reopenTurn'>;

export interface LeaseContext {
  readonly open: (id: ProjectId) => Promise<OpenProject>;
  /** The projects that have open turns. */
  readonly withOpenTurns: () => AsyncIterable<OpenProject>;
  readonly now: () => number;
}

export function leaseOperations({ open, withOpenTurns, now }: LeaseContext): Leases {
  return {
    renewLeases: async (owner, turns, leaseMs) => {
      const asked = new Set(turns);
      const held = new Set<TurnId>();
      for await (const project of withOpenTurns()) {
        await project.exclusively(async ({ openTurns }) => {
          const mine = [...openTurns.values()].filter((open) => open.owner === owner && asked.has(open.turn.id));
          if (mine.length === 0) return;
          for (const open of mine) {
            openTurns.set(open.turn.id, { ...open, leaseUntil: now() + leaseMs });
            held.add(open.turn.id);
          }
          await writeRenewals(project.repository.gitDir, openTurns.values());
        });
      }
      return turns.filter((turn) => held.has(turn));
    },

    claimExpiredTurns: async (owner, leaseMs, graceMs = 0) => {
      const claimed: Turn[] = [];
      const isDue = ({ turn, leaseUntil }: OpenTurn): boolean =>
        turn.status === 'running' && leaseUntil + graceMs <= now();
      for await (const project of withOpenTurns()) {
        for (const { turn } of [...project.state().openTurns.values()].filter(isDue)) {
          const taken = await project.write<Turn | null>('Take a turn over', async (draft, state) => {
            const found = state.openTurns.get(turn.id);
            // Another process or write may have been faster.
            if (found === undefined || !isDue(found)) return { result: null, apply: [] };
            const after: OpenTurn = { ...found, owner, leaseUntil: now() + leaseMs };
            return { result: after.turn, apply: [draftOpenTurn(draft, state, after)] };
          });
          if (taken !== null) claimed.push(taken);
        }
      }
      return claimed;
    },

    claimTurn: async (id, turn, owner, leaseMs) => {
      const project = await open(id);
      return project.write('Claim a turn', async (draft, state) => {
        const found = requireUnowned(requireOpen(state, turn), turn);
        const leaseUntil = now() + leaseMs;
        const after: OpenTurn = { ...found, owner, leaseUntil, turn: { ...found.turn, status: 'running' } };
        return { result: after.turn, apply: [draftOpenTurn(draft, state, after)] };
      });
    },

    reopenTurn: async (id, turn, owner, leaseMs) => {
      const project = await open(id);
      const reopened = await project.write<OpenTurn>('Reopen a turn', async (draft, state) => {
        if (requireOpen(state, turn) !== null) throw turnRunning(turn);
        const place = state.turns.get(turnKey(turn));
        if (place === undefined) throw tooOld(turn);
        const ended = await readTurnAt(project, place);
        const { branchId } = ended.turn;
        if (branchId !== null) requireNoTurn(state, branchRecord(state, branchId).id);
        const after: OpenTurn = {
          turn: { ...ended.turn, status: 'running' },
          number: place.number,
          clientRequestId: ended.clientRequestId,
          owner,
          leaseUntil: now() + leaseMs,
          reopened: (ended.reopened ?? 0) + 1,
        };
        return { result: after, apply: [draftOpenTurn(draft, state, after)] };
      });
      // Nobody reads the log from before any more; one that a crash leaves behind goes with the turn's last.
      await project.logs.remove(turn, reopened.reopened);
      return reopened.turn;
    },

    releaseTurn: async (id, turn, owner, status) => {
      const project = await open(id);
      await project.write('Wait for an approval', async (draft, state) => {
        const found = requireOwner(state, turn, owner);
        const after: OpenTurn = { ...found, owner: null, leaseUntil: 0, turn: { ...found.turn, status } };
        return { result: undefined, apply: [draftOpenTurn(draft, state, after)] };
      });
    },
  };
}

function requireUnowned(open: OpenTurn | null, turn: TurnId): OpenTurn {
  if (open === null) throw new ConflictError('not_owner', `The turn ${turn} has ended: nobody can claim it.`, turn);
  if (open.owner === null) return open;
  throw new ConflictError('turn_running', `The turn ${turn} is run by somebody else.`, turn);
}

function turnRunning(turn: TurnId): ConflictError {
  return new ConflictError('turn_running', `The turn ${turn} has not ended.`, turn);
}

/** A turn from before turns were stored is computed from its lines: there is no record that could be changed. */
function tooOld(turn: TurnId): StoreError {
  return new StoreError(
    'old_turn',
    turn,
    `The turn ${turn} was made by an older program and cannot go on as it is. Upgrade the project first.`,
  );
}
