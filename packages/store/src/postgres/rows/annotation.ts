import type { Annotation } from '@bough/core';
import { ANNOTATION_KINDS, nodeId, projectId, VERDICTS } from '@bough/core';
import type { Insertable, Selectable } from 'kysely';
import type { AnnotationRow } from '../tables.ts';

export function annotationRow(annotation: Annotation): Insertable<AnnotationRow> {
  const { projectId: project, nodeId: node, kind, name, text, changedAt, verdict, blind } = annotation;
  return {
    project_id: project,
    node_id: node,
    kind,
    name,
    text,
    changed_at: changedAt,
    verdict: verdict ?? null,
    blind: blind === true,
  };
}

/** Null for a kind that this program does not know: a newer one wrote it. */
export function annotationOf(row: Selectable<AnnotationRow>): Annotation | null {
  const kind = ANNOTATION_KINDS.find((known) => known === row.kind);
  if (kind === undefined) return null;
  const verdict = VERDICTS.find((known) => known === row.verdict);
  return {
    projectId: projectId(row.project_id),
    nodeId: nodeId(row.node_id),
    kind,
    name: row.name,
    text: row.text,
    changedAt: row.changed_at,
    ...(verdict !== undefined && { verdict }),
    ...(row.blind && { blind: true }),
  };
}
