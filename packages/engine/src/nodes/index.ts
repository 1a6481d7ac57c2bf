import type { Appended, ContentBlock, Message, NodeId, ProjectId, Role, TreeNode, TurnId } from '@bough/core';
import {
  BoughError,
  createNode,
  isReasoningBlock,
  messageOf,
  planAppend,
  projectId as toProjectId,
  UnknownIdError,
} from '@bough/core';
import { RequestError } from '../admit/errors.ts';
import { givenBlocks, toMessageBlocks } from '../admit/content.ts';
import { requireIdle } from '../branches/change.ts';
import type { Environment } from '../environment.ts';
import { previewContext } from '../preview/index.ts';
import { newTicket } from '../trash/index.ts';

export interface AppendedMessage {
  readonly role: Role;
  readonly content: string | readonly ContentBlock[];
  readonly toolCallId?: string | undefined;
}

export interface AppendedNodes extends Appended {
  /** The nodes of the sequence in order, found or new. */
  readonly nodes: readonly TreeNode[];
}

/**
 * Adds a message sequence below a node without calling a model; the id of a project stands for its root. Existing
 * messages are found, not doubled; empty ones get no node.
 */
export async function appendMessages(
  env: Environment,
  below: NodeId,
  messages: readonly AppendedMessage[],
  ref?: string,
): Promise<AppendedNodes> {
  const { projectId, parentId } = await placeOf(env, below);
  const branch = ref === undefined ? null : await env.store.getBranch(projectId, ref);
  if (branch !== null) await requireIdle(env, branch);
  const appended = await planAppend(
    parentId,
    messages.map(toMessage),
    { projectId, newId: env.ids.node, now: () => env.now().toISOString(), createdOnBranch: branch?.id ?? null },
    (parent, matchKey) => env.store.findChild(projectId, parent, matchKey),
  );
  const tip = branch === null ? undefined : { branchId: branch.id, expected: parentId, next: appended.tip };
  if (appended.created.length > 0 || tip !== undefined) await env.store.appendNodes(projectId, appended.created, tip);
  await env.store.publish({ type: 'changed', projectId });
  const used = appended.nodeIds.filter((id) => id !== null);
  const found = await env.store.getNodes(projectId, used.slice(0, used.length - appended.created.length));
  return { ...appended, nodes: [...found, ...appended.created] };
}

async function placeOf(
  env: Environment,
  id: NodeId,
): Promise<{ readonly projectId: ProjectId; readonly parentId: NodeId | null }> {
  try {
    return { projectId: (await env.store.findNode(id)).projectId, parentId: id };
  } catch (error) {
    if (!(error instanceof UnknownIdError)) throw error;
    const project = await env.store.getProject(toProjectId(id)).catch((none: unknown) => {
      // What was asked for is a node: that is what does not exist.
      throw none instanceof UnknownIdError ? error : none;
    });
    return { projectId: project.id, parentId: null };
  }
}

function toMessage({ role, content, toolCallId }: AppendedMessage): Message {
  return messageOf(role, givenBlocks(content), toolCallId);
}

/** Different content for a node: always a new sibling. The node, what follows it and every tip stay where they are. */
export async function editContent(
  env: Environment,
  id: NodeId,
  content: string | readonly ContentBlock[],
): Promise<TreeNode> {
  const original = await env.store.findNode(id);
  const node = createNode({
    id: env.ids.node(),
    projectId: original.projectId,
    parentId: original.parentId,
    role: original.role,
    contentBlocks: toMessageBlocks(content),
    toolCallId: original.toolCallId,
    createdOnBranch: original.createdOnBranch,
    createdAt: env.now().toISOString(),
  });
  await env.store.appendNodes(original.projectId, [node]);
  await env.store.publish({ type: 'changed', projectId: original.projectId });
  return node;
}

const WARNING =
  'Its reasoning will be sent to the model as plain text with a label. The model may imitate it, it costs tokens, and reasoning that is bound to the conversation before it is lost from here on.';
const ELSEWHERE = 'This concerns only branches whose model does not get this reasoning back as it was made.';

/**
 * Whether a node's reasoning is sent as text where it does not go back by itself. Off by default; switching it on comes
 * with a sentence about what that does, on the branch `ref` if one is named.
 */
export async function setIncludeThinking(
  env: Environment,
  projectId: ProjectId,
  id: NodeId,
  include: boolean,
  ref?: string,
): Promise<{ readonly node: TreeNode; readonly warning: string | null }> {
  const [found] = await env.store.getNodes(projectId, [id]);
  // Refused before anything is stored.
  if (ref !== undefined) await env.store.getBranch(projectId, ref);
  if (include && found !== undefined && !found.contentBlocks.some(isReasoningBlock)) {
    throw new RequestError('invalid_content', 'This message has no reasoning that could be included.');
  }
  const node = await env.store.setIncludeThinking(projectId, id, include);
  await env.store.publish({ type: 'changed', projectId });
  if (!include) return { node, warning: null };
  return { node, warning: ref === undefined ? `${WARNING} ${ELSEWHERE}` : await effectOn(env, projectId, id, ref) };
}

/** What including a node's reasoning does on a branch, read off the request that its next message would send. */
async function effectOn(env: Environment, projectId: ProjectId, id: NodeId, ref: string): Promise<string> {
  const preview = await previewContext(env, projectId, { ref }).catch((error: unknown) => {
    // There is no such request, for example because it would be too long: what it would do is said in general.
    if (error instanceof BoughError) return null;
    throw error;
  });
  if (preview === null) return `${WARNING} ${ELSEWHERE}`;
  const { branch, report } = preview;
  const line = report.find(({ nodeId }) => nodeId === id);
  const { name, envelope } = branch;
  const nothing = `Nothing changes on the branch "${name}"`;
  if (line === undefined) return `${nothing}: it does not lead to this message. ${ELSEWHERE}`;
  switch (line.reasoning) {
    case 'goes_back':
      return `${nothing}: ${envelope.model} gets this reasoning back as it was made. ${ELSEWHERE}`;
    case 'incomplete':
      return `${nothing}: this reply goes back to ${envelope.model} as it was made, without the parts of its reasoning that broke off. ${ELSEWHERE}`;
    case undefined:
      return `${nothing}: this message is not part of what is sent. ${ELSEWHERE}`;
    default:
      return WARNING;
  }
}

/** What was removed, and what it is filed under in the trash. */
export interface Deleted {
  readonly removed: readonly NodeId[];
  readonly trashId: string;
}

/** Removes a node with everything below it, or hands its children to its parent. */
export async function deleteNode(
  env: Environment,
  projectId: ProjectId,
  id: NodeId,
  mode: 'cascade' | 'reparent',
): Promise<Deleted> {
  const ticket = newTicket(env);
  const { removed } = await env.store.deleteNode(projectId, id, mode, ticket);
  await env.store.publish({ type: 'changed', projectId });
  return { removed, trashId: ticket.id };
}

/** Removes a turn with all of its nodes, and everything below it or nothing else. */
export async function deleteTurn(
  env: Environment,
  projectId: ProjectId,
  id: TurnId,
  mode: 'cascade' | 'reparent',
): Promise<Deleted> {
  const ticket = newTicket(env);
  const { removed } = await env.store.deleteTurn(projectId, id, mode, ticket);
  await env.store.publish({ type: 'changed', projectId });
  return { removed, trashId: ticket.id };
}
