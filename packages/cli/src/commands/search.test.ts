import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Place } from '../testing/run-cli.ts';
import { makePlace } from '../testing/run-cli.ts';

let place: Place;
beforeAll(async () => {
  place = await makePlace();
  for (const [name, message] of [
    ['Sky', 'Why does Rayleigh scattering make the sky blue?'],
    ['Sea', 'Is the sea blue because of the sky?'],
  ] as const)
    expect((await place.bough(['chat', '-m', message, '--name', name, '--json'])).code).toBe(0);
});
afterAll(() => place.dispose());

it('CLI-85: results are grouped by project, with who said it, on which branch, and the words around it', async () => {
  const { code, out, err } = await place.bough(['search', 'role:user', 'scattering']);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^Sky\n  [0-9a-f]{8} · user · on main · \d{4}-\d\d-\d\d\n    Why does Rayleigh scattering make/);
  const seen = await place.bough(['search', 'scattering role:user'], { isInteractive: true });
  expect(seen.out).toContain('\u001b[1mscattering\u001b[22m');
  const names = await place.bough(['search', 'sky']);
  expect(names.out).toMatch(/^Sky\n  project · /);
});

it('CLI-86: --project narrows, --json gives the page with its cursor, and the cursor the next page', async () => {
  const all = await place.bough(['search', 'blue role:user', '--json']);
  expect(all.json()).toMatchObject({ hits: [{ projectName: 'Sea' }, { projectName: 'Sky' }], cursor: null });
  const one = await place.bough(['search', 'blue role:user', '--project', 'Sky', '--json']);
  expect(one.json()).toMatchObject({ hits: [{ projectName: 'Sky', branchName: 'main', role: 'user' }] });
  const first = (await place.bough(['search', 'blue role:user', '-n', '1', '--json'])).json() as { cursor: string };
  const next = await place.bough(['search', 'blue role:user', '-n', '1', '--cursor', first.cursor, '--json']);
  expect(next.json()).toMatchObject({ hits: [{ projectName: 'Sky' }] });
});

it('CLI-87: nothing found is told and no failure; a filter that does not exist is one', async () => {
  expect(await place.bough(['search', 'unheard-of'])).toMatchObject({ code: 0, out: 'Nothing was found.\n' });
  const refused = await place.bough(['search', 'blue', 'is:shiny']);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('There are has:file, is:starred');
  expect((await place.bough(['search'])).code).toBe(2);
  const dashed = await place.bough(['search', 'scattering', '-sea']);
  expect([dashed.code, dashed.err]).toEqual([2, expect.stringContaining('goes after "--"')]);
  expect((await place.bough(['search', '--', 'blue', '-sea'])).out).toMatch(/^Sky\n/);
  expect((await place.bough(['search', 'x', '--limit', '0'])).code).toBe(2);
});

it('CLI-118: an index that is being made is waited for', async () => {
  const store = await makePlace({ BOUGH_STORE: 'git' });
  try {
    const conversations = Array.from({ length: 30 }, (_, index) => ({
      title: `Walk ${index}`,
      messages: [{ role: 'user', content: `A wayside flower, number ${index}` }],
    }));
    const lines = conversations.map((conversation) => `${JSON.stringify(conversation)}\n`).join('');
    expect((await store.bough(['import', '-'], { input: lines })).code).toBe(0);
    // Whatever was indexed while it was imported is gone; 30 repositories take longer than one request waits.
    await rm(join(store.dir, 'data', 'projects.cache'), { recursive: true, force: true });
    const { err, json } = await store.bough(['search', 'wayside', '-n', '100', '--json']);
    expect(err).toBe('');
    expect((json() as { hits: readonly unknown[] }).hits).toHaveLength(30);
  } finally {
    await store.dispose();
  }
});

it('CLI-119: what another program wrote without a time is listed without one', async () => {
  const message = { role: 'user', content: 'A timeless question' };
  const input = JSON.stringify({ title: 'Timeless', messages: [message] });
  expect((await place.bough(['import', '-'], { input })).code).toBe(0);
  const found = await place.bough(['search', 'timeless']);
  expect(found.out).toMatch(/^Timeless\n  project · [0-9a-f]{8}\n/);
  expect(found.out).toMatch(/ · user · on main\n/);
  expect((await place.bough(['ls', '--search', 'timeless'])).out).not.toContain('1970');
});
