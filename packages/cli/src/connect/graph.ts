import type { Client, GraphView } from '@bough/api';

/** Every node of a project, read in parts. */
export async function wholeGraph(client: Client, project: string): Promise<GraphView> {
  const limit = 10_000;
  let part = await client.graph(project, { limit });
  const nodes = [...part.nodes];
  while (nodes.length < part.total) {
    const after = nodes.at(-1)?.id ?? '';
    part = await client.graph(project, { limit, after, count: nodes.length });
    // Something was deleted meanwhile, and everything comes again.
    if (part.skipped !== nodes.length) nodes.length = 0;
    nodes.push(...part.nodes);
  }
  return { ...part, skipped: 0, nodes };
}
