import type { Project } from '@bough/core';
import { projectId } from '@bough/core';
import type { Insertable, Selectable } from 'kysely';
import type { ProjectRow } from '../tables.ts';

export function projectRow(project: Project): Insertable<ProjectRow> {
  return {
    id: project.id,
    name: project.name,
    description: project.description,
    system_prompt: project.systemPrompt,
    defaults: JSON.stringify(project.defaults),
    archived: project.archived,
    created_at: project.createdAt,
  };
}

export function projectOf(row: Omit<Selectable<ProjectRow>, 'position'>): Project {
  return {
    id: projectId(row.id),
    name: row.name,
    description: row.description,
    systemPrompt: row.system_prompt,
    defaults: JSON.parse(row.defaults) as Project['defaults'],
    archived: row.archived,
    createdAt: row.created_at,
  };
}
