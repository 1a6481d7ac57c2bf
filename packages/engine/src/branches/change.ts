import type { Branch, Compacting, Envelope, Lock, NodeId, ProjectId, ThinkingSetting, TreeNode } from '@bough/core';
import {
  BranchLockedError,
  compactingSetting,
  filesSetting,
  isLockUsed,
  replyLimits,
  resolveBranchConfig,
  providerToolsSetting,
  summariesSetting,
} from '@bough/core';
import { ConflictError, DEFAULT_ENVELOPE } from '@bough/store';
import { defaultLock } from '../library/defaults.ts';
import type { ChoiceChanges } from '../choices/index.ts';
import { checkChoices, chosen } from '../choices/index.ts';
import type { Environment } from '../environment.ts';
import { newTicket } from '../trash/index.ts';
import { given } from '../given.ts';
import { instructionNode, planInstructions } from './instructions.ts';
import type { ModelNotice } from './model.ts';
import { checkModel } from './model.ts';
import { toolChangeNode } from './tool-change.ts';
import { withProviderTools } from './provider-tools.ts';
import { checkTools } from './tools.ts';

/** What may differ from turn to turn on one branch. */
export interface EnvelopeChoice {
  readonly thinking?: ThinkingSetting | undefined;
  readonly tools?: readonly string[] | undefined;
}

export interface BranchChange extends EnvelopeChoice {
  readonly name?: string | undefined;
  readonly pinned?: boolean | undefined;
  readonly hidden?: boolean | undefined;
  readonly color?: string | null | undefined;
  readonly replayBy?: Branch['replayBy'] | undefined;
  readonly keepToolsAfterBreak?: boolean | undefined;
  /** How long replies may be; null: as long as the model allows. */
  readonly maxTokens?: number | null | undefined;
  readonly failEarly?: boolean | undefined;
  /** What becomes of files that the model does not take. */
  readonly filesOtherwise?: Envelope['filesOtherwise'] | undefined;
  /** What the provider runs itself for the model; an empty list switches all of it off. */
  readonly providerTools?: Envelope['providerTools'] | undefined;
  /** Tools that run without being asked about on this branch; this is also how a permission is withdrawn. */
  readonly allowedTools?: readonly string[] | undefined;
  /** Messages that are left out, pinned, or neither any more (null). */
  readonly choices?: ChoiceChanges | undefined;
  /** The summaries that still stand for earlier messages: this is how one is taken back. None can be added. */
  readonly summaries?: readonly NodeId[] | undefined;
  /** What happens as the window fills up. */
  readonly compacting?: Compacting | undefined;
  /** Another lock: only while nothing was made under the one that the branch has. */
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  /**
   * Other instructions: from here on, as a message of their own. Before the first message they are the system prompt.
   */
  readonly systemPrompt?: string | null | undefined;
  /** Where the branch continues from. */
  readonly tipId?: NodeId | undefined;
}

export interface ChangedBranch {
  readonly branch: Branch;
  /** What is not known about the model that it has now. */
  readonly notices: readonly ModelNotice[];
}

/** Changes what is named, and nothing else. The envelope of a running turn stays until the turn has ended. */
export async function changeBranch(
  env: Environment,
  projectId: ProjectId,
  ref: string,
  change: BranchChange,
): Promise<ChangedBranch> {
  const { tipId, thinking, tools, name, pinned, hidden, color, replayBy, keepToolsAfterBreak } = change;
  const branch = await env.store.getBranch(projectId, ref);
  const lock = lockAsked(env, branch, change);
  const limits = [
    change.maxTokens,
    change.failEarly,
    change.filesOtherwise,
    change.systemPrompt,
    change.providerTools,
    change.choices,
    change.summaries,
    change.compacting,
  ];
  if ([tipId, thinking, tools, ...limits].some((asked) => asked !== undefined) || lock !== null)
    await requireIdle(env, branch);
  if (lock !== null) await requireUnused(env, branch, lock);
  const known = lock === null ? [] : await checkModel(env, lock, branch.envelope);
  if (tools !== undefined) checkTools(env, tools);
  if (change.choices !== undefined) await checkChoices(env, projectId, change.choices);
  const moves = tipId !== undefined && tipId !== branch.tipId;
  if (moves) await env.store.getNodes(projectId, [tipId]);
  const { appended, systemPrompt } = await instructionsOf(env, branch, change);
  const settled = withAllowed(withLimits(withChoice(branch.envelope, change), change), change);
  const asked = withSummaries(chosen(settled, change.choices), change);
  const { envelope, notices: leftOut } =
    lock === null && change.providerTools === undefined && tools === undefined
      ? { envelope: { ...asked, systemPrompt }, notices: [] }
      : withProviderTools(env, { ...asked, ...lock, systemPrompt }, change);
  const notices = [...known, ...leftOut];
  // A name may be refused, so the tip moves only after it.
  const patch = given({ name, pinned, hidden, color, replayBy, keepToolsAfterBreak, envelope });
  const changed = await env.store.updateBranch(projectId, branch.id, patch);
  if (moves) await env.store.moveTip(projectId, branch.id, { expected: branch.tipId, next: tipId });
  const tip = moves ? tipId : branch.tipId;
  const added = await nodesFor(env, branch, envelope, tip, appended);
  const last = added.at(-1)?.id ?? tip;
  if (last !== null && last !== tip)
    await env.store.appendNodes(projectId, added, { branchId: branch.id, expected: tip, next: last });
  await env.store.publish({ type: 'changed', projectId });
  return { branch: { ...changed, tipId: last }, notices };
}

