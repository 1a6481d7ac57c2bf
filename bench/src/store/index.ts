import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Result } from '../frame/contest.ts';
import type { Suite } from '../frame/suite.ts';
import type { Amounts } from './contests.ts';
import { bytes, CONTESTS } from './contests.ts';
import type { Scene, SceneSettings } from './scene.ts';
import { makeScene } from './scene.ts';
import { startBenchServer } from './server.ts';
import { holdTogether, withGrowth } from './together.ts';

interface Settings extends Amounts {
  readonly scenes: readonly Omit<SceneSettings, 'scratch'>[];
}

const FULL: Settings = {
  rounds: 10,
  turnsPerRound: 1_000,
  pagesPerRound: 100,
  pathsPerRound: 5,
  scenes: [
    { size: '1 k nodes', nodes: 1_000, pathTurns: 500, peers: ['langgraph', 'files', 'lines'] },
    { size: '100 k nodes', nodes: 100_000, pathTurns: 1_000, peers: ['files', 'lines'] },
    { size: '1 M nodes', nodes: 1_000_000, pathTurns: 1_000, peers: [] },
  ],
};

const QUICK: Settings = {
  rounds: 2,
  turnsPerRound: 20,
  pagesPerRound: 5,
  pathsPerRound: 1,
  scenes: [
    { size: '100 nodes', nodes: 100, pathTurns: 50, peers: ['langgraph', 'files', 'lines'] },
    { size: '1 k nodes', nodes: 1_000, pathTurns: 100, peers: ['files', 'lines'] },
  ],
};

export const store: Suite = {
  name: 'store',
  works: ['store: append', 'store: turn', 'store: newest page', 'store: path', 'store: bytes'],
  about: 'appending turns, reading the newest page and a path, and bytes on disk, in projects of 1 k to 1 M nodes',
  run: async (settings) => {
    const { quick, scratch } = settings;
    const amounts = quick ? QUICK : FULL;
    const place = join(scratch, 'store');
    await mkdir(place, { recursive: true });
    const server = await startBenchServer(place);
    const scenes: Scene[] = [];
    try {
      for (const project of amounts.scenes) {
        settings.progress(`${project.size}: filling`);
        scenes.push(await makeScene(server, { ...project, scratch: place }));
      }
      // Before anything is appended.
      const kept: Result[] = [];
      for (const scene of scenes) kept.push(await bytes(scene));
      const results: Result[] = [...withGrowth(kept)];
      for (const contestIn of CONTESTS) {
        const contests = scenes.map((scene) => contestIn(scene, amounts));
        settings.progress(contests[0]?.work ?? '');
        results.push(...withGrowth(await holdTogether(contests)));
      }
      return results;
    } finally {
      for (const scene of scenes) await scene.close();
      await server.stop();
    }
  },
};
