import type { TreeNode } from '@bough/core';
import { backfillTurns, idFrom, turnId } from '@bough/core';
import type { ProjectRecord } from '@bough/store';

/**
 * Gives turns to the nodes of a source that has none. Turns must come before their nodes, so the nodes are gathered
 * first.
 */
export async function* backfilled(records: AsyncIterable<ProjectRecord>): AsyncGenerator<ProjectRecord, void> {
  const nodes: TreeNode[] = [];
  const later: ProjectRecord[] = [];
  for await (const record of records) {
    if (record.type === 'node') nodes.push(record.value);
    else if (record.type === 'call' || record.type === 'rendering' || record.type === 'annotation') later.push(record);
    else yield record;
  }
  const [first] = nodes;
  if (first !== undefined) {
    const { turns, assignments } = backfillTurns(first.projectId, nodes, ({ id }) => turnId(idFrom('turn of', id)));
    for (const value of turns) yield { type: 'turn', value };
    for (const node of nodes) {
      const assigned = assignments.get(node.id);
      yield { type: 'node', value: assigned === undefined ? node : { ...node, turnId: assigned } };
    }
  }
  yield* later;
}
