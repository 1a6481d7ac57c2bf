import type { Backfill, ProjectId } from '@bough/core';
import type { Store } from '../../store.ts';
import type { UpgradeReport } from '../../upgrade.ts';
import { missingTurns } from '../../upgrade.ts';
import { NODE_TURNS_FILE, TURN_FILE, turnDirectory, turnKey } from '../meta/layout.ts';
import { writeJson } from '../meta/records.ts';
import type { OpenProject } from '../project/open-project.ts';
import { nextNumber } from '../project/planned-commit.ts';
import { byStorage } from '../tree/node-index.ts';

/**
 * Gives turns to nodes whose lines name none. Lines of ResearchTree have theirs already, from the moment they are read,
 * and their messages are read in today's form; neither is ever rewritten.
 */
export function upgradeOperation(open: (id: ProjectId) => Promise<OpenProject>): Pick<Store, 'upgradeProject'> {
  return {
    upgradeProject: async (id, { dryRun }) => {
      const project = await open(id);
      const find = async () => missingTurns(id, await project.nodes.read(project.state().index.all().sort(byStorage)));
      const reportOf = ({ turns, assignments }: Backfill): UpgradeReport => ({
        messages: [],
        turns: turns.length,
        nodes: assignments.size,
      });
      const planned = await find();
      if (dryRun || planned.assignments.size === 0) return reportOf(planned);
      return project.rewrite('Give turns to nodes without one', async (draft, state) => {
        // Again, now that nobody else writes.
        const missing = await find();
        for (const turn of missing.turns) {
          const place = { number: nextNumber(draft), key: turnKey(turn.id), request: null };
          draft.files.set(`${turnDirectory(place)}/${TURN_FILE}`, writeJson({ turn, clientRequestId: null }));
        }
        const all = new Map([...state.nodeTurns, ...missing.assignments]);
        draft.files.set(NODE_TURNS_FILE, writeJson(Object.fromEntries(all)));
        return reportOf(missing);
      });
    },
  };
}
