import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Place } from '../testing/run-cli.ts';
import { makePlace } from '../testing/run-cli.ts';

let place: Place;
beforeAll(async () => {
  place = await makePlace();
});
afterAll(() => place.dispose());

const oaks = (...words: readonly string[]) => place.bough([...words, '--project', 'Oaks']);

it('CLI-760: words of a reply are asked about; questions are listed, deleted and restored', async () => {
  await place.bough(['chat', '-m', '/sim say Oaks grow to forty metres.', '--name', 'Oaks', '--json']);
  const log = (await oaks('log', 'main', '--json')).json() as readonly { id: string; role: string }[];
  const [user = '', reply = ''] = ['user', 'assistant'].map((role) => log.find((node) => node.role === role)?.id);
  expect((await oaks('question')).out).toContain('Nothing was asked');
  const asked = await oaks('question', reply.slice(0, 8), '--about', 'forty metres', '-m', 'Who measured it?');
  expect([asked.code, asked.err]).toEqual([0, expect.stringContaining('On q/')]);
  expect(asked.out.trim()).not.toBe('');
  const listed = (await oaks('question', reply, '--json')).json() as readonly { branchId: string }[];
  const found = { nodeId: reply, quote: 'forty metres', question: 'Who measured it?', status: 'complete' };
  expect(listed).toMatchObject([found]);
  expect((await oaks('question')).out).toMatch(/complete\s+forty metres\s+Who measured it\?/);
  expect((await oaks('question', user, '--json')).json()).toEqual([]);

  const branch = listed[0]?.branchId ?? '';
  const { trashId } = (await oaks('question', '--delete', branch.slice(0, 8), '--json')).json() as { trashId: string };
  expect((await oaks('question', '--json')).json()).toEqual([]);
  expect((await place.bough(['trash', '--restore', trashId])).code).toBe(0);
  expect((await oaks('question', '--json')).json()).toMatchObject([found]);

  expect((await oaks('question', '--delete', 'main')).code).toBe(1);
  expect((await oaks('question', user, '--about', 'oaks', '-m', 'Why?')).code).toBe(1);
  for (const wrong of [
    ['--about', 'x', '-m', 'Why?'],
    [reply, '--about', 'x'],
    [reply, '-m', 'Why?'],
    [reply, '--model', 'sim-thinker'],
    [reply, '--about', 'sixty metres', '-m', 'Why?'],
  ])
    expect((await oaks('question', ...wrong)).code).toBe(2);
  expect((await oaks('question', reply, '--delete', branch)).code).toBe(2);
  expect((await oaks('question', reply, '--about', ' ', '-m', 'Why?')).code).toBe(2);
});
