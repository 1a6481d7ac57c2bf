import { projectId } from '@bough/core';
import type { Insertable, Selectable } from 'kysely';
import type { ForeignDocument } from '../../foreign.ts';
import type { ForeignRow } from '../tables.ts';

export function foreignRow({ projectId: project, name, holds, value }: ForeignDocument): Insertable<ForeignRow> {
  return { project_id: project, name, holds: JSON.stringify(holds), value: JSON.stringify(value) };
}

export function foreignOf({ project_id: project, name, holds, value }: Selectable<ForeignRow>): ForeignDocument {
  return {
    projectId: projectId(project),
    name,
    holds: JSON.parse(holds) as ForeignDocument['holds'],
    value: JSON.parse(value) as unknown,
  };
}
