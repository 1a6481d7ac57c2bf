import type { CachedTurn, ProjectId } from '@bough/core';
import type { Insertable } from 'kysely';
import type { CachedTurnRow } from '../tables.ts';

export function cachedTurnRow(project: ProjectId, turn: CachedTurn): Insertable<CachedTurnRow> {
  const { nodeId, slot, key, facts, bytes } = turn;
  const { buffer, byteOffset, byteLength } = bytes;
  return { project_id: project, node_id: nodeId, slot, key, facts, bytes: Buffer.from(buffer, byteOffset, byteLength) };
}
