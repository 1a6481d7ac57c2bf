import type { Backfill, NodeId, ProjectId, TreeNode } from '@bough/core';
import { backfillTurns, turnId } from '@bough/core';

/** What an upgrade of a project's data changed, or would change. */
export interface UpgradeReport {
  /** Nodes whose message was in the form of an older program. */
  readonly messages: readonly NodeId[];
  /** How many turns were made for nodes from before turns were stored, and how many nodes got one. */
  readonly turns: number;
  readonly nodes: number;
}

/** The ids of the turns are derived from the users' nodes, so they are the same wherever and whenever it is done. */
export function missingTurns(project: ProjectId, nodes: readonly TreeNode[]): Backfill {
  return backfillTurns(project, nodes, (user) => turnId(`backfilled-${user.id}`));
}
