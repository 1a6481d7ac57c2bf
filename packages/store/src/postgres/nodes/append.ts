import type { NodeId, ProjectId, TreeNode, TurnId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { Transaction } from 'kysely';
import { StoreError } from '../../errors.ts';
import type { Store } from '../../store.ts';
import { moveTip } from '../branches.ts';
import type { Database } from '../connection/pool.ts';
import { inTransaction } from '../connection/transaction.ts';
import { idTaken, whatIsWrong } from '../expectations.ts';
import { insertRows } from '../rows/insert.ts';
import { nodeRow } from '../rows/node.ts';
import type { Tables } from '../tables.ts';

export function appendMethods(database: Database): Pick<Store, 'appendNodes'> {
  return {
    appendNodes: async (project, nodes, tip) => {
      const needs = needsOf(project, nodes);
      await inTransaction(
        database,
        async (trx) => {
          await insertNodes(trx, nodes);
          if (tip) await moveTip(trx, project, tip);
        },
        () =>
          whatIsWrong(database, {
            project,
            turns: { present: needs.turns },
            nodes: { present: [...needs.nodes, ...notAmong(nodes, tip?.next)], absent: nodes.map(({ id }) => id) },
          }),
      );
    },
  };
}

export async function insertNodes(trx: Transaction<Tables>, nodes: readonly TreeNode[]): Promise<void> {
  await insertRows(trx, 'nodes', nodes.map(nodeRow));
}

/** What must be stored already for these nodes to be stored. */
export interface Needs {
  readonly nodes: readonly NodeId[];
  readonly turns: readonly TurnId[];
}

/**
 * Checks what the database cannot: rows of one statement may refer to each other in any order, and a cycle of parents would pass every key.
 */
export function needsOf(project: ProjectId, nodes: readonly TreeNode[]): Needs {
  const inBatch = new Set(nodes.map(({ id }) => id));
  const seen = new Set<NodeId>();
  const parents = new Set<NodeId>();
  const turns = new Set<TurnId>();
  for (const node of nodes) {
    if (node.projectId !== project) throw wrongProject(project, node);
    if (seen.has(node.id)) throw idTaken('node', node.id);
    if (node.turnId !== null) turns.add(node.turnId);
    if (node.parentId !== null && !seen.has(node.parentId)) {
      if (inBatch.has(node.parentId)) throw new UnknownIdError('node', node.parentId);
      parents.add(node.parentId);
    }
    seen.add(node.id);
  }
  return { nodes: [...parents], turns: [...turns] };
}

/** The id as a need of its own, unless it comes with the batch. */
export function notAmong(nodes: readonly TreeNode[], id: NodeId | null | undefined): readonly NodeId[] {
  return id == null || nodes.some((node) => node.id === id) ? [] : [id];
}

function wrongProject(project: ProjectId, node: TreeNode): StoreError {
  return new StoreError(
    'wrong_project',
    node.id,
    `The node "${node.id}" belongs to the project "${node.projectId}" and cannot be stored in "${project}".`,
  );
}
