import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Place } from '../testing/run-cli.ts';
import { makePlace } from '../testing/run-cli.ts';

let place: Place;
beforeAll(async () => {
  place = await makePlace();
  await place.bough(['chat', '-m', '/sim say Forty metres.', '--name', 'Oaks', '--json']);
});
afterAll(() => place.dispose());

const oaks = (...words: readonly string[]) => place.bough([...words, '--project', 'Oaks']);

async function branches(): Promise<readonly string[]> {
  const listed = (await place.bough(['ls', 'Oaks', '--json'])).json() as { name: string }[];
  return listed.map(({ name }) => name).toSorted();
}

it('CLI-700: `bough ask` asks several models, tells what it costs before, and what is dropped comes back', async () => {
  const models = ['--model', 'simulated_chat', '--model', 'simulated/sim-thinker', '--model', 'nobody/there'];
  const price = await oaks('ask', '--estimate', '-n', '2', '-m', 'How tall?', ...models);
  expect(price.out).toMatch(/simulated\/sim-thinker +2 +\d+ +about \$0\.000/);
  expect(price.out).toContain('nobody/there');
  expect(price.out).toContain('All together about $0.000');
  expect(await branches()).toEqual(['main']);

  const asked = await oaks('ask', '-m', '/sim say Seventy.', '-n', '2', ...models);
  expect(asked.code).toBe(1);
  expect(asked.out.match(/Seventy\./g)?.length).toBe(4);
  expect(asked.err).toContain('2 of nobody/there could not be started');
  const [dropped = '', ...others] = (await branches()).filter((name) => name !== 'main');
  expect(others.length).toBe(3);

  await writeFile(join(place.dir, 'oaks.csv'), 'oak,40\n');
  const files = ['-a', 'oaks.csv', '-m', '/sim say Read.', '--model', 'simulated_chat'];
  expect(await oaks('ask', ...files)).toMatchObject({ code: 0, out: expect.stringContaining('Read.') });
  const read = (await branches()).find((name) => name.includes('Read.')) ?? '';
  expect((await oaks('log', read)).out).toContain('[oaks.csv, 7 bytes]');
  expect((await oaks('ask', '-a', 'nowhere.csv', '-m', 'Read.')).code).toBe(1);

  const here = await oaks('ask', 'main', '--model', 'simulated_gemini', '--effort', 'low');
  expect(here).toMatchObject({ code: 0, out: expect.stringContaining('Forty metres.') });
  expect((await oaks('ask', '--drop', dropped, '-m', 'both')).code).toBe(2);
  expect((await oaks('ask', '--drop', dropped, '--estimate')).code).toBe(2);
  const gone = await oaks('ask', '--drop', dropped, '--json');
  const { deleted, trashIds } = gone.json() as { deleted: string[]; trashIds: string[] };
  expect(deleted).toEqual([dropped]);
  expect(await branches()).not.toContain(dropped);
  for (const id of trashIds) expect((await place.bough(['trash', '--restore', id])).code).toBe(0);
  expect(await branches()).toContain(dropped);
  expect((await oaks('log', dropped)).out).toContain('Seventy.');
});
