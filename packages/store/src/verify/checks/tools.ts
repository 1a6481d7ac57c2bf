import type { Finding } from '../finding.ts';
import type { IndexedNode, ProjectIndex } from '../project-index.ts';
import { childrenOf } from '../project-index.ts';

/** Every result answers a call above it, once, and every call of a finished turn has its result on every path. */
export function checkTools(index: ProjectIndex): readonly Finding[] {
  return [...index.nodes.values()].flatMap((node) => {
    if (node.role === 'tool') return checkResult(index, node);
    return node.toolCalls.length > 0 ? checkCalls(index, node) : [];
  });
}

function checkResult(index: ProjectIndex, result: IndexedNode): readonly Finding[] {
  const about = {
    projectId: index.project.id,
    subject: `node ${result.id}`,
    severity: 'warning',
    repair: null,
  } as const;
  const seen = new Set([result.id]);
  for (let above = parentOf(index, result); above && above.role !== 'user' && !seen.has(above.id);) {
    if (above.role === 'tool' && above.toolCallId === result.toolCallId) {
      const message = `It answers the call ${result.toolCallId}, which ${above.id} has answered already.`;
      return [{ ...about, code: 'tool_result_twice', message }];
    }
    if (result.toolCallId !== null && above.toolCalls.includes(result.toolCallId)) return [];
    seen.add(above.id);
    above = parentOf(index, above);
  }
  const message = `It answers the call ${result.toolCallId ?? '(none)'}, which no reply above it made. It is left out of requests.`;
  return [{ ...about, code: 'tool_result_without_call', message }];
}

function checkCalls(index: ProjectIndex, reply: IndexedNode): readonly Finding[] {
  const status = reply.turnId === null ? 'complete' : index.turns.get(reply.turnId)?.status;
  const missing = new Set<string>();
  // Along every path: results follow the reply one by one; whatever comes after the last one ends the list.
  const open: { readonly node: IndexedNode; readonly left: readonly string[] }[] = [
    { node: reply, left: reply.toolCalls },
  ];
  const seen = new Set([reply.id]);
  for (let at = open.pop(); at; at = open.pop()) {
    const { node, left } = at;
    const children = childrenOf(index, node.id);
    // A turn that broke off may end before its results, and one of a client may go on when it has them.
    if (children.length === 0 && status === 'complete' && !reply.isRecorded) for (const id of left) missing.add(id);
    for (const child of children) {
      if (seen.has(child.id)) continue;
      seen.add(child.id);
      if (child.role === 'tool') open.push({ node: child, left: left.filter((id) => id !== child.toolCallId) });
      else for (const id of left) missing.add(id);
    }
  }
  if (missing.size === 0) return [];
  return [
    {
      code: 'tool_call_without_result',
      severity: 'warning',
      projectId: index.project.id,
      subject: `node ${reply.id}`,
      message: `Its call ${[...missing].join(', ')} has no result on some path. Requests get an error result in its place.`,
      repair: null,
    },
  ];
}

const parentOf = ({ nodes }: ProjectIndex, { parentId }: IndexedNode): IndexedNode | undefined =>
  parentId === null ? undefined : nodes.get(parentId);
