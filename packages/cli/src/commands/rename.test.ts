import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Place } from '../testing/run-cli.ts';
import { makePlace } from '../testing/run-cli.ts';

let place: Place;
let server: Awaited<ReturnType<Place['serve']>>;
beforeAll(async () => {
  place = await makePlace();
  server = await place.serve();
  await place.bough(['chat', '--name', 'Sky', '-m', 'Hello']);
  await place.bough(['branch', 'dusk', '--project', 'Sky']);
});
afterAll(async () => {
  await server.stop();
  await place.dispose();
});

const namesOf = async (...words: string[]): Promise<readonly string[]> =>
  ((await place.bough(['ls', ...words, '--json'])).json() as { name: string }[]).map(({ name }) => name);

describe('the command', () => {
  it('CLI-111: --version says the version of the package', async () => {
    const manifest: unknown = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    const { code, out } = await place.bough(['--version']);
    expect([code, { version: out.trim() }]).toEqual([0, { version: (manifest as { version: string }).version }]);
    expect((await place.bough(['--version', '--json'])).json()).toEqual({ version: out.trim() });
  });

  it('CLI-112: rename gives a project or a branch another name; one that is taken is refused', async () => {
    expect((await place.bough(['rename', 'Sky', 'Sky', 'colours'])).out).toBe('Sky is now Sky colours.\n');
    expect(await namesOf()).toEqual(['Sky colours']);
    expect((await place.bough(['rename', 'Sky colours', 'dawn', '--branch', 'dusk'])).code).toBe(0);
    expect(await namesOf('Sky colours')).toEqual(['main', 'dawn']);
    expect((await place.bough(['rename', 'Sky colours', 'main', '--branch', 'dawn'])).code).toBe(1);
    expect((await place.bough(['rename', 'nowhere', 'x'])).code).toBe(1);
  });

  it('CLI-114: ls shows the projects that were used last, as many as are wanted, and finds them by name', async () => {
    for (const name of ['First tree', 'Second tree', 'Third tree'])
      await place.bough(['chat', '--name', name, '-m', 'Hi']);
    expect(await namesOf('-n', '2')).toEqual(['Third tree', 'Second tree']);
    expect((await place.bough(['ls', '-n', '2'])).err).toContain('… and 2 more');
    expect(await namesOf('--search', 'TREE')).toEqual(['Third tree', 'Second tree', 'First tree']);
    expect((await place.bough(['ls', '--search', 'nothing'])).err).toBe('');
    expect((await place.bough(['ls', '-n', '0'])).code).toBe(2);
    for (const name of ['First tree', 'Second tree', 'Third tree']) await place.bough(['rm', name]);
  });

  it('CLI-113: rm deletes into the trash and says how to undo it: a branch, a message, a project', async () => {
    const restore = async (out: string): Promise<number> =>
      (await place.bough(['trash', '--restore', /--restore (\S+)`/.exec(out)?.[1] ?? ''])).code;
    const branch = await place.bough(['rm', 'Sky colours', '--branch', 'dawn']);
    expect(await namesOf('Sky colours')).toEqual(['main']);
    expect(await restore(branch.out)).toBe(0);
    expect(await namesOf('Sky colours')).toEqual(['main', 'dawn']);
    const [reply] = (await place.bough(['log', '-p', 'Sky colours', '--json'])).json() as { id: string }[];
    const message = await place.bough(['rm', 'Sky colours', '--node', reply?.id.slice(0, 8) ?? '']);
    expect(message.out).toContain('Deleted 1 message(s)');
    expect(await restore(message.out)).toBe(0);
    const whole = await place.bough(['rm', 'Sky colours']);
    expect(await namesOf()).toEqual([]);
    expect(await restore(whole.out)).toBe(0);
    expect(await namesOf()).toEqual(['Sky colours']);
    expect((await place.bough(['rm', 'Sky colours', '--keep-below'])).code).toBe(2);
    expect((await place.bough(['rm', 'Sky colours', '--branch', 'main', '--node', 'x'])).code).toBe(2);
  });
});
