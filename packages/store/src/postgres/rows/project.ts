import type { Project } from '@bough/core';
import { projectId } from '@bough/core';
import type { Insertable, Selectable } from 'kysely';
import { pinnedAndFolder } from '../../find-projects.ts';
import type { ProjectRow } from '../tables.ts';
import { columnsWithout } from '../tables.ts';
import { nameLexemesText } from './lexemes.ts';

/** The columns needed to read a project. */
export const PROJECT_COLUMNS = columnsWithout('projects', 'lexemes');

export function projectRow(project: Project): Insertable<ProjectRow> {
  return {
    id: project.id,
    name: project.name,
    description: project.description,
    system_prompt: project.systemPrompt,
    defaults: JSON.stringify(project.defaults),
    archived: project.archived,
    pinned: project.pinned ?? false,
    folder: project.folder ?? null,
    lexemes: nameLexemesText(project.id, [project.name, project.description]),
    created_at: project.createdAt,
  };
}

export function projectOf(row: Omit<Selectable<ProjectRow>, 'position' | 'lexemes'>): Project {
  return {
    id: projectId(row.id),
    name: row.name,
    description: row.description,
    systemPrompt: row.system_prompt,
    defaults: JSON.parse(row.defaults) as Project['defaults'],
    archived: row.archived,
    ...pinnedAndFolder(row.pinned, row.folder),
    createdAt: row.created_at,
  };
}
