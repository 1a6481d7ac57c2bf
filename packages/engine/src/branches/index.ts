import type { Branch, Envelope, EnvelopeRequest, NodeId, Project, ProjectId, TreeNode } from '@bough/core';
import { freeName, resolveBranchConfig, titleFrom, UNTITLED } from '@bough/core';
import type { Environment } from '../environment.ts';
import { given } from '../given.ts';
import { defaultLock } from '../library/defaults.ts';
import type { Preset } from '../library/presets.ts';
import { chosenPreset, presetRefused } from '../library/presets.ts';
import type { InstructedRequest, PlannedInstructions } from './instructions.ts';
import { instructionNode, planInstructions } from './instructions.ts';
import type { ModelNotice } from './model.ts';
import { checkModel } from './model.ts';
import { withProviderTools } from './provider-tools.ts';
import { toolChangeNode } from './tool-change.ts';
import { checkTools } from './tools.ts';

export interface NewProject extends EnvelopeRequest, PresetChoice {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

interface PresetChoice {
  /** By id or name. What is asked for besides it counts more. Null: none, not even the default one. */
  readonly preset?: string | null | undefined;
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
  const { name, description, preset: wanted, ...requested } = input;
  const createdAt = env.now().toISOString();
  const preset = await chosenPreset(env, wanted, requested);
  const resolved = resolve(env, null, requested, { ...(await defaultEnvelope(env)), ...preset?.envelope });
  const known = await checkModelOf(env, resolved, null, preset);
  const { envelope, notices: leftOut } = withProviderTools(env, resolved, requested);
  const notices = [...known, ...leftOut];
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

export interface NewBranch extends InstructedRequest, PresetChoice {
  readonly name?: string | undefined;
  /** Begins with nothing, and with the defaults of the project, instead of continuing something. */
  readonly empty?: boolean | undefined;
  readonly fromRef?: string | undefined;
  readonly fromNodeId?: NodeId | undefined;
}

/** A branch from the tip of another, or from any node; everything not specified is inherited. */
export async function createBranch(env: Environment, projectId: ProjectId, input: NewBranch): Promise<MadeBranch> {
  const { name, fromRef, fromNodeId, preset: presetName, empty = false, ...asked } = input;
  const branches = await env.store.listBranches(projectId);
  const source =
    fromRef === undefined
      ? empty
        ? null
        : await sourceOf(env, projectId, fromNodeId, branches)
      : await env.store.getBranch(projectId, fromRef);
  // A branch inherits: only a preset that somebody asked for changes that.
  const preset = presetName == null ? null : await chosenPreset(env, presetName, asked);
  const wanted = withPreset(asked, preset);
  const point = fromNodeId ?? source?.tipId ?? null;
  if (fromNodeId !== undefined) await env.store.getNodes(projectId, [fromNodeId]);
  const path = source === null || point === null ? [] : await env.store.path(projectId, point);
  const { requested, appended } = instructionsFor(env, source, path, wanted);
  const made = await planFork(env, projectId, { source, point, requested, name, branches, preset });
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

/** What a preset asks for, under what was asked for by itself. Another provider's model names mean nothing here. */
export function withPreset(asked: InstructedRequest, preset: Preset | null): InstructedRequest {
  if (preset === null) return asked;
  const { model, ...others } = preset.envelope;
  const isOwn = asked.provider === undefined || asked.provider === others.provider;
  return { ...others, ...(isOwn ? { model } : {}), ...given(asked) };
}

/** A preset's model that is gone is refused as that: choosing another one helps, and correcting a name does not. */
async function checkModelOf(
  env: Environment,
  envelope: Envelope,
  source: Envelope | null,
  preset: Preset | null | undefined,
): Promise<readonly ModelNotice[]> {
  try {
    return await checkModel(env, envelope, source);
  } catch (error) {
    throw preset == null ? error : presetRefused(preset, envelope, error);
  }
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
  /** Lists of branches do not show it. */
  readonly hidden?: boolean;
  readonly branches: readonly Branch[];
  /** Where the request comes from, for a refusal. */
  readonly preset?: Preset | null;
}

/** The branch that a fork makes. Nothing is stored yet. */
export async function planFork(env: Environment, projectId: ProjectId, fork: Fork): Promise<MadeBranch> {
  const { source, point, requested, branches } = fork;
  const project = await env.store.getProject(projectId);
  const { defaults: own, systemPrompt } = project;
  const defaults = { ...(await defaultEnvelope(env)), ...own, systemPrompt };
  const resolved = resolve(env, source?.envelope ?? null, requested, defaults);
  const known = await checkModelOf(env, resolved, source?.envelope ?? null, fork.preset);
  const { envelope, notices: leftOut } = withProviderTools(env, resolved, requested);
  const notices = [...known, ...leftOut];
  const taken = new Set(branches.map(({ name }) => name));
  const branch = newBranch(env, projectId, {
    name: fork.name ?? freeName(fork.about === undefined ? nameWithout(source) : titleFrom(fork.about), taken),
    tipId: point,
    forkedFromId: point,
    envelope,
    replayBy: source?.replayBy ?? 'issuer',
    keepToolsAfterBreak: source?.keepToolsAfterBreak ?? false,
  });
  return { branch: fork.hidden === true ? { ...branch, hidden: true } : branch, notices };
}

function nameWithout(source: Branch | null): string {
  return source === null ? FIRST_BRANCH : `${source.name} fork`;
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

async function defaultEnvelope(env: Environment): Promise<Envelope> {
  return { ...(await defaultLock(env)), systemPrompt: null, tools: [], thinking: 'medium' };
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
