import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Decoy } from './testing/decoy.ts';
import { makeDecoy } from './testing/decoy.ts';
import { repositories, soundRepository } from './testing/repositories.ts';
import type { Visit } from './testing/watch.ts';
import { watch } from './testing/watch.ts';

// Under strace everything takes its time.
vi.setConfig({ testTimeout: 600_000 });

let decoy: Decoy;
beforeAll(async () => {
  decoy = await makeDecoy();
});
afterAll(() => decoy.dispose());
beforeEach(async () => {
  for (const path of [decoy.data, decoy.sources]) {
    await rm(path, { recursive: true, force: true });
    await mkdir(path, { mode: 0o700 });
  }
});

const titled = (index: number, name: string): string => `${index} ${name.replaceAll(/[^\w.]+/g, ' ')}`;

describe('hostile repositories of ResearchTree', () => {
  it('IM-24: are imported or refused without obeying them', async () => {
    const visits: Visit[] = [];
    for (const [index, { name, make }] of repositories(decoy).entries()) {
      const path = join(decoy.sources, titled(index, name));
      await make(path);
      visits.push({ words: ['import', path, '--on-error', 'skip', '--data', join(decoy.data, String(index))] });
    }
    visits.push({ words: ['import', decoy.sources, '--on-error', 'skip', '--data', join(decoy.data, 'all')] });
    const { trouble } = await watch(decoy, visits, { git: true });
    expect(trouble).toEqual([]);
  });

  it('IM-24: are opened in their place, looked at and talked to without obeying them', async () => {
    const all = repositories(decoy);
    for (const [index, { make }] of all.entries()) await make(join(decoy.data, 'projects', `p${index}`));
    const there = ['--store', 'git'];
    const visits: Visit[] = [{ words: ['ls', ...there] }, { words: ['verify', ...there] }];
    for (const index of all.keys()) visits.push({ words: ['chat', '-p', `p${index}`, '-m', 'Go on', ...there] });
    const { trouble } = await watch(decoy, visits, { git: true });
    expect(trouble).toEqual([]);
  });

  it('IM-24: a sound repository passes the watcher, and arrives', async () => {
    const path = join(decoy.sources, 'sound');
    await soundRepository(path);
    const { ended, trouble } = await watch(decoy, [{ words: ['import', path, '--json'] }], { git: true });
    expect(trouble).toEqual([]);
    expect(JSON.parse(ended[0]?.out ?? '')).toMatchObject({ nodes: 2, problems: [] });
  });
});
