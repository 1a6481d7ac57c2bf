import type { Branch, ContentBlock, Envelope, NodeId, Project, TreeNode, Turn, TurnId } from '@bough/core';
import {
  backfillTurns,
  branchId,
  createNode,
  excerpt,
  freeName,
  idFrom,
  isAttachedBlock,
  isTextBlock,
  nodeId,
  projectId,
  thinkingOf,
  turnId,
} from '@bough/core';
import type { ProjectRecord } from '@bough/store';
import type { ForeignConversation, ForeignMessage } from './conversation.ts';
import { MalformedError } from './fields.ts';

const NO_TIME = '1970-01-01T00:00:00.000Z';

/** A conversation as a project. A pure function: the same conversation always gives the same records, including ids. */
export function recordsOf(conversation: ForeignConversation, envelope: Envelope): readonly ProjectRecord[] {
  const { format, key, messages } = conversation;
  requireOnce(messages);
  const project = projectId(idFrom(format, key));
  const createdAt =
    conversation.createdAt ?? messages.find((message) => message.createdAt !== null)?.createdAt ?? NO_TIME;
  const systemPrompt = conversation.systemPrompt ?? null;
  const defaults: Envelope = { ...envelope, systemPrompt };
  const folder = excerpt(conversation.folder ?? '', 200).trim();
  const value: Project = {
    id: project,
    name: conversation.title.trim() === '' ? 'Imported conversation' : excerpt(conversation.title, 200),
    description: null,
    systemPrompt,
    defaults,
    archived: conversation.archived ?? false,
    ...(conversation.pinned === true ? { pinned: true as const } : {}),
    ...(folder === '' ? {} : { folder }),
    createdAt,
  };
  const nodes = messages.map((message) => nodeOf(conversation, message, createdAt));
  const { turns, placed } = withTurns(conversation, nodes, createdAt);
  return [
    { type: 'project', value },
    ...turns.map((turn): ProjectRecord => ({ type: 'turn', value: turn })),
    ...placed.map((node): ProjectRecord => ({ type: 'node', value: node })),
    ...branchesOf(conversation, value, defaults).map((branch): ProjectRecord => ({ type: 'branch', value: branch })),
  ];
}

/** A store would refuse two nodes with one id, but only after other conversations had been stored. */
function requireOnce(messages: readonly ForeignMessage[]): void {
  const seen = new Set<string>();
  for (const { key } of messages) {
    if (seen.has(key)) throw new MalformedError(`The id "${key}" stands twice in one conversation.`);
    seen.add(key);
  }
}

export function nodeIdOf({ format, key }: ForeignConversation, message: ForeignMessage): NodeId {
  return nodeId(idFrom(format, key, 'node', message.key));
}

function nodeOf(conversation: ForeignConversation, message: ForeignMessage, fallbackTime: string): TreeNode {
  const { format, key } = conversation;
  const isKept = (block: ContentBlock): boolean =>
    isTextBlock(block) || (message.role === 'user' && isAttachedBlock(block));
  const blocks = message.role === 'assistant' ? message.blocks : message.blocks.filter(isKept);
  const contentBlocks: readonly ContentBlock[] = blocks.length > 0 ? blocks : [{ type: 'text', text: '' }];
  return createNode({
    id: nodeIdOf(conversation, message),
    projectId: projectId(idFrom(format, key)),
    parentId: message.parentKey === null ? null : nodeId(idFrom(format, key, 'node', message.parentKey)),
    turnId: message.turnKey === undefined ? null : turnId(idFrom(format, key, 'turn', message.turnKey)),
    // Not the branch: a reply without a maker would be attributed to the branch's own model.
    createdOnBranch: null,
    role: message.role,
    contentBlocks,
    toolCallId: message.toolCallId ?? null,
    provider: message.provider ?? null,
    modelUsed: message.model ?? null,
    thinking: message.role === 'assistant' ? thinkingOf(contentBlocks, 'full', false) : null,
    isError: message.isError ?? false,
    interrupted: message.interrupted ?? false,
    createdAt: message.createdAt ?? fallbackTime,
  });
}

function withTurns(
  { format, key, turns: stored }: ForeignConversation,
  nodes: readonly TreeNode[],
  createdAt: string,
): { readonly turns: readonly Turn[]; readonly placed: readonly TreeNode[] } {
  const failed = new Set(
    nodes.flatMap(({ role, isError, turnId: of }) => (role === 'assistant' && isError ? [of] : [])),
  );
  const known = [...(stored ?? [])].map(([turnKey, turn]): Turn => ({
    id: turnId(idFrom(format, key, 'turn', turnKey)),
    projectId: projectId(idFrom(format, key)),
    branchId: null,
    isThinkingMode: turn.isThinkingMode,
    status: failed.has(turnId(idFrom(format, key, 'turn', turnKey))) ? 'error' : 'complete',
    createdAt: turn.createdAt ?? createdAt,
  }));
  const used = new Set(nodes.map((node) => node.turnId));
  const { turns, assignments } = backfillTurns(projectId(idFrom(format, key)), nodes, (user): TurnId =>
    turnId(idFrom(format, key, 'turn of', user.id)),
  );
  return {
    turns: [...known.filter(({ id }) => used.has(id)), ...turns],
    placed: nodes.map((node) => {
      const assigned = assignments.get(node.id);
      return assigned === undefined ? node : { ...node, turnId: assigned };
    }),
  };
}

/**
 * The branch that the source shows is `main`; every other leaf gets one too. A branch takes its name and its id from
 * the message where it diverges: both stay the same while the conversation grows.
 */
function branchesOf(
  { format, key, messages, tipKey }: ForeignConversation,
  project: Project,
  envelope: Envelope,
): Branch[] {
  const byKey = new Map(messages.map((message) => [message.key, message]));
  const parents = new Set(messages.map((message) => message.parentKey));
  const leaves = messages.filter((message) => !parents.has(message.key)).map((message) => message.key);
  const shown = tipKey != null && byKey.has(tipKey) ? tipKey : (messages.at(-1)?.key ?? null);
  const covered = new Set<string>();
  const names = new Set<string>();
  return [shown, ...leaves.filter((leaf) => leaf !== shown)].map((tip, index): Branch => {
    const own: ForeignMessage[] = [];
    for (let at = tip === null ? undefined : byKey.get(tip); at && !covered.has(at.key);) {
      own.unshift(at);
      at = at.parentKey === null ? undefined : byKey.get(at.parentKey);
    }
    for (const message of own) covered.add(message.key);
    const first = own[0];
    const isMain = index === 0;
    const name = isMain ? 'main' : freeName(titleOf(first), names);
    names.add(name);
    const forkPoint = isMain ? null : (first?.parentKey ?? null);
    return {
      id: branchId(idFrom(format, key, 'branch', isMain ? 'main' : (first?.key ?? ''))),
      projectId: project.id,
      name,
      tipId: tip === null ? null : nodeId(idFrom(format, key, 'node', tip)),
      forkedFromId: forkPoint === null ? null : nodeId(idFrom(format, key, 'node', forkPoint)),
      envelope,
      replayBy: 'issuer',
      keepToolsAfterBreak: false,
      pinned: false,
      hidden: false,
      color: null,
      createdAt: project.createdAt,
    };
  });
}

function titleOf(message: ForeignMessage | undefined): string {
  const text = message?.blocks.find(isTextBlock)?.text ?? '';
  return excerpt(text, 40) || 'fork';
}
