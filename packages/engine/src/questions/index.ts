import type { Annotation, Branch, NodeId, ProjectId, ThinkingSetting, TreeNode, Turn } from '@bough/core';
import { BoughError, questionMessage, QUESTION_BRANCH, questionProblem, questionText, titleFrom } from '@bough/core';
import { ConflictError } from '@bough/store';
import { startedBefore, startOnFork } from '../admit/requests.ts';
import type { StartedTurn } from '../admit/start.ts';
import { deleteBranch } from '../branches/change.ts';
import { sourceOf } from '../branches/index.ts';
import type { Environment } from '../environment.ts';
import type { TurnRunner } from '../turn/runner.ts';
import { hasEnded } from '../watch/index.ts';
import type { AskedQuestion } from './list.ts';
import { branchQuestions, listQuestions } from './list.ts';

export type { AskedQuestion } from './list.ts';

export interface AskAbout {
  /** The reply whose words are asked about. */
  readonly nodeId: NodeId;
  readonly quote: string;
  readonly question: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly offset?: number | undefined;
  /** The branch whose envelope is inherited; if absent, the one that the reply was made on. */
  readonly ref?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly thinking?: ThinkingSetting | undefined;
  readonly clientRequestId?: string | undefined;
  readonly overBudget?: boolean | undefined;
}

/**
 * Asks about some words of a reply, on a branch of its own that lists do not show. The branch that the reply is on
 * stays as it is. What ties the question to the words is stored after the turn has begun: were the program stopped in
 * between, the message itself still tells what was asked (`list.ts`), and repeating the request stores the rest.
 */
export async function askAbout(
  env: Environment,
  runner: TurnRunner,
  projectId: ProjectId,
  request: AskAbout,
): Promise<Pick<StartedTurn, 'turn' | 'notices'> & { readonly asked: AskedQuestion }> {
  const { quote, question, before = '', after = '', offset = null, clientRequestId } = request;
  const words = { quote, before, after, offset };
  const problem = questionProblem({ ...words, question });
  if (problem !== null) throw new BoughError('invalid_question', problem);
  const [node] = await env.store.getNodes(projectId, [request.nodeId]);
  if (node?.role !== 'assistant')
    throw new BoughError('not_a_reply', 'Questions are about the words of a reply; this message is none.');
  const started =
    (await startedBefore(env, projectId, clientRequestId)) ?? (await start(env, runner, projectId, node, request));
  const message = (await env.store.nodesOfTurn(projectId, started.turn.id)).find(({ role }) => role === 'user');
  if (message === undefined)
    throw new BoughError('invalid_question', 'Another request had this clientRequestId, and it asked nothing.');
  const kept: Annotation = {
    projectId,
    nodeId: node.id,
    kind: 'question',
    name: started.branch.id,
    text: questionText({ ...words, question, messageId: message.id }),
    changedAt: message.createdAt,
  };
  await env.store.annotate(projectId, { put: [kept], remove: [] });
  await env.store.publish({ type: 'changed', projectId });
  const asked = await questionOn(env, projectId, started.branch);
  return { turn: started.turn, asked, ...(started.notices !== undefined && { notices: started.notices }) };
}

async function start(
  env: Environment,
  runner: TurnRunner,
  projectId: ProjectId,
  node: TreeNode,
  request: AskAbout,
): Promise<StartedTurn> {
  const { quote, question, provider, model, thinking, clientRequestId, overBudget } = request;
  const point = await endOfReply(env, node);
  const source =
    request.ref === undefined
      ? await sourceOf(env, projectId, node.id, await env.store.listBranches(projectId))
      : await env.store.getBranch(projectId, request.ref);
  const fork = {
    source,
    point,
    requested: { provider, model, thinking },
    about: `${QUESTION_BRANCH}${titleFrom(question)}`,
    hidden: true,
  };
  const content = [{ type: 'text', text: questionMessage(quote, question) }] as const;
  return startOnFork(env, runner, fork, { projectId, content, parentId: point, clientRequestId, overBudget });
}

/** A reply with tools has several messages; asked after its last one, no call is left without its result. */
async function endOfReply(env: Environment, node: TreeNode): Promise<NodeId> {
  const { id, projectId, turnId } = node;
  if (turnId === null) return id;
  const turn: Turn = await env.store.getTurn(projectId, turnId);
  if (!hasEnded(turn))
    throw new ConflictError('turn_running', 'The reply is still being made. Wait for it, or stop it first.', turnId);
  const nodes = new Map((await env.store.nodesOfTurn(projectId, turnId)).map((each) => [each.id, each]));
  const last = [...nodes.keys()].at(-1) ?? id;
  for (let at = nodes.get(last); at !== undefined; at = at.parentId === null ? undefined : nodes.get(at.parentId))
    if (at.id === id) return last;
  return id;
}

async function questionOn(env: Environment, projectId: ProjectId, { id }: Branch): Promise<AskedQuestion> {
  const found = (await listQuestions(env.store, projectId)).find(({ branch }) => branch.id === id);
  if (found === undefined) throw new BoughError('no_question', 'No question is asked on this branch.');
  return found;
}

/** The branch goes to the trash, and with it the question; restored, it is where it was. */
export async function deleteQuestion(env: Environment, projectId: ProjectId, ref: string): Promise<string> {
  const branch = await env.store.getBranch(projectId, ref);
  const asked = await branchQuestions(env.store, projectId);
  if (!asked.has(branch.id))
    throw new BoughError('no_question', `"${branch.name}" is an ordinary branch: no question is asked on it.`);
  return deleteBranch(env, projectId, branch.id);
}
