import { rebuildBody } from '@bough/gateway';
import { openFilesStore } from '@bough/store';
import { join } from 'node:path';

const CONVERSATION = /\/v1\/messages(?:\?|$)|\/responses(?:\?|$)|:(?:streamG|g)enerateContent/;

export const conversationsIn = (seen) => seen.filter(({ method, url }) => method === 'POST' && CONVERSATION.test(url));

/** What the tree holds of a client, over the HTTP API. */
export async function treeOf({ api }, seenAs) {
  const { projects } = await api('/projects');
  const found = [];
  for (const { id } of projects) {
    const { project, branches } = await api(`/projects/${id}`);
    if (!branches.some(({ recorded }) => recorded?.client.startsWith(seenAs))) continue;
    const { nodes } = await api(`/projects/${id}/graph`);
    const calls = new Map();
    for (const branch of branches) {
      const { groups } = await api(`/projects/${id}/history?ref=${branch.id}`);
      for (const call of groups.flatMap((group) => group.calls)) calls.set(call.id, call);
    }
    found.push({ id, name: project.name, branches, nodes, calls: [...calls.values()] });
  }
  return found;
}

/** The bodies that the store can rebuild, after the server has stopped: { came, sent } of every recorded call. */
export async function rebuilt(data) {
  const store = await openFilesStore({ directory: join(data, 'files') });
  try {
    const bodies = [];
    for (const { id: project } of await store.listProjects()) {
      const { nodes } = await store.graph(project);
      for (const turn of new Set(nodes.flatMap(({ turnId }) => (turnId === null ? [] : [turnId])))) {
        for (const call of await store.callsOfTurn(project, turn)) {
          if (call.exchange === undefined) continue;
          const [came, sent] = [
            await rebuildBody(store, project, call, 'came'),
            await rebuildBody(store, project, call, 'sent'),
          ];
          bodies.push({ client: call.exchange.client, came, sent, repairs: call.exchange.repairs ?? [] });
        }
      }
    }
    return bodies;
  } finally {
    await store.close();
  }
}
