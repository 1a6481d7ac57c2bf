import type { NodeId, ProjectId, TreeNode, TurnId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import { StoreError } from '../../errors.ts';
import type { Store } from '../../store.ts';
import { tipMoved } from '../branches.ts';
import { refsOf, refsText, refValues, requireBlobs } from '../blobs/refs.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../connection/pool.ts';
import { prepared } from '../connection/prepared.ts';
import { RECEIPT_PARAMETERS, receiptText } from '../connection/receipts.ts';
import { inOneStatement } from '../connection/transaction.ts';
import { idTaken, whatIsWrong } from '../expectations.ts';
import { columnCount, insertText, insertValues } from '../rows/insert.ts';
import { nodeRow } from '../rows/node.ts';
import { HOLD_PARENT, PARENT_IS_HELD, TIP_PARAMETERS, tipValues } from './growth.ts';

export function appendMethods(database: Database, clock: Clock): Pick<Store, 'appendNodes'> {
  return {
    appendNodes: async (project, nodes, tip) => {
      const needs = needsOf(project, nodes);
      const refs = refsOf(nodes);
      await requireBlobs(database, clock, project, refs);
      await inOneStatement(
        database,
        {
          statement: refs.length > 0 ? APPEND_WITH_FILES : APPEND,
          values: (receipt) => [
            ...tipValues(project, nodes, tip),
            ...insertValues('nodes', nodes.map(nodeRow)),
            ...receipt,
            ...refValues(refs),
          ],
          judge: ({ moved }) =>
            tip && !moved ? { refuse: () => tipMoved(database.db, project, tip) } : { result: undefined },
        },
        () =>
          whatIsWrong(database, {
            project,
            turns: { present: needs.turns },
            nodes: { present: [...needs.nodes, ...notAmong(nodes, tip?.next)], absent: nodes.map(({ id }) => id) },
            blobs: refs.map(({ hash }) => hash),
          }),
      );
    },
  };
}

const NODES = TIP_PARAMETERS + 1;

const RECEIPT = NODES + columnCount('nodes');

const appending = (files: string): string =>
  `WITH ${HOLD_PARENT},
    stored AS (${insertText('nodes', NODES)}),
    receipt AS (${receiptText(RECEIPT)}),
    ${files}
    moved AS (
      UPDATE branches SET tip_id = $5
      WHERE project_id = $1 AND id = $3 AND tip_id IS NOT DISTINCT FROM $4 AND ${PARENT_IS_HELD}
      RETURNING id
    )
  SELECT EXISTS (SELECT FROM moved) AS moved`;

const APPEND = prepared<{ moved: boolean }>('append', appending(''));
const APPEND_WITH_FILES = prepared<{ moved: boolean }>(
  'append_with_files',
  appending(refsText(RECEIPT + RECEIPT_PARAMETERS)),
);

/** What must already be stored before these nodes can be. */
export interface Needs {
  readonly nodes: readonly NodeId[];
  readonly turns: readonly TurnId[];
}

/**
 * Checks what the database cannot: rows of one statement may refer to each other in any order, and a cycle of parents
 * would pass every key.
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

/** The id as a need of its own, unless it is part of the batch. */
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
