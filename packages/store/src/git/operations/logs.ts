import type { ProjectId, TurnId } from '@bough/core';
import { ConflictError } from '../../errors.ts';
import type { Store } from '../../store.ts';
import { turnKey } from '../meta/layout.ts';
import type { OpenProject } from '../project/open-project.ts';
import { requireTurn } from './draft-nodes.ts';
import { readTurnAt } from './turn-files.ts';
import { requireOpen } from './turns.ts';

type Logs = Pick<Store, 'appendLog' | 'readLog' | 'dropLog'>;

export function logOperations(open: (id: ProjectId) => Promise<OpenProject>): Logs {
  return {
    appendLog: async (id, turn, entries) => {
      const project = await open(id);
      const found = requireOpen(project.state(), turn);
      if (found === null) {
        throw new ConflictError('not_owner', `The turn ${turn} has ended: its log takes nothing more.`, turn);
      }
      await project.logs.append(turn, found.reopened ?? 0, entries);
    },
    readLog: async (id, turn, after, limit) => {
      const project = await open(id);
      requireTurn(project.state(), turn);
      return project.logs.read(turn, await timesReopened(project, turn), after, limit);
    },
    dropLog: async (id, turn) => {
      const project = await open(id);
      if (requireOpen(project.state(), turn) !== null) {
        throw new ConflictError('turn_running', `The turn ${turn} has not ended: its log is still needed.`, turn);
      }
      // One that is reopened meanwhile keeps its new log.
      await project.logs.remove(turn, (await timesReopened(project, turn)) + 1);
    },
  };
}

/** Which of its logs a turn writes, or wrote last. */
async function timesReopened(project: OpenProject, turn: TurnId): Promise<number> {
  const { openTurns, turns } = project.state();
  const open = openTurns.get(turn);
  const place = open ? undefined : turns.get(turnKey(turn));
  return (open ?? (place && (await readTurnAt(project, place))))?.reopened ?? 0;
}
