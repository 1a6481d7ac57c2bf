import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { archives } from './testing/archives.ts';
import { bundles } from './testing/bundles.ts';
import type { Decoy } from './testing/decoy.ts';
import { makeDecoy } from './testing/decoy.ts';
import type { Hostile } from './testing/loom.ts';
import { soundLoom } from './testing/loom.ts';
import type { Visit } from './testing/watch.ts';
import { watch } from './testing/watch.ts';

// Under strace everything takes its time.
vi.setConfig({ testTimeout: 600_000 });

let decoy: Decoy;
let sound = '';
beforeAll(async () => {
  decoy = await makeDecoy();
  sound = join(decoy.root, 'sound');
  await soundLoom(join(decoy.root, 'loom'));
  const { ended } = await watch(
    decoy,
    [{ words: ['import', join(decoy.root, 'loom')] }, { words: ['export', 'root-1', '--out', sound] }],
    { mayWrite: [decoy.data, sound] },
  );
  expect(ended.map(({ code }) => code)).toEqual([0, 0]);
});
afterAll(() => decoy.dispose());

async function visitsTo(kind: string, folder: readonly Hostile[]): Promise<readonly Visit[]> {
  const visits: Visit[] = [];
  await mkdir(join(decoy.sources, kind));
  for (const [index, { name, make }] of folder.entries()) {
    const path = join(decoy.sources, kind, `${index} ${name.replaceAll('/', ' ')}`);
    await make(path);
    const to = ['--data', join(decoy.data, `${kind}-${index}`)];
    visits.push({ words: ['import', path, ...to] }, { words: ['import', path, '--on-error', 'skip', ...to] });
  }
  return visits;
}

describe('hostile files', () => {
  it.each(['bundles', 'archives'])(
    'IM-22: %s are imported or refused without a process, a connection or a write outside',
    async (kind) => {
      const visits = await visitsTo(kind, kind === 'bundles' ? bundles(decoy, sound) : archives(decoy));
      const rehearsals = visits.flatMap(({ words }) =>
        words[0] === 'import' ? { words: [...words, '--dry-run'] } : [],
      );
      expect((await watch(decoy, rehearsals, { mayWrite: [] })).trouble).toEqual([]);
      const { trouble } = await watch(decoy, visits);
      expect(trouble).toEqual([]);
    },
  );

  it('IM-22: what came in under names that lead out goes out again into its own directory', async () => {
    const folder = bundles(decoy, sound).filter(({ name }) => /EVIL|leads out/.test(name));
    expect(folder.length).toBe(3);
    const visits: Visit[] = [];
    for (const [index, { make }] of folder.entries()) {
      const [path, data] = [join(decoy.sources, `named-${index}`), join(decoy.data, `named-${index}`)];
      await make(path);
      visits.push({ words: ['import', path, '--data', data] });
      visits.push({ words: ['export', 'root-1', '--out', join(decoy.data, `out-${index}`), '--data', data] });
    }
    const { ended, trouble } = await watch(decoy, visits);
    expect(trouble).toEqual([]);
    expect(ended.some(({ words, code }) => words[0] === 'export' && code === 0)).toBe(true);
  });
});
