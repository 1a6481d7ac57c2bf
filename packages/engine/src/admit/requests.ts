import type { ContentBlock, EnvelopeRequest, NodeId, ProjectId, ThinkingSetting, TreeNode } from '@bough/core';
import { BoughError, checkBranchLock, CONTINUE_MESSAGE, deriveTextFromBlocks, titleFrom, UNTITLED } from '@bough/core';
import { ConflictError } from '@bough/store';
import type { ReplyLimits } from '../assemble/index.ts';
import type { Fork } from '../branches/index.ts';
import { planFork, sourceOf } from '../branches/index.ts';
import type { Environment } from '../environment.ts';
import { given } from '../given.ts';
import type { TurnRunner } from '../turn/runner.ts';
import { toMessageBlocks } from './content.ts';
import { RequestError } from './errors.ts';
import type { Admission, StartedTurn } from './start.ts';
import { startTurn } from './start.ts';

interface TurnWishes extends ReplyLimits {
  readonly thinking?: ThinkingSetting | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly clientRequestId?: string | undefined;
  readonly overBudget?: boolean | undefined;
}

export interface ChatRequest extends TurnWishes {
  readonly message: string | readonly ContentBlock[];
  readonly ref: string;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly toolChoice?: 'auto' | 'none' | undefined;
}

/**
 * The next message of a branch. A provider or model other than the branch's own is refused, with what to do instead.
 */
export async function chat(
  env: Environment,
  runner: TurnRunner,
  projectId: ProjectId,
  request: ChatRequest,
): Promise<StartedTurn> {
  const branch = await env.store.getBranch(projectId, request.ref);
  // A provider that does not exist is refused as that: a new branch, which a lock suggests, would be refused too.
  if (request.provider !== undefined) env.providers.get(request.provider);
  const mismatch = checkBranchLock(branch, request);
  if (mismatch !== null) throw mismatch;
  const content = toMessageBlocks(request.message);
  const started = await startTurn(env, runner, {
    ...request,
    limits: limitsOf(request),
    projectId,
    branch,
    content,
    parentId: branch.tipId,
  });
  if (branch.tipId === null && !started.repeated) await nameProject(env, projectId, content);
  return started;
}

/** What a request asks of its turn alone. */
function limitsOf({ maxTokens, failEarly }: ReplyLimits): ReplyLimits {
  return given({ maxTokens, failEarly });
}

async function nameProject(env: Environment, projectId: ProjectId, content: readonly ContentBlock[]): Promise<void> {
  const project = await env.store.getProject(projectId);
  if (project.name === UNTITLED)
    await env.store.updateProject(projectId, { name: titleFrom(deriveTextFromBlocks(content)) });
}

export interface EditRequest extends TurnWishes, Pick<EnvelopeRequest, 'provider' | 'model' | 'systemPrompt'> {
  readonly nodeId: NodeId;
  readonly content: string | readonly ContentBlock[];
  readonly branchName?: string | undefined;
  readonly ref?: string | undefined;
}

/**
 * A different message at the same place in the conversation: a new branch from the node's parent. The original stays.
 */
export async function edit(
  env: Environment,
  runner: TurnRunner,
  projectId: ProjectId,
  request: EditRequest,
): Promise<StartedTurn> {
  const content = toMessageBlocks(request.content);
  const before = await startedBefore(env, projectId, request.clientRequestId);
  if (before !== null) return before;
  const node = await oneNode(env, projectId, request.nodeId);
  if (node.role !== 'user')
    throw new RequestError(
      'invalid_content',
      'Only a user message can be edited into a new turn; branch from a reply instead.',
    );
  const source =
    request.ref === undefined
      ? await sourceOf(env, projectId, node.id, await env.store.listBranches(projectId))
      : await env.store.getBranch(projectId, request.ref);
  const { provider, model, systemPrompt, tools, thinking } = request;
  const fork = {
    source,
    point: node.parentId,
    requested: { provider, model, systemPrompt, tools, thinking },
    name: request.branchName,
    about: deriveTextFromBlocks(content),
  };
  const { parentId } = node;
  return startOnFork(env, runner, fork, {
    projectId,
    content,
    parentId,
    limits: limitsOf(request),
    clientRequestId: request.clientRequestId,
    overBudget: request.overBudget,
  });
}

export interface RegenerateRequest extends TurnWishes, Pick<EnvelopeRequest, 'provider' | 'model'> {
  readonly ref: string;
  readonly nodeId?: NodeId | undefined;
  readonly n?: number | undefined;
}

export interface Regenerated {
  readonly started: readonly StartedTurn[];
  /** What kept the rest from starting, and how many that are; null if all of them started. */
  readonly refused: { readonly count: number; readonly error: unknown } | null;
}

/**
 * Makes a reply again: the new one is a sibling. At the end of a branch, with the branch's own model, the branch moves
 * to it; otherwise, and for every further sibling, it gets a branch of its own, so that what follows the old reply
 * stays in reach. Each one begins by itself. If the first is refused, so is the request; if a later one is, those that
 * run are told together with the reason: a caller who only hears of the failure would never find them.
 */
