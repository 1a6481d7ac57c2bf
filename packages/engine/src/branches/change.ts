import type { Branch, Envelope, NodeId, ProjectId, ThinkingSetting } from '@bough/core';
import { ConflictError } from '@bough/store';
import type { Environment } from '../environment.ts';
import { given } from '../given.ts';
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
  /** Where the branch continues from. */
  readonly tipId?: NodeId | undefined;
}

/** Changes what is named, and nothing else. The envelope of a running turn stays until the turn has ended. */
export async function changeBranch(
  env: Environment,
  projectId: ProjectId,
  ref: string,
  change: BranchChange,
): Promise<Branch> {
  const { tipId, thinking, tools, name, pinned, hidden, color, replayBy, keepToolsAfterBreak } = change;
  const branch = await env.store.getBranch(projectId, ref);
  if (tipId !== undefined || thinking !== undefined || tools !== undefined) await requireIdle(env, branch);
  if (tools !== undefined) checkTools(env, tools);
  const moves = tipId !== undefined && tipId !== branch.tipId;
  if (moves) await env.store.getNodes(projectId, [tipId]);
  const envelope = withChoice(branch.envelope, change);
  // A name may be refused, so the tip moves only after it.
  const patch = given({ name, pinned, hidden, color, replayBy, keepToolsAfterBreak, envelope });
  const changed = await env.store.updateBranch(projectId, branch.id, patch);
  if (moves) await env.store.moveTip(projectId, branch.id, { expected: branch.tipId, next: tipId });
  await env.store.publish({ type: 'changed', projectId });
  return moves ? { ...changed, tipId } : changed;
}

export async function deleteBranch(env: Environment, projectId: ProjectId, ref: string): Promise<void> {
  const branch = await env.store.getBranch(projectId, ref);
  await env.store.deleteBranch(projectId, branch.id);
  await env.store.publish({ type: 'changed', projectId });
}

export function withChoice(envelope: Envelope, { thinking, tools }: EnvelopeChoice): Envelope {
  return { ...envelope, thinking: thinking ?? envelope.thinking, tools: tools ?? envelope.tools };
}

/** Moving a tip during a running turn would take the place of its reply: that turn could not be stored. */
export async function requireIdle(env: Environment, { id, projectId }: Branch): Promise<void> {
  const open = (await env.store.openTurns(projectId)).find(({ branchId }) => branchId === id);
  if (open === undefined) return;
  throw new ConflictError('turn_running', 'A turn runs on this branch. Wait for it, or stop it first.', open.id);
}
