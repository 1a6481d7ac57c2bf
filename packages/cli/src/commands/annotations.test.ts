import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Place } from '../testing/run-cli.ts';
import { makePlace } from '../testing/run-cli.ts';

let place: Place;
let reply = '';
beforeAll(async () => {
  place = await makePlace();
  await place.bough(['chat', '-m', '/sim say Forty metres.', '--name', 'Oaks', '--json']);
  const log = (await place.bough(['log', 'main', '--project', 'Oaks', '--json'])).json() as {
    id: string;
    role: string;
  }[];
  reply = log.find(({ role }) => role === 'assistant')?.id ?? '';
});
afterAll(() => place.dispose());

const oaks = (...words: readonly string[]) => place.bough([...words, '--project', 'Oaks']);

it('CLI-256: a star, a bookmark and a note are given, listed, found and taken away', async () => {
  expect((await oaks('star', reply.slice(0, 8))).out).toContain('has a star now');
  expect((await oaks('star', reply, '--bookmark', 'The good one')).code).toBe(0);
  expect((await oaks('note', reply, '--text', 'Ask the quokka again')).out).toBe('Ask the quokka again\n');
  expect((await oaks('note', reply)).out).toBe('Ask the quokka again\n');
  const listed = await place.bough(['ls', '--starred', '--bookmarked', '--noted']);
  for (const words of ['Oaks', 'The good one', 'Ask the quokka again', 'Forty metres.'])
    expect(listed.out).toContain(words);
  expect((await place.bough(['ls', 'Oaks', '--starred', '--json'])).json()).toMatchObject([
    { kind: 'star', nodeId: reply },
  ]);
  expect((await place.bough(['search', 'quokka'])).out).toContain('note: Ask the quokka again');
  expect((await place.bough(['search', 'is:starred', '--json'])).json()).toMatchObject({ hits: [{ nodeId: reply }] });
  expect((await oaks('star', reply, '--remove')).out).toContain('no star any more');
  expect((await oaks('note', reply, '--remove', '--json')).json()).toBeNull();
  expect((await place.bough(['ls', '--starred', '--noted', '--json'])).json()).toEqual([]);
  expect((await oaks('note', reply, '--text', ' ')).code).toBe(2);
  expect((await oaks('star', 'nobody')).code).toBe(1);
  expect((await oaks('star', reply, '--bookmark', ' ')).code).toBe(2);
});

it('CLI-257: replies are judged against each other or by themselves, and models have their results', async () => {
  expect((await place.bough(['judge'])).out).toContain('Nothing was judged yet');
  expect((await oaks('judge', reply)).code).toBe(2);
  expect((await oaks('judge', reply, '--mark', 'good')).out).toBe('Marked as good.\n');
  expect((await oaks('regenerate', 'main', '--json')).code).toBe(0);
  expect((await oaks('judge', reply, '--reason', 'first')).out).toContain('better than 1 other');
  const results = await place.bough(['judge', '--json']);
  expect(results.json()).toMatchObject([{ provider: 'simulated', wins: 1, losses: 1, ties: 0, good: 1 }]);
  expect((await oaks('judge', reply, '--tie')).out).toContain('as good as 1 other');
  const blind = await oaks('judge', reply, '--blind', '--json');
  expect(blind.json()).toMatchObject([
    { kind: 'verdict', blind: true },
    { kind: 'verdict', blind: true },
  ]);
  expect((await oaks('judge')).out).toMatch(/model\s+won\s+lost\s+tied/);
  expect((await oaks('judge', reply, '--tie', '--mark', 'bad')).code).toBe(2);
  expect((await oaks('judge', '--mark', 'good')).err).toContain('--mark means nothing without <node>.');
});
