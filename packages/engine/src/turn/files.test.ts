import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContentBlock } from '@bough/core';
import { isImageBlock } from '@bough/core';
import { pngBytes } from '@bough/providers';
import { startSimulator } from '@bough/simulator';
import { openFilesStore } from '@bough/store';
import { expect, it } from 'vitest';
import { keepFilesIn } from '../tools/files/index.ts';
import { stageOn, tool, watch } from './testing.ts';

it.each(['simulated', 'simulated_responses', 'simulated_chat', 'simulated_gemini'])(
  'EN-142: %s: a picture of the user and one of a tool reach the provider, turn after turn, from the store',
  async (provider) => {
    const simulator = await startSimulator({ seed: 'files' });
    const directory = await mkdtemp(join(tmpdir(), 'bough-files-'));
    const store = await openFilesStore({ directory });
    try {
      const keep = keepFilesIn(store.blobs);
      const brought = { name: 'a.png', mediaType: '', bytes: pngBytes(80, 60) };
      const draw = tool('draw', async (_, { keepFile }) => {
        const file = await keepFile?.({ ...brought, bytes: pngBytes(40, 30) });
        return { text: '', files: file == null ? [] : [file] };
      });
      const { engine } = stageOn(store, simulator.url, { tools: [draw] });
      const { project } = await engine.createProject({ provider, model: 'sim-parallel', tools: ['draw'] });
      const picture = await keep(brought);
      if (picture === null) throw new Error('The picture was not kept.');
      const say = async (...message: readonly ContentBlock[]) => {
        const { turn } = await engine.chat(project.id, { ref: 'main', message });
        const lines = await watch(engine, project.id, turn.id);
        return { lines, nodes: await store.nodesOfTurn(project.id, turn.id) };
      };
      const { lines, nodes } = await say(picture, { type: 'text', text: '/sim tools draw' });
      const result = nodes.find(({ role }) => role === 'tool')?.contentBlocks ?? [];
      expect(result.filter(isImageBlock)).toMatchObject([{ width: 40, height: 30 }]);
      expect(lines.find(({ type }) => type === 'tool_result')).toMatchObject({ files: result });
      await say({ type: 'text', text: '/sim say Fine.' });
      const log = simulator.log();
      expect(log.filter(({ kind }) => kind !== 'accepted')).toEqual([]);
      expect(log.length).toBeGreaterThanOrEqual(3);
      const { request } = await engine.previewContext(project.id, { ref: 'main' });
      expect(request.body).toContain('of a.png,');
      expect(request.body).not.toContain('\\udb0b');
    } finally {
      await store.close();
      await simulator.close();
      await rm(directory, { recursive: true });
    }
  },
);
