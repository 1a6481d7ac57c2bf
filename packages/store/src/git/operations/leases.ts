import type { ProjectId, Turn, TurnId } from '@bough/core';
import { ConflictError } from '../../errors.ts';
import type { Store } from '../../store.ts';
import type { OpenTurn } from '../meta/records.ts';
import type { OpenProject } from '../project/open-project.ts';
import { writeRenewals } from '../project/renewals.ts';
import { draftOpenTurn, requireOpen, requireOwner } from './turns.ts';

type Leases = Pick<Store, 'renewLeases' | 'claimExpiredTurns' | 'claimTurn' | 'releaseTurn'>;

export interface LeaseContext {
  readonly open: (id: ProjectId) => Promise<OpenProject>;
  /** The projects that have turns which have not ended. */
  readonly withOpenTurns: () => AsyncIterable<OpenProject>;
  readonly now: () => number;
}

export function leaseOperations({ open, withOpenTurns, now }: LeaseContext): Leases {
  /** Gives a turn to an owner, or to nobody. */
  const hand = (project: OpenProject, pick: (turns: Iterable<OpenTurn>) => OpenTurn | null, change: Change) =>
    project.write(change.summary, async (draft, state) => {
      const found = pick(state.openTurns.values());
      if (found === null) return { result: null, apply: () => undefined };
      const { owner, leaseUntil } = change;
      const after: OpenTurn = { ...found, owner, leaseUntil, turn: { ...found.turn, status: change.status } };
      return { result: after.turn, apply: draftOpenTurn(draft, state, after) };
    });

  return {
    renewLeases: async (owner, turns, leaseMs) => {
      const asked = new Set(turns);
      const held = new Set<TurnId>();
      for await (const project of withOpenTurns()) {
        await project.exclusively(async ({ openTurns }) => {
          const mine = [...openTurns.values()].filter(
            ({ turn, owner: holder }) => holder === owner && asked.has(turn.id),
          );
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

    claimExpiredTurns: async (owner, leaseMs) => {
      const claimed: Turn[] = [];
      const expired = ({ turn, leaseUntil }: OpenTurn): boolean => turn.status === 'running' && leaseUntil <= now();
      for await (const project of withOpenTurns()) {
        const due = [...project.state().openTurns.values()].filter(expired);
        for (const { turn } of due) {
          const pick = (turns: Iterable<OpenTurn>): OpenTurn | null =>
            [...turns].find((open) => open.turn.id === turn.id && expired(open)) ?? null;
          const change = {
            summary: 'Take a turn over',
            owner,
            leaseUntil: now() + leaseMs,
            status: 'running',
          } as const;
          const taken = await hand(project, pick, change);
          if (taken !== null) claimed.push(taken);
        }
      }
      return claimed;
    },

    claimTurn: async (id, turn, owner, leaseMs) => {
      const project = await open(id);
      const change = { summary: 'Claim a turn', owner, leaseUntil: now() + leaseMs, status: 'running' } as const;
      const pick = (): OpenTurn => requireUnowned(requireOpen(project.state(), turn), turn);
      // `pick` gives a turn or throws.
      return (await hand(project, pick, change)) ?? requireUnowned(null, turn).turn;
    },

    releaseTurn: async (id, turn, owner, status) => {
      const project = await open(id);
      const change = { summary: 'Wait for an approval', owner: null, leaseUntil: 0, status };
      await hand(project, () => requireOwner(project.state(), turn, owner), change);
    },
  };
}

interface Change {
  readonly summary: string;
  readonly owner: string | null;
  readonly leaseUntil: number;
  readonly status: 'running' | 'awaiting_approval';
}

function requireUnowned(open: OpenTurn | null, turn: TurnId): OpenTurn {
  if (open?.owner === null) return open;
  if (open === null) throw new ConflictError('not_owner', `The turn ${turn} has ended: nobody can claim it.`, turn);
  throw new ConflictError('turn_running', `The turn ${turn} is run by somebody else.`, turn);
}
