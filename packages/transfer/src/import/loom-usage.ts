import type { Call, NodeId, TreeNode, Usage } from '@bough/core';
import { callId, idFrom, isPlainObject } from '@bough/core';
import type { ForeignDocument, ProjectRecord } from '@bough/store';

/** The token counts in a document of Loom's nodes, by the ids that the nodes have there. */
export function usageIn({ name, value }: ForeignDocument): readonly (readonly [string, Usage])[] {
  if (!name.startsWith('loom/nodes/') || !Array.isArray(value)) return [];
  return (value as readonly unknown[]).flatMap((line) => {
    const id = at(line, 'id');
    const counts = at(at(at(at(line, 'file'), 'metadata'), 'source_info'), 'usage');
    const [input, output] = [at(counts, 'input_tokens'), at(counts, 'output_tokens')];
    const usage: Usage = {
      ...(typeof input === 'number' ? { inputTokens: input } : {}),
      ...(typeof output === 'number' ? { outputTokens: output } : {}),
    };
    return typeof id === 'string' && Object.keys(usage).length > 0 ? [[id, usage] as const] : [];
  });
}

const at = (value: unknown, name: string): unknown => (isPlainObject(value) ? value[name] : undefined);

/** Adds a call to each reply whose token counts are known. */
export async function* withUsage(
  records: AsyncIterable<ProjectRecord>,
  usage: Map<NodeId, Usage>,
  space: string,
): AsyncGenerator<ProjectRecord, void> {
  const calls: Call[] = [];
  for await (const record of records) {
    if (record.type === 'node') {
      const counts = usage.get(record.value.id);
      if (counts !== undefined) calls.push(...callOf(record.value, counts, space));
    }
    yield record;
  }
  for (const value of calls) yield { type: 'call', value, raw: null };
}

function callOf(node: TreeNode, usage: Usage, space: string): readonly Call[] {
  if (node.turnId === null) return [];
  const provider = node.provider ?? 'unknown';
  return [
    {
      id: callId(idFrom(space, 'call of', node.id)),
      projectId: node.projectId,
      turnId: node.turnId,
      nodeId: node.id,
      provider,
      deployment: provider,
      model: node.modelUsed ?? 'unknown',
      status: node.isError ? 'error' : 'complete',
      requestHash: '',
      providerRequestId: null,
      responseId: null,
      startedAt: node.createdAt,
      firstByteAt: null,
      endedAt: node.createdAt,
      usage,
      cost: null,
      errorCode: null,
    },
  ];
}
