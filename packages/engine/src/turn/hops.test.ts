import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deriveTextFromBlocks } from '@bough/core';
import { startSimulator } from '@bough/simulator';
import { openFilesStore } from '@bough/store';
import { expect, it } from 'vitest';
import { stageOn, watch } from './testing.ts';

it('EN-57: a reply that takes several requests becomes one turn, and the next message finds it whole', async () => {
  const simulator = await startSimulator({ seed: 'hops' });
  const directory = await mkdtemp(join(tmpdir(), 'bough-hops-'));
  const store = await openFilesStore({ directory });
  try {
    const { engine } = stageOn(store, simulator.url, {});
    const { project } = await engine.createProject({ provider: 'simulated_gemini' });
    const said = async (message: string): Promise<string> => {
      const { turn } = await engine.chat(project.id, { ref: 'main', message });
      const lines = await watch(engine, project.id, turn.id);
      const nodes = await store.nodesOfTurn(project.id, turn.id);
      const replies = nodes.filter(({ role }) => role === 'assistant');
      expect(lines.flatMap((line) => (line.type === 'text' ? [line.content] : [])).join('')).toBe(
        replies.map(({ contentBlocks }) => deriveTextFromBlocks(contentBlocks)).join(''),
      );
      return replies.map(({ contentBlocks }) => deriveTextFromBlocks(contentBlocks)).join('');
    };
    expect(await said('/sim hops 3 /sim say One, two, three and four.')).toBe('One, two, three and four.');
    expect(await said('/sim say Five.')).toBe('Five.');
    const kinds = simulator.log().map(({ kind }) => kind);
    expect(kinds).toEqual(['accepted', 'accepted', 'accepted', 'accepted']);
  } finally {
    await store.close();
    await simulator.close();
    await rm(directory, { recursive: true });
  }
});
