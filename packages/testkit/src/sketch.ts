import type { ContentBlock, NodeId, TreeNode } from '@bough/core';
import { branchId, createNode, nodeId, projectId, turnId } from '@bough/core';

export const SKETCH_PROJECT = projectId('project');

/**
 * A tree from a sketch, one node a line:
 *
 *     u1 user: What is 2 + 3?
 *     a1 assistant claude/opus: [think! I should add] Let me see. [call c1 calculator {"a":2}]
 *     t1 tool c1: 5
 *     a2 assistant claude/opus !interrupted: It is
 *     b1 < u1 assistant gpt/five: Five.
 *
 * The parent is the line above, unless `< id` names another. `provider/model` says who made a reply. Flags: `!error`,
 * `!interrupted`, `!include` (thinking in context), `!nobranch`; `turn=t1` and `branch=b1` name the turn and the
 * branch. Blocks: `[think …]`, `[think! …]` (signed), `[redacted]`, `[signature]`, `[call id tool {json}]`, `[custom
 * type]`; everything else is text.
 */
export function sketch(text: string): readonly TreeNode[] {
  const nodes: TreeNode[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    nodes.push(parseLine(line.trim(), nodes));
  }
  return nodes;
}

const LINE = /^(?<id>\w+)(?: < (?<parent>\w+))? (?<role>system|user|assistant|tool)(?<rest>[^:]*):(?<content>.*)$/;
const BLOCK = /\[(?<kind>think!?|redacted|signature|call|custom)(?: (?<body>(?:[^[\]{}]|\{[^}]*\})*))?\]/g;

function parseLine(line: string, before: readonly TreeNode[]): TreeNode {
  const groups = LINE.exec(line)?.groups;
  if (groups === undefined) throw new Error(`This line is not a node of a sketch: ${line}`);
  const { id = '', parent, role = '', rest = '', content = '' } = groups;
  const words = rest.trim().split(/\s+/);
  const named = (key: string) => words.find((word) => word.startsWith(`${key}=`))?.slice(key.length + 1);
  const maker = words.find((word) => word.includes('/'))?.split('/');
  const turn = named('turn');
  const branch = named('branch');
  return createNode({
    id: nodeId(id),
    projectId: SKETCH_PROJECT,
    parentId: parent === undefined ? (before.at(-1)?.id ?? null) : existing(parent, before),
    role: role as TreeNode['role'],
    contentBlocks: blocksOf(id, content.trim()),
    toolCallId: role === 'tool' ? (words[0] ?? null) : null,
    provider: maker?.[0] ?? null,
    modelUsed: maker?.[1] ?? null,
    turnId: turn === undefined ? null : turnId(turn),
    createdOnBranch: branch === undefined ? null : branchId(branch),
    isError: words.includes('!error'),
    interrupted: words.includes('!interrupted'),
    includeThinkingInContext: words.includes('!include'),
    createdAt: new Date(before.length * 1000).toISOString(),
  });
}

function existing(id: string, before: readonly TreeNode[]): NodeId {
  const node = before.find((candidate) => candidate.id === id);
  if (node === undefined) throw new Error(`The sketch has no node "${id}" above this line.`);
  return node.id;
}

function blocksOf(id: string, content: string): readonly ContentBlock[] {
  const blocks: ContentBlock[] = [];
  let end = 0;
  const text = (from: number, to: number) => {
    const part = content.slice(from, to).trim();
    if (part !== '') blocks.push({ type: 'text', text: part });
  };
  for (const match of content.matchAll(BLOCK)) {
    text(end, match.index);
    blocks.push(blockOf(id, match.groups?.['kind'] ?? '', match.groups?.['body'] ?? ''));
    end = match.index + match[0].length;
  }
  text(end, content.length);
  return blocks.length > 0 ? blocks : [{ type: 'text', text: '' }];
}

function blockOf(node: string, kind: string, body: string): ContentBlock {
  switch (kind) {
    case 'think':
      return { type: 'thinking', thinking: body };
    case 'think!':
      return { type: 'thinking', thinking: body, signature: `signature of ${node}: ${body}` };
    case 'redacted':
      return { type: 'redacted_thinking', data: `redacted in ${node}` };
    case 'signature':
      return { type: 'thinking_signature', signature: `signature in ${node}` };
    case 'call': {
      const [callId = '', tool = '', json = '{}'] = body.split(/ (?=[\w{])/);
      return { type: 'tool-use', id: callId, name: tool, parameters: JSON.parse(json) as Record<string, unknown> };
    }
    default:
      return { type: body === '' ? 'custom' : body, payload: { kept: true } };
  }
}
