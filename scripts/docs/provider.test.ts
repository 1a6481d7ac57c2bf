import { createNode, nodeId, projectId, ReplyFold } from '@bough/core';
import type { Deployment } from '@bough/providers';
import { createProvider, prepareCall } from '@bough/providers';
import { startSimulator } from '@bough/simulator';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { documentFences } from './documents.ts';
import { fileOf } from './fences.ts';
import { ROOT } from './run-document.ts';

it('the file of docs/add-a-provider.md is a deployment that answers', async () => {
  const fence = documentFences('docs/add-a-provider.md').find(({ language }) => language === 'ts');
  const place = fence === undefined ? null : fileOf(fence);
  if (fence === undefined || place === null) throw new Error('The document shows no deployment.');
  // Loaded from elsewhere, so that the repository is not changed: its relative imports are written in full.
  const folder = join(ROOT, dirname(place));
  const source = fence.body.replaceAll(/from '(\.[^']+)'/g, (_, path: string) => `from '${join(folder, path)}'`);
  const directory = await mkdtemp(join(tmpdir(), 'bough-provider-'));
  const simulator = await startSimulator();
  try {
    const file = join(directory, 'lab.ts');
    await writeFile(file, source);
    const { lab } = (await import(file)) as { readonly lab: Deployment };
    const provider = createProvider({ ...lab, baseUrl: `${simulator.url}/v1` }, { key: null });
    const question = createNode({
      id: nodeId('question'),
      projectId: projectId('project'),
      parentId: null,
      role: 'user',
      contentBlocks: [{ type: 'text', text: 'Hello' }],
      createdAt: '2026-01-01T00:00:00.000Z',
    });
    const target = { provider, model: lab.defaultModel, systemPrompt: null, tools: [], thinking: 'medium' } as const;
    const { request } = prepareCall([question], target, { rawOf: () => undefined });
    const fold = new ReplyFold();
    for await (const { events } of provider.send(request, { signal: AbortSignal.timeout(60_000) }).batches)
      for (const event of events) fold.push(event);
    const { blocks, error } = fold.result();
    expect(error).toBeNull();
    expect(blocks.map(({ type }) => type)).toEqual(['thinking', 'text']);
  } finally {
    await simulator.close();
    await rm(directory, { recursive: true, force: true });
  }
});
