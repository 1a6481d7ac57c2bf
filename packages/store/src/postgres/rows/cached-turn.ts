import type { CachedTurn, ProjectId } from '@bough/core';
import type { Insertable } from 'kysely';
import type { CachedTurnRow } from '../tables.ts';

const DECODER = new TextDecoder();

export function cachedTurnRow(project: ProjectId, turn: CachedTurn): Insertable<CachedTurnRow> {
  const { nodeId, slot, key, facts, bytes } = turn;
  return { project_id: project, node_id: nodeId, slot, key, facts, bytes: DECODER.decode(bytes) };
}
