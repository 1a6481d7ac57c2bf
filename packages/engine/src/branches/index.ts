import type { Branch, Envelope, EnvelopeRequest, NodeId, Project, ProjectId, TreeNode } from '@bough/core';
import { freeName, resolveBranchConfig } from '@bough/core';
import { titleFrom, UNTITLED } from '../admit/titles.ts';
import type { Environment } from '../environment.ts';
import type { InstructedRequest, PlannedInstructions } from './instructions.ts';
import { instructionNode, planInstructions } from './instructions.ts';
import type { ModelNotice } from './model.ts';
import { checkModel } from './model.ts';
import { toolChangeNode } from './tool-change.ts';
import { checkTools } from './tools.ts';

export interface NewProject extends EnvelopeRequest {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

export const FIRST_BRANCH = 'main';

/** A new branch, and what is not known about its model. */
export interface MadeBranch {
  readonly branch: Branch;
  readonly notices: readonly ModelNotice[];
}

export async function createProject(
  env: Environment,
  input: NewProject,
): Promise<MadeBranch & { readonly project: Project }> {
  const { name, description, ...requested } = input;
  const createdAt = env.now().toISOString();
  const envelope = resolve(env, null, requested, defaultEnvelope(env));
  const notices = await checkModel(env, envelope, null);
  const project: Project = {
    id: env.ids.project(),
    name: name ?? UNTITLED,
    description: description ?? null,
    systemPrompt: envelope.systemPrompt,
    defaults: envelope,
    archived: false,
    createdAt,
  };
  const branch = newBranch(env, project.id, {
    name: FIRST_BRANCH,
    tipId: null,
    forkedFromId: null,
    envelope,
    replayBy: 'issuer',
    keepToolsAfterBreak: false,
  });
  await env.store.createProject(project);
  await env.store.createBranch(branch);
  return { project, branch, notices };
}

export interface NewBranch extends InstructedRequest {
  readonly name?: string | undefined;
  readonly fromRef?: string | undefined;
  readonly fromNodeId?: NodeId | undefined;
}

/** A branch from the tip of another, or from any node; everything not specified is inherited. */
export async function createBranch(env: Environment, projectId: ProjectId, input: NewBranch): Promise<MadeBranch> {
  const { name, fromRef, fromNodeId, ...wanted } = input;
  const branches = await env.store.listBranches(projectId);
  const source =
    fromRef === undefined
      ? await sourceOf(env, projectId, fromNodeId, branches)
      : await env.store.getBranch(projectId, fromRef);
  const point = fromNodeId ?? source?.tipId ?? null;
  if (fromNodeId !== undefined) await env.store.getNodes(projectId, [fromNodeId]);
  const path = source === null || point === null ? [] : await env.store.path(projectId, point);
  const { requested, appended } = instructionsFor(env, source, path, wanted);
  const made = await planFork(env, projectId, { source, point, requested, name, branches });
  const instructions = appended === null ? [] : [instructionNode(env, made.branch, point, appended)];
  const change =
    source === null || wanted.instructionsFrom === 'beginning'
      ? null
      : toolChangeNode(
          env,
          { ...made.branch, envelope: source.envelope },
          made.branch.envelope,
          path,
          instructions.at(-1)?.id ?? point,
        );
  const branch = await createTold(env, made.branch, change === null ? instructions : [...instructions, change]);
  await env.store.publish({ type: 'changed', projectId });
  return { ...made, branch };
}

function instructionsFor(
  env: Environment,
  source: Branch | null,
  path: readonly TreeNode[],
  wanted: InstructedRequest,
): PlannedInstructions {
  const { instructionsFrom: _, ...requested } = wanted;
  if (source === null) return { requested, appended: null };
  const envelope = resolve(env, source.envelope, requested, source.envelope);
  return planInstructions(env, path, source.envelope, envelope, wanted);
}

/**
 * Creates a branch with what its model is told first. That is stored before the branch: a branch that lacks its
 * instructions would be worse than instructions without a branch.
 */
async function createTold(env: Environment, branch: Branch, told: readonly TreeNode[]): Promise<Branch> {
  const [first, last] = [told[0], told.at(-1)];
  if (first === undefined || last === undefined) {
    await env.store.createBranch(branch);
    return branch;
  }
  await env.store.appendNodes(branch.projectId, told);
  try {
    const instructed = { ...branch, tipId: last.id };
    await env.store.createBranch(instructed);
    return instructed;
  } catch (error) {
    await env.store.deleteNode(branch.projectId, first.id, 'cascade');
    throw error;
  }
}

export interface Fork {
  readonly source: Branch | null;
  readonly point: NodeId | null;
  readonly requested: EnvelopeRequest;
  /** Used as it is: a name that is taken is an error. */
  readonly name?: string | undefined;
  /** What a name is made from where none is given. */
  readonly about?: string;
  readonly branches: readonly Branch[];
}

/** The branch that a fork makes. Nothing is stored yet. */
export async function planFork(env: Environment, projectId: ProjectId, fork: Fork): Promise<MadeBranch> {
  const { source, point, requested, branches } = fork;
  const project = await env.store.getProject(projectId);
  const envelope = resolve(env, source?.envelope ?? null, requested, { ...defaultEnvelope(env), ...project.defaults });
  const notices = await checkModel(env, envelope, source?.envelope ?? null);
  const taken = new Set(branches.map(({ name }) => name));
  const branch = newBranch(env, projectId, {
    name:
      fork.name ??
      freeName(fork.about === undefined ? `${source?.name ?? FIRST_BRANCH} fork` : titleFrom(fork.about), taken),
    tipId: point,
    forkedFromId: point,
    envelope,
    replayBy: source?.replayBy ?? 'issuer',
    keepToolsAfterBreak: source?.keepToolsAfterBreak ?? false,
  });
  return { branch, notices };
}

/** The branch that a node was made on, if it still exists; otherwise the project's first. */
export async function sourceOf(
  env: Environment,
  projectId: ProjectId,
  node: NodeId | undefined,
  branches: readonly Branch[],
): Promise<Branch | null> {
  if (node === undefined) return branches.find((branch) => branch.name === FIRST_BRANCH) ?? branches[0] ?? null;
  const [found] = await env.store.getNodes(projectId, [node]);
  return branches.find((branch) => branch.id === found?.createdOnBranch) ?? branches[0] ?? null;
}

export function defaultEnvelope(env: Environment): Envelope {
  return { ...env.providers.defaults(), systemPrompt: null, tools: [], thinking: 'medium' };
}

function resolve(env: Environment, source: Envelope | null, requested: EnvelopeRequest, defaults: Envelope): Envelope {
  checkTools(env, requested.tools ?? []);
  return resolveBranchConfig({
    source,
    requested,
    defaults,
    defaultModelOf: (provider) => env.providers.get(provider).deployment.defaultModel,
  });
}

function newBranch(
  env: Environment,
  projectId: ProjectId,
  parts: Pick<Branch, 'name' | 'tipId' | 'forkedFromId' | 'envelope' | 'replayBy' | 'keepToolsAfterBreak'>,
): Branch {
  return {
    id: env.ids.branch(),
    projectId,
    pinned: false,
    hidden: false,
    color: null,
    createdAt: env.now().toISOString(),
    ...parts,
  };
}
