import type { EnvelopeRequest, Project, ProjectId } from '@bough/core';
import { replyLimits, resolveBranchConfig } from '@bough/core';
import type { ProjectPatch } from '@bough/store';
import { checkModel } from '../branches/model.ts';
import { checkTools } from '../branches/tools.ts';
import type { Environment } from '../environment.ts';
import { given } from '../given.ts';
import { defaultLock } from '../library/defaults.ts';

/** What a person can change about a project. What is not named stays. */
export type ProjectChange = {
  readonly [Key in 'name' | 'description' | 'systemPrompt' | 'archived' | 'pinned' | 'folder']?:
    | ProjectPatch[Key]
    | undefined;
} & {
  /** What a branch that begins with nothing is made with. Null as a limit: as many tokens as the model allows. */
  readonly defaults?:
    | (Omit<EnvelopeRequest, 'maxTokens'> & { readonly maxTokens?: number | null | undefined })
    | undefined;
};

export async function changeProject(env: Environment, projectId: ProjectId, change: ProjectChange): Promise<Project> {
  const { name, description, systemPrompt, archived, pinned, folder } = change;
  const defaults = change.defaults === undefined ? undefined : await defaultsWith(env, projectId, change.defaults);
  const patch = given({ name, description, systemPrompt, archived, pinned, folder, defaults });
  const project = await env.store.updateProject(projectId, patch);
  await env.store.publish({ type: 'changed', projectId });
  return project;
}

/** The same rules as for a branch: another provider brings its own model, and what does not exist is refused. */
async function defaultsWith(
  env: Environment,
  projectId: ProjectId,
  { maxTokens, ...requested }: NonNullable<ProjectChange['defaults']>,
): Promise<Project['defaults']> {
  const { defaults: before, systemPrompt } = await env.store.getProject(projectId);
  checkTools(env, requested.tools ?? []);
  const { maxTokens: limit, ...plain } = before;
  const source = { ...(await defaultLock(env)), tools: [], thinking: 'medium' as const, ...plain, systemPrompt };
  const { maxTokens: _, ...next } = resolveBranchConfig({
    source,
    requested,
    defaults: source,
    // A provider that is gone from the configuration must not keep the rest from being changed.
    defaultModelOf: (id) => (id === requested.provider ? env.providers.get(id).deployment.defaultModel : source.model),
  });
  if (next.provider !== source.provider || next.model !== source.model) await checkModel(env, next, null);
  return { ...next, ...replyLimits(maxTokens === undefined ? limit : maxTokens, next.failEarly) };
}
