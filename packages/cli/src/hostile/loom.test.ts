import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Decoy } from './testing/decoy.ts';
import { makeDecoy } from './testing/decoy.ts';
import { journals, links, oddities, soundLoom } from './testing/loom.ts';
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

const KINDS = { journals, links, oddities };

describe.each(['journals', 'links', 'oddities'] as const)('hostile Loom directories: %s', (kind) => {
  it('IM-22: are imported or refused without a process, a connection or a write outside', async () => {
    const visits: Visit[] = [];
    for (const [index, { name, make }] of KINDS[kind](decoy).entries()) {
      const path = join(decoy.sources, `${index} ${name.replaceAll('/', ' ')}`);
      await make(path);
      const to = ['--data', join(decoy.data, String(index))];
      visits.push({ words: ['import', path, ...to] }, { words: ['import', path, '--on-error', 'skip', ...to] });
    }
    const rehearsals = visits.map(({ words }) => ({ words: [...words, '--dry-run'] }));
    const { trouble } = await watch(decoy, rehearsals, { mayWrite: [] });
    expect(trouble).toEqual([]);
    expect((await watch(decoy, visits)).trouble).toEqual([]);
  });

  it('IM-23: are opened, as they are and by a link, without a process, a connection or a write outside', async () => {
    const visits: Visit[] = [];
    for (const [index, { make }] of KINDS[kind](decoy).entries()) {
      const [own, linked] = [join(decoy.data, `own-${index}`), join(decoy.data, `linked-${index}`)];
      for (const path of [own, linked]) await mkdir(path);
      await make(join(own, 'files'));
      await make(join(decoy.sources, `directory-${index}`));
      await symlink(join(decoy.sources, `directory-${index}`), join(linked, 'files'));
      for (const data of [own, linked])
        visits.push({ words: ['ls', '--data', data] }, { words: ['verify', '--data', data] });
    }
    const { trouble } = await watch(decoy, visits, { mayWrite: [decoy.data, decoy.sources] });
    expect(trouble).toEqual([]);
  });
});

describe('the watcher', () => {
  it('IM-22: lets a sound directory pass, and it arrives', async () => {
    const path = join(decoy.sources, 'sound');
    await soundLoom(path);
    const { ended, trouble } = await watch(decoy, [{ words: ['import', path, '--json'] }]);
    expect(trouble).toEqual([]);
    expect(JSON.parse(ended[0]?.out ?? '')).toMatchObject({ nodes: 4, problems: [] });
  });

  it('IM-22: sees a write, a process and a connection', async () => {
    const path = join(decoy.sources, 'sound');
    await soundLoom(path);
    const seen = async (...words: readonly string[]): Promise<string> =>
      (await watch(decoy, [{ words }])).trouble.join('\n');
    expect(await seen('import', path, '--data', join(decoy.home, 'elsewhere'))).toContain('elsewhere');
    expect(await seen('ls', '--store', 'git', '--data', join(decoy.data, 'git'))).toContain('git was started');
    expect(await seen('ls', '--server', `http://127.0.0.1:${decoy.port}`)).toContain('connected');
  });
});
