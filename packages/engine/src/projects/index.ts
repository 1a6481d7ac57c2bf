import type { Project, ProjectId } from '@bough/core';
import type { ProjectPatch } from '@bough/store';
import type { Environment } from '../environment.ts';
import { given } from '../given.ts';

/** What a person can change about a project. What is not named stays. */
export type ProjectChange = {
  readonly [Key in 'name' | 'description' | 'systemPrompt' | 'archived']?: ProjectPatch[Key] | undefined;
};

export async function changeProject(env: Environment, projectId: ProjectId, change: ProjectChange): Promise<Project> {
  const { name, description, systemPrompt, archived } = change;
  const project = await env.store.updateProject(projectId, given({ name, description, systemPrompt, archived }));
  await env.store.publish({ type: 'changed', projectId });
  return project;
}
