import type { Branch, ContentBlock, Envelope, NodeId, ProjectId, ThinkingSetting, TreeNode, Turn } from '@bough/core';
import { createNode, requireWithinCap, stableDeepEqual } from '@bough/core';
import type { ReplyLimits } from '../assemble/index.ts';
import type { Environment } from '../environment.ts';
import type { TurnRunner } from '../turn/runner.ts';
import { withChoice } from '../branches/change.ts';
import type { ModelNotice } from '../branches/model.ts';
import { toolChangeNode } from '../branches/tool-change.ts';
import { checkTools } from '../branches/tools.ts';
import { requireBudget } from './budget.ts';
import { RequestError } from './errors.ts';
import { thinks } from './thinks.ts';

export interface Admission {
  readonly projectId: ProjectId;
  readonly branch: Branch;
  /** The branch is not stored yet: it begins with the turn. */
  readonly isNewBranch?: boolean;
  /** The user's message; absent where a reply to an existing one is made again. */
  readonly content?: readonly ContentBlock[];
  /** The parent of the reply (or of the user's message). */
  readonly parentId: NodeId | null;
  readonly thinking?: ThinkingSetting | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly toolChoice?: 'auto' | 'none' | undefined;
  /** For this turn alone; the branch keeps its own. */
  readonly limits?: ReplyLimits | undefined;
  readonly clientRequestId?: string | undefined;
  /** Also where a budget is used up. */
  readonly overBudget?: boolean | undefined;
}

export interface StartedTurn {
  readonly turn: Turn;
  readonly branch: Branch;
  /** The same request came before: nothing was started; this is the turn that it started then. */
  readonly repeated: boolean;
  /** What is not known about the model of a branch that was made for the turn. */
  readonly notices?: readonly ModelNotice[];
}

/** Stores the turn and the user's message; only then is a provider called. Whatever follows, the message is there. */
export async function startTurn(env: Environment, runner: TurnRunner, admission: Admission): Promise<StartedTurn> {
  const { projectId, parentId } = admission;
  await requireBudget(env, admission);
  const branch = await withWishes(env, admission);
  requireReady(env, branch);
  requireReachable(env, branch.envelope, admission.limits);
  await env.providers.get(branch.envelope.provider).findModel(branch.envelope.model, 'calling');
  const createdAt = env.now().toISOString();
  const turn: Turn = {
    id: env.ids.turn(),
    projectId,
    branchId: branch.id,
    isThinkingMode: thinks(env, branch.envelope),
    status: 'running',
    createdAt,
  };
  const change = await toolChangeFor(env, admission, branch);
  const under = change === null ? admission : { ...admission, parentId: change.id };
  const user = admission.content === undefined ? null : userNode(env, under, turn, createdAt);
  const tip = user?.id ?? parentId;
  if (tip === null) throw new RequestError('nothing_to_regenerate', 'There is no message to answer yet.');
  const { turn: admitted, repeated } = await env.store.beginTurn({
    turn,
    owner: env.owner,
    leaseMs: runner.leaseMs,
    ...(admission.clientRequestId === undefined ? {} : { clientRequestId: admission.clientRequestId }),
    nodes: [change, user].filter((node) => node !== null),
    tip: { branchId: branch.id, expected: branch.tipId, next: tip },
    ...(admission.isNewBranch === true ? { newBranch: branch } : {}),
  });
  // It may have begun on another branch: two requests at the same time each planned one of their own.
  if (repeated) return { turn: admitted, branch: await branchOfTurn(env, admitted, branch), repeated };
  const nodeIds = user === null ? [] : [user.id];
  runner.run({
    turn: admitted,
    branch,
    toolChoice: admission.toolChoice ?? 'auto',
    limits: admission.limits,
    tip,
    nodeIds,
  });
  return { turn: admitted, branch, repeated };
}

/** Other tools than the branch had are told to the model before the message, if it takes that. */
async function toolChangeFor(
  env: Environment,
  { projectId, parentId, content, branch: before, isNewBranch }: Admission,
  { envelope }: Branch,
): Promise<TreeNode | null> {
  if (content === undefined || parentId === null || isNewBranch === true) return null;
  if (envelope.tools === before.envelope.tools || parentId !== before.tipId) return null;
  return toolChangeNode(env, before, envelope, await env.store.path(projectId, parentId), parentId);
}

async function branchOfTurn(env: Environment, { projectId, branchId }: Turn, planned: Branch): Promise<Branch> {
  return branchId === null || branchId === planned.id ? planned : env.store.getBranch(projectId, branchId);
}

/**
 * Thinking and tools may change between turns. They change on the branch: the next turn, or one resumed by another
 * server, must use the same envelope, or the prefix would differ.
 */
async function withWishes(env: Environment, admission: Admission): Promise<Branch> {
  const { projectId, branch, tools } = admission;
  if (tools !== undefined) checkTools(env, tools);
  const envelope = withChoice(branch.envelope, admission);
  if (admission.isNewBranch === true) return { ...branch, envelope };
  if (stableDeepEqual(envelope, branch.envelope)) return branch;
  return env.store.updateBranch(projectId, branch.id, { envelope });
}

export function requireReady(env: Environment, branch: Branch): void {
  const { keyProblem } = env.providers.get(branch.envelope.provider);
  if (keyProblem !== null) throw new RequestError(keyProblem.code, keyProblem.message);
}

/** What no input could make possible is refused before anything is stored. */
function requireReachable(env: Environment, envelope: Envelope, limits: ReplyLimits = {}): void {
  const { maxTokens = envelope.maxTokens, failEarly = envelope.failEarly } = limits;
  if (failEarly === true) requireWithinCap(maxTokens, env.providers.get(envelope.provider).modelInfo(envelope.model));
}

function userNode(
  env: Environment,
  { projectId, branch, parentId, content = [] }: Admission,
  turn: Turn,
  createdAt: string,
): TreeNode {
  return createNode({
    id: env.ids.node(),
    projectId,
    parentId,
    role: 'user',
    contentBlocks: content,
    turnId: turn.id,
    createdOnBranch: branch.id,
    createdAt,
  });
}
