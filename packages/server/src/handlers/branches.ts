import { routes } from '@bough/api';
import type { Branch } from '@bough/core';
import { nodeId, projectId } from '@bough/core';
import { ConflictError } from '@bough/store';
import { branchView } from '../views/index.ts';
import type { App, Parts } from './parts.ts';
import { runningTurns } from './parts.ts';

export function branchHandlers(app: App, { engine, store }: Parts): void {
  app.openapi(routes.listBranches, async (context) => {
    const id = projectId(context.req.valid('param').id);
    const [branches, running] = await Promise.all([store.listBranches(id), runningTurns(store, id)]);
    return context.json({ branches: branches.map((branch) => branchView(branch, running)) }, 200);
  });
  app.openapi(routes.createBranch, async (context) => {
    const { fromNodeId, ...input } = context.req.valid('json');
    const branch = await engine.createBranch(projectId(context.req.valid('param').id), {
      ...input,
      fromNodeId: fromNodeId === undefined ? undefined : nodeId(fromNodeId),
    });
    return context.json({ branch: branchView(branch, new Map()) }, 201);
  });
  app.openapi(routes.updateBranch, async (context) => {
    const { id: project, name: ref } = context.req.valid('param');
    const id = projectId(project);
    const { tipId, thinking, tools, ...patch } = context.req.valid('json');
    const [branch, running] = await Promise.all([store.getBranch(id, ref), runningTurns(store, id)]);
    const turn = running.get(branch.id);
    if (turn !== undefined && (tipId !== undefined || thinking !== undefined || tools !== undefined)) {
      throw new ConflictError('turn_running', 'A turn runs on this branch. Wait for it, or stop it first.', turn);
    }
    if (tipId !== undefined && tipId !== branch.tipId) {
      await store.getNodes(id, [nodeId(tipId)]);
      await store.moveTip(id, branch.id, { expected: branch.tipId, next: nodeId(tipId) });
    }
    const envelope: Branch['envelope'] = {
      ...branch.envelope,
      thinking: thinking ?? branch.envelope.thinking,
      tools: tools ?? branch.envelope.tools,
    };
    const updated = await store.updateBranch(id, branch.id, { ...defined(patch), envelope });
    await store.publish({ type: 'changed', projectId: id });
    return context.json({ branch: branchView(updated, running) }, 200);
  });
  app.openapi(routes.deleteBranch, async (context) => {
    const { id: project, name } = context.req.valid('param');
    const id = projectId(project);
    const branch = await store.getBranch(id, name);
    await store.deleteBranch(id, branch.id);
    await store.publish({ type: 'changed', projectId: id });
    return context.body(null, 204);
  });
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

function defined<T extends object>(value: T): Defined<T> {
  // Entries of `value` without those that are undefined: exactly the type.
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as Defined<T>;
}
