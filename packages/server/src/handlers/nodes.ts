import { routes } from '@bough/api';
import type { NodeId, TreeNode } from '@bough/core';
import { nodeId } from '@bough/core';
import { checkFiles } from '../uploads/index.ts';
import { nodeView } from '../views/index.ts';
import type { App, Parts } from './parts.ts';

/** The tree-level routes: text or text blocks in, canonical blocks out. */
export function nodeHandlers(app: App, { engine, store }: Parts): void {
  const siblingsOf = (node: TreeNode): Promise<readonly TreeNode[]> => store.children(node.projectId, node.parentId);
  const ids = (nodes: readonly TreeNode[]): readonly NodeId[] => nodes.map((node) => node.id);

  app.openapi(routes.appendMessages, async (context) => {
    const { content, messages, ref } = context.req.valid('json');
    const appended = messages ?? [{ role: 'user' as const, content: content ?? '' }];
    for (const each of appended) await checkFiles(store.blobs, each.content);
    const { nodes, nodeIds, created, tip } = await engine.appendMessages(
      nodeId(context.req.valid('param').nodeId),
      appended,
      ref,
    );
    const inner = new Set(ids(created.slice(1)));
    const views = nodes.map(async (node) =>
      // A new node below a new one is alone there.
      inner.has(node.id) ? nodeView(node) : nodeView(node, ids(await siblingsOf(node))),
    );
    return context.json(
      { nodes: await Promise.all(views), nodeIds: [...nodeIds], created: [...ids(created)], tipId: tip },
      201,
    );
  });
  app.openapi(routes.editContent, async (context) => {
    const edited = nodeId(context.req.valid('param').nodeId);
    const { content } = context.req.valid('json');
    await checkFiles(store.blobs, content, async () => (await store.findNode(edited)).contentBlocks);
    const node = await engine.editContent(edited, content);
    return context.json({ node: nodeView(node, ids(await siblingsOf(node))) }, 201);
  });
  app.openapi(routes.getNode, async (context) => {
    const node = await store.findNode(nodeId(context.req.valid('param').nodeId));
    return context.json({ node: nodeView(node, ids(await siblingsOf(node))) }, 200);
  });
  app.openapi(routes.getPath, async (context) => {
    const node = await store.findNode(nodeId(context.req.valid('param').nodeId));
    const path = await store.path(node.projectId, node.id);
    return context.json({ nodes: path.map((each) => nodeView(each)) }, 200);
  });
  app.openapi(routes.getChildren, async (context) => {
    const node = await store.findNode(nodeId(context.req.valid('param').nodeId));
    const children = await store.children(node.projectId, node.id);
    return context.json({ nodes: children.map((child) => nodeView(child, ids(children))) }, 200);
  });
  app.openapi(routes.getSiblings, async (context) => {
    const node = await store.findNode(nodeId(context.req.valid('param').nodeId));
    const siblings = await siblingsOf(node);
    return context.json({ nodes: siblings.map((sibling) => nodeView(sibling, ids(siblings))) }, 200);
  });
}
