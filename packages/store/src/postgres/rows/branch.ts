import type { Branch, Recorded } from '@bough/core';
import { branchId, nodeId, projectId } from '@bough/core';
import type { Insertable, Selectable } from 'kysely';
import type { BranchRow } from '../tables.ts';
import { nameLexemesText } from './lexemes.ts';
import { nullable } from './nullable.ts';

export function branchRow(branch: Branch): Insertable<BranchRow> {
  return {
    project_id: branch.projectId,
    id: branch.id,
    name: branch.name,
    tip_id: branch.tipId,
    forked_from_id: branch.forkedFromId,
    envelope: JSON.stringify(branch.envelope),
    replay_by: branch.replayBy,
    keep_tools_after_break: branch.keepToolsAfterBreak,
    pinned: branch.pinned,
    hidden: branch.hidden,
    color: branch.color,
    recorded: branch.recorded === undefined ? null : JSON.stringify(branch.recorded),
    lexemes: nameLexemesText(branch.projectId, [branch.name]),
    created_at: branch.createdAt,
  };
}

export type StoredBranch = Omit<Selectable<BranchRow>, 'position' | 'lexemes'>;

export function branchOf(row: StoredBranch): Branch {
  return {
    id: branchId(row.id),
    projectId: projectId(row.project_id),
    name: row.name,
    tipId: nullable(row.tip_id, nodeId),
    forkedFromId: nullable(row.forked_from_id, nodeId),
    envelope: JSON.parse(row.envelope) as Branch['envelope'],
    replayBy: row.replay_by as Branch['replayBy'],
    keepToolsAfterBreak: row.keep_tools_after_break,
    pinned: row.pinned,
    hidden: row.hidden,
    color: row.color,
    ...(row.recorded === null ? {} : { recorded: JSON.parse(row.recorded) as Recorded }),
    createdAt: row.created_at,
  };
}
