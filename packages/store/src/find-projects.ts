import type { Project } from '@bough/core';
import type { ProjectPage, ProjectQuery } from './store.ts';

/** One page of projects; `stored` is in the order of storage. */
export function pageOfProjects(stored: readonly Project[], query: ProjectQuery): ProjectPage {
  const { archived, offset, limit } = query;
  const found = stored
    .filter((project) => (archived === undefined || project.archived === archived) && isNamed(project.name, query))
    .reverse();
  return { projects: found.slice(offset, offset + limit), total: found.length };
}

export function isNamed(name: string, query: Pick<ProjectQuery, 'name'>): boolean {
  return query.name === undefined || name.toLowerCase().includes(query.name.toLowerCase());
}
