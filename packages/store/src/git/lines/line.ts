import type { ContentBlock, MadeWith, NodeId, NodeThinking, ProjectId, Role, TreeNode } from '@bough/core';
import { branchId, isPlainObject, isTextBlock, nodeId, turnId } from '@bough/core';
import { reparented } from '../../reparented.ts';

// A node as one line of `nodes.jsonl`. The outer fields are ResearchTree's, so that its readers and people find what
// they know; what only Bough knows is in `bough`, whose presence tells the two kinds of line apart.

/** A line with the node that it holds. `order` is its place in the order of storage. */
export interface NodeLine {
  readonly node: TreeNode;
  readonly order: number;
}

/** `branchName` is for people: the line also holds the id. */
export function writeLine({ node, order }: NodeLine, branchName: string | null): string {
  const timestamp = Date.parse(node.createdAt);
  const exactTime = !Number.isNaN(timestamp) && new Date(timestamp).toISOString() === node.createdAt;
  return JSON.stringify({
    id: node.id,
    type: 'message',
    timestamp: Number.isNaN(timestamp) ? 0 : timestamp,
    parent: node.parentId,
    ...given({ createdOnBranch: branchName ?? node.createdOnBranch }),
    role: node.role,
    content: node.content,
    ...(isPlainText(node) ? {} : { contentBlocks: node.contentBlocks }),
    ...given({ modelUsed: node.modelUsed }),
    ...flag('interrupted', node.interrupted),
    bough: {
      order,
      ...given({
        turn: node.turnId,
        branch: node.createdOnBranch,
        provider: node.provider,
        toolCall: node.toolCallId,
        toolMs: node.toolMs ?? null,
        trail: node.trail ?? null,
        thinking: node.thinking,
        madeWith: node.madeWith,
      }),
      ...flag('isError', node.isError),
      ...flag('includeThinking', node.includeThinkingInContext),
      matchKey: node.matchKey,
      ...given({ createdAt: exactTime ? null : node.createdAt }),
    },
  });
}

/** The node of a parsed line that Bough wrote; null for a line of another kind. */
export function readLine(project: ProjectId, line: Readonly<Record<string, unknown>>): NodeLine | null {
  const own = line['bough'];
  if (!isPlainObject(own) || typeof own['order'] !== 'number') return null;
  const content = text(line['content']) ?? '';
  const branch = text(own['branch']);
  const turn = text(own['turn']);
  const parent = text(line['parent']);
  return {
    order: own['order'],
    node: {
      id: nodeId(text(line['id']) ?? ''),
      projectId: project,
      parentId: parent === null ? null : nodeId(parent),
      turnId: turn === null ? null : turnId(turn),
      createdOnBranch: branch === null ? null : branchId(branch),
      role: line['role'] as Role,
      contentBlocks: (line['contentBlocks'] as readonly ContentBlock[] | undefined) ?? [
        { type: 'text', text: content },
      ],
      content,
      provider: text(own['provider']),
      modelUsed: text(line['modelUsed']),
      toolCallId: text(own['toolCall']),
      ...(typeof own['toolMs'] === 'number' ? { toolMs: own['toolMs'] } : {}),
      ...(typeof own['trail'] === 'string' ? { trail: own['trail'] } : {}),
      thinking: (own['thinking'] as NodeThinking | undefined) ?? null,
      madeWith: (own['madeWith'] as MadeWith | undefined) ?? null,
      isError: own['isError'] === true,
      interrupted: line['interrupted'] === true,
      includeThinkingInContext: own['includeThinking'] === true,
      matchKey: text(own['matchKey']) ?? '',
      createdAt: text(own['createdAt']) ?? new Date(Number(line['timestamp'])).toISOString(),
    },
  };
}

/** The line of a node that got another parent. Everything that does not name the parent stays. */
export function withParent(
  project: ProjectId,
  line: Readonly<Record<string, unknown>>,
  parentId: NodeId | null,
): string {
  const own = readLine(project, line);
  if (own === null || !isPlainObject(line['bough'])) return JSON.stringify({ ...line, parent: parentId });
  const { matchKey } = reparented(own.node, parentId);
  return JSON.stringify({ ...line, parent: parentId, bough: { ...line['bough'], matchKey } });
}

/** The same, with the match key that the node had below that parent: not every stored one can be derived. */
export function backUnder(
  line: Readonly<Record<string, unknown>>,
  { from, matchKey }: { readonly from: NodeId; readonly matchKey: string },
): string {
  const own = line['bough'];
  return JSON.stringify({ ...line, parent: from, ...(isPlainObject(own) && { bough: { ...own, matchKey } }) });
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Only fields that have a value: people read these lines too. */
function given(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

function flag(name: string, value: boolean): Record<string, true> {
  return value ? { [name]: true } : {};
}

/** A text that the blocks repeat word for word is written only once. */
function isPlainText({ contentBlocks, content }: TreeNode): boolean {
  const [only, ...others] = contentBlocks;
  if (only === undefined || others.length > 0 || !isTextBlock(only) || only.text !== content) return false;
  // Another key, or another order of keys, would be lost.
  return Object.keys(only).join() === 'type,text';
}