/** What the model is told of a change, after the tip. */
async function nodesFor(
  env: Environment,
  branch: Branch,
  envelope: Envelope,
  tip: NodeId | null,
  instructions: string | null,
): Promise<readonly TreeNode[]> {
  const told = instructions === null ? [] : [instructionNode(env, branch, tip, instructions)];
  if (tip === null || envelope.tools === branch.envelope.tools) return told;
  const path = await env.store.path(branch.projectId, tip);
  const change = toolChangeNode(env, branch, envelope, path, told.at(-1)?.id ?? tip);
  return change === null ? told : [...told, change];
}

/** The system prompt that the branch has from now on, and instructions to append to it. */
async function instructionsOf(
  env: Environment,
  { projectId, tipId, envelope }: Branch,
  change: BranchChange,
): Promise<{ readonly systemPrompt: string | null; readonly appended: string | null }> {
  const { systemPrompt } = change;
  if (systemPrompt === undefined) return { systemPrompt: envelope.systemPrompt, appended: null };
  const point = change.tipId ?? tipId;
  const path = point === null ? [] : await env.store.path(projectId, point);
  const wanted = { systemPrompt, instructionsFrom: 'here' } as const;
  const { requested, appended } = planInstructions(env, path, envelope, envelope, wanted);
  return {
    systemPrompt: requested.systemPrompt === undefined ? envelope.systemPrompt : requested.systemPrompt,
    appended,
  };
}

/** The provider and model that the change asks for; null where they are the branch's own. */
function lockAsked(env: Environment, { envelope }: Branch, { provider, model }: BranchChange): Lock | null {
  const resolved = resolveBranchConfig({
    source: envelope,
    requested: { provider, model },
    defaults: envelope,
    // A branch whose own provider is gone from the configuration can still be renamed.
    defaultModelOf: (id) => (id === provider ? env.providers.get(id).deployment.defaultModel : envelope.model),
  });
  if (resolved.provider === envelope.provider && resolved.model === envelope.model) return null;
  return { provider: resolved.provider, model: resolved.model };
}

async function requireUnused(env: Environment, branch: Branch, lock: Lock): Promise<void> {
  const { provider, model } = branch.envelope;
  const isGuess = [DEFAULT_ENVELOPE, await defaultLock(env)].some(
    (guess) => guess.provider === provider && guess.model === model,
  );
  const path = branch.tipId === null ? [] : await env.store.path(branch.projectId, branch.tipId);
  if (isLockUsed(branch.envelope, path, isGuess)) throw new BranchLockedError(branch.name, branch.envelope, lock);
}

/** Removes the pointer; it can be restored from the trash. */
export async function deleteBranch(env: Environment, projectId: ProjectId, ref: string): Promise<string> {
  const branch = await env.store.getBranch(projectId, ref);
  const ticket = newTicket(env);
  await env.store.deleteBranch(projectId, branch.id, ticket);
  await env.store.publish({ type: 'changed', projectId });
  return ticket.id;
}

export function withChoice(envelope: Envelope, { thinking, tools }: EnvelopeChoice): Envelope {
  return { ...envelope, thinking: thinking ?? envelope.thinking, tools: tools ?? envelope.tools };
}

function withAllowed(envelope: Envelope, { allowedTools }: BranchChange): Envelope {
  if (allowedTools === undefined) return envelope;
  const { allowedTools: _, ...others } = envelope;
  return allowedTools.length === 0 ? others : { ...others, allowedTools };
}

function withLimits(envelope: Envelope, change: BranchChange): Envelope {
  const { maxTokens: before, failEarly: early, filesOtherwise: files, providerTools: on, ...others } = envelope;
  const { maxTokens = before, failEarly = early, filesOtherwise = files, providerTools = on } = change;
  return {
    ...others,
    ...replyLimits(maxTokens, failEarly),
    ...filesSetting(filesOtherwise),
    ...providerToolsSetting(providerTools),
  };
}

/** A summary is made from what it stands for: one that is only named would stand for what it does not tell. */
function withSummaries(envelope: Envelope, change: BranchChange): Envelope {
  const { summaries: before = [], compacting: usual, ...others } = envelope;
  const { summaries = before, compacting = usual } = change;
  const kept = before.filter((id) => summaries.includes(id));
  return { ...others, ...summariesSetting(kept), ...compactingSetting(compacting) };
}

/** Moving a tip during a running turn would take the place of its reply: that turn could not be stored. */
export async function requireIdle(env: Environment, { id, projectId }: Branch): Promise<void> {
  const open = (await env.store.openTurns(projectId)).find(({ branchId }) => branchId === id);
  if (open === undefined) return;
  throw new ConflictError('turn_running', 'A turn runs on this branch. Wait for it, or stop it first.', open.id);
}
