import type { ProjectId, Rendering } from '@bough/core';
import type { Insertable } from 'kysely';
import type { RenderingRow } from '../tables.ts';

export function renderingRow(project: ProjectId, rendering: Rendering): Insertable<RenderingRow> {
  return { project_id: project, node_id: rendering.nodeId, key: rendering.key, bytes: rendering.bytes };
}
