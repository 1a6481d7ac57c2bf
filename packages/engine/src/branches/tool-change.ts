import type { Branch, Envelope, NodeId, ToolDefinition, TreeNode } from '@bough/core';
import { createNode, stableDeepEqual, toolsAtStart } from '@bough/core';
import { takesToolChanges } from '@bough/providers';
import type { Environment } from '../environment.ts';

/**
 * The node that tells a model that its tools change from here on. Null where they do not, where nothing was said yet,
 * and where the model does not take such changes: then its requests have the new tools from their beginning.
 */
export function toolChangeNode(
  env: Environment,
  { id, projectId, envelope }: Pick<Branch, 'id' | 'projectId' | 'envelope'>,
  after: Envelope,
  path: readonly TreeNode[],
  parentId: NodeId | null,
): TreeNode | null {
  if (stableDeepEqual(envelope.tools, after.tools) || !path.some(({ role }) => role === 'user')) return null;
  const { deployment, modelInfo } = env.providers.get(after.provider);
  if (!takesToolChanges(deployment, modelInfo(after.model))) return null;
  const change = {
    type: 'tool-change',
    before: env.tools.definitions(envelope.tools),
    after: env.tools.definitions(after.tools),
  };
  const node = createNode({
    id: env.ids.node(),
    projectId,
    parentId,
    createdOnBranch: id,
    role: 'system',
    contentBlocks: [change],
    createdAt: env.now().toISOString(),
  });
  return leadsBack([...path, node], change.after) ? node : null;
}

function leadsBack(path: readonly TreeNode[], tools: readonly ToolDefinition[]): boolean {
  return toolsAtStart(path, tools) !== null;
}
