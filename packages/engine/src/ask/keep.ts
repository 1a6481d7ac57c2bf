import type { Branch, NodeId, ProjectId } from '@bough/core';
import type { Graph } from '@bough/store';
import { ConflictError } from '@bough/store';
import { RequestError } from '../admit/errors.ts';
import type { Environment } from '../environment.ts';
import { pathsOf } from '../trash/deletion.ts';
import { newTicket } from '../trash/index.ts';

export interface KeepChoice {
  /** The message that was asked. */
  readonly nodeId: NodeId;
  /**
   * The branches that are decided about, by name or id. They are named, not guessed: an edited message and the first
   * message of a project are on their branches just as a question is on the branch of its first answer.
   */
  readonly answers: readonly string[];
  /** Those among them that stay. */
  readonly keep: readonly string[];
}

export interface Kept {
  /** The names of the branches that are gone. */
  readonly deleted: readonly string[];
  /** What they are filed under in the trash, in the order in which they can be restored. */
  readonly trashIds: readonly string[];
}

/**
 * Keeps some of the branches that answer a message, or none, and puts the others into the trash together with their
 * replies. The message goes too if nothing else leads to it or answers it. A branch on which somebody went on is no
 * mere answer any more: it is refused. What another branch leads to stays.
 */
export async function keepAnswers(
  env: Environment,
  projectId: ProjectId,
  { nodeId, answers: named, keep }: KeepChoice,
): Promise<Kept> {
  const [asked] = await env.store.getNodes(projectId, [nodeId]);
  if (asked?.role !== 'user')
    throw new RequestError('invalid_content', 'Name the message that was asked: only its answers can be kept or not.');
  const graph = await env.store.graph(projectId);
  const answers = answersTo(graph, asked);
  const decided = new Set(named.map((ref) => branchIn(answers, ref)));
  const kept = new Set(keep.map((ref) => branchIn([...decided], ref)));
  const doomed = [...decided].filter((branch) => !kept.has(branch));
  await requireEnded(env, projectId, doomed);
  const { nodes, isQuestionToo } = removable(graph, asked.id, doomed);
  const removed = isQuestionToo ? [asked.id] : nodes;
  const ofNodes: string[] = [];
  const ofBranches: string[] = [];
  // Messages first: their entries know where each branch ended, and lead it back there.
  for (const id of removed) {
    const ticket = newTicket(env);
    await env.store.deleteNode(projectId, id, 'cascade', ticket);
    ofNodes.push(ticket.id);
  }
  for (const { id } of doomed) {
    const ticket = newTicket(env);
    await env.store.deleteBranch(projectId, id, ticket);
    ofBranches.push(ticket.id);
  }
  await env.store.publish({ type: 'changed', projectId });
  return { deleted: doomed.map(({ name }) => name), trashIds: [...ofBranches, ...ofNodes] };
}

interface AskedMessage {
  readonly id: NodeId;
  readonly parentId: NodeId | null;
  readonly createdOnBranch: Branch['id'] | null;
}

/** The branches that begin with the message, or behind it, and lead to no later message of the user. */
function answersTo({ nodes, branches }: Graph, asked: AskedMessage): readonly Branch[] {
  const onPath = pathsOf(nodes);
  const roles = new Map(nodes.map(({ id, role }) => [id, role]));
  return branches.filter((branch) => {
    const begins = branch.forkedFromId === asked.id;
    const brought = branch.id === asked.createdOnBranch && branch.forkedFromId === asked.parentId;
    // A path begins at its end: what comes first in it is the newest.
    return (begins || brought) && onPath(branch).find((id) => roles.get(id) === 'user') === asked.id;
  });
}

function branchIn(answers: readonly Branch[], ref: string): Branch {
  const found = answers.find(({ id }) => id === ref) ?? answers.find(({ name }) => name === ref);
  if (found !== undefined) return found;
  const names = answers.map(({ name }) => `"${name}"`).join(', ');
  const instead = names === '' ? 'There are none.' : `There are ${names}.`;
  throw new RequestError('invalid_content', `"${ref}" is no branch that only answers this message. ${instead}`);
}

async function requireEnded(env: Environment, projectId: ProjectId, doomed: readonly Branch[]): Promise<void> {
  const open = (await env.store.openTurns(projectId)).find((turn) => doomed.some(({ id }) => id === turn.branchId));
  if (open === undefined) return;
  const detail = 'An answer that would not be kept is still being made. Wait for it, or stop it first.';
  throw new ConflictError('turn_running', detail, open.id);
}

/** The replies that only these branches lead to, and whether nothing else leads to the question. */
function removable({ nodes, branches }: Graph, asked: NodeId, doomed: readonly Branch[]) {
  const onPath = pathsOf(nodes);
  const others = branches.filter((branch) => !doomed.some(({ id }) => id === branch.id));
  const reached = new Set(others.flatMap((branch) => onPath(branch)));
  const replies = nodes.filter(({ parentId }) => parentId === asked).map(({ id }) => id);
  const led = new Set(doomed.flatMap((branch) => onPath(branch)));
  const own = replies.filter((id) => led.has(id) && !reached.has(id));
  const isQuestionToo = doomed.length > 0 && own.length === replies.length && !reached.has(asked);
  return { nodes: own, isQuestionToo };
}
