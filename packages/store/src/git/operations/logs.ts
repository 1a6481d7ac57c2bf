import type { ProjectId } from '@bough/core';
import { ConflictError } from '../../errors.ts';
import type { Store } from '../../store.ts';
import type { OpenProject } from '../project/open-project.ts';
import { requireTurn } from './draft-nodes.ts';
import { requireOpen } from './turns.ts';

type Logs = Pick<Store, 'appendLog' | 'readLog' | 'dropLog'>;

export function logOperations(open: (id: ProjectId) => Promise<OpenProject>): Logs {
  return {
    appendLog: async (id, turn, entries) => {
      const project = await open(id);
      if (requireOpen(project.state(), turn) === null) {
        throw new ConflictError('not_owner', `The turn ${turn} has ended: its log takes nothing more.`, turn);
      }
      await project.logs.append(turn, entries);
    },
    readLog: async (id, turn, after, limit) => {
      const project = await open(id);
      requireTurn(project.state(), turn);
      return project.logs.read(turn, after, limit);
    },
    dropLog: async (id, turn) => {
      const project = await open(id);
      if (requireOpen(project.state(), turn) !== null) {
        throw new ConflictError('turn_running', `The turn ${turn} has not ended: its log is still needed.`, turn);
      }
      await project.logs.remove(turn);
    },
  };
}