export async function regenerate(
  env: Environment,
  runner: TurnRunner,
  projectId: ProjectId,
  request: RegenerateRequest,
): Promise<Regenerated> {
  const branch = await env.store.getBranch(projectId, request.ref);
  const target = request.nodeId ?? branch.tipId;
  if (target === null) throw new RequestError('nothing_to_regenerate', 'The branch is empty.');
  const user = userAbove(await env.store.path(projectId, target));
  const behind = branch.tipId === null ? [] : await env.store.path(projectId, branch.tipId);
  const isNewest = behind.findLast((node) => node.role === 'user')?.id === user.id;
  const stays = isNewest && checkBranchLock(branch, request) === null;
  const count = request.n ?? 1;
  const started: StartedTurn[] = [];
  for (let index = 0; index < count; index += 1) {
    const clientRequestId = request.clientRequestId === undefined ? undefined : `${request.clientRequestId}#${index}`;
    const before = await startedBefore(env, projectId, clientRequestId);
    if (before !== null) {
      started.push(before);
      continue;
    }
    const { provider, model, thinking, tools } = request;
    const admission = {
      projectId,
      parentId: user.id,
      thinking,
      tools,
      limits: limitsOf(request),
      clientRequestId,
      overBudget: request.overBudget,
    };
    const fork = {
      source: branch,
      point: user.id,
      requested: { provider, model, thinking },
      about: `${branch.name} again`,
    };
    try {
      started.push(
        stays && index === 0
          ? await startTurn(env, runner, { ...admission, branch })
          : await startOnFork(env, runner, fork, admission),
      );
    } catch (error) {
      if (started.length === 0) throw error;
      if (!(error instanceof BoughError))
        env.observe({ type: 'problem', what: 'a sibling reply', message: String(error) });
      return { started, refused: { count: count - index, error } };
    }
  }
  return { started, refused: null };
}

/** How many names to try, should each be taken in the meantime. */
const NAMES = 5;

/** A turn on a branch that begins with it: if refused, neither is stored. */
export async function startOnFork(
  env: Environment,
  runner: TurnRunner,
  fork: Omit<Fork, 'branches'>,
  admission: Omit<Admission, 'branch'>,
): Promise<StartedTurn> {
  for (let tries = 1; ; tries += 1) {
    const branches = await env.store.listBranches(admission.projectId);
    const { branch, notices } = await planFork(env, admission.projectId, { ...fork, branches });
    try {
      return { ...(await startTurn(env, runner, { ...admission, branch, isNewBranch: true })), notices };
    } catch (error) {
      const isTaken = error instanceof ConflictError && error.code === 'name_taken';
      if (!isTaken || fork.name !== undefined || tries === NAMES) throw error;
    }
  }
}

function userAbove(path: readonly TreeNode[]): TreeNode {
  const user = path.findLast((node) => node.role === 'user');
  if (user === undefined) throw new RequestError('nothing_to_regenerate', 'No user message stands above this node.');
  return user;
}

export interface ContinueRequest extends ReplyLimits {
  readonly ref: string;
  readonly clientRequestId?: string | undefined;
  readonly overBudget?: boolean | undefined;
}

/** After an interruption: the partial reply stays, and a new message asks for the rest. */
export async function continueTurn(
  env: Environment,
  runner: TurnRunner,
  projectId: ProjectId,
  request: ContinueRequest,
): Promise<StartedTurn> {
  const before = await startedBefore(env, projectId, request.clientRequestId);
  if (before !== null) return before;
  const branch = await env.store.getBranch(projectId, request.ref);
  const tip = branch.tipId === null ? null : await oneNode(env, projectId, branch.tipId);
  if (tip === null || !(tip.interrupted || tip.isError || tip.role !== 'assistant')) {
    throw new RequestError('nothing_to_continue', 'The newest reply is complete. Send a message instead.');
  }
  const { clientRequestId, overBudget } = request;
  const admission = { projectId, branch, parentId: tip.id, limits: limitsOf(request), clientRequestId, overBudget };
  // Nothing came before the interruption: the message is simply answered.
  if (tip.role === 'user') return startTurn(env, runner, admission);
  return startTurn(env, runner, { ...admission, content: [{ type: 'text', text: CONTINUE_MESSAGE }] });
}

/** What a repeated request began, looked up before another branch is made for it. */
export async function startedBefore(
  env: Environment,
  projectId: ProjectId,
  clientRequestId: string | undefined,
): Promise<StartedTurn | null> {
  const turn = clientRequestId === undefined ? null : await env.store.turnOfRequest(projectId, clientRequestId);
  if (turn === null || turn.branchId === null) return null;
  return { turn, branch: await env.store.getBranch(projectId, turn.branchId), repeated: true };
}

async function oneNode(env: Environment, projectId: ProjectId, id: NodeId): Promise<TreeNode> {
  const [node] = await env.store.getNodes(projectId, [id]);
  if (node === undefined) throw new RequestError('nothing_to_regenerate', `There is no node "${id}".`);
  return node;
}
