import type { QuestionSetView, RoundTableView } from '@bough/api';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Place } from '../testing/run-cli.ts';
import { makePlace } from '../testing/run-cli.ts';

let place: Place;
beforeAll(async () => {
  place = await makePlace({ OPENAI_API_KEY: 'any', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' });
});
afterAll(() => place.dispose());

const runSet = (...words: readonly string[]) => place.bough(['run-set', ...words]);
const TWO = ['--model', 'simulated', '--model', 'simulated_chat/sim-thinker'];

it('CLI-800: `bough run-set` makes a set, tells the price, asks it of several models and shows the table', async () => {
  expect((await runSet()).out).toContain('There is no question set yet.');
  await writeFile(join(place.dir, 'q.jsonl'), '{"question":"/sim say Green.","expected":"Green"}\n"/sim say Blue."\n');
  const price = await runSet('Colours', '--from', 'q.jsonl', ...TWO, '-n', '2', '--estimate');
  expect([price.err, price.code]).toEqual(['', 0]);
  expect(price.out).toMatch(/simulated sim-thinker +4 +about \$0\.000/);
  expect(price.out).toContain('All together about $0.000, and about $0.000 at most.');
  expect((await runSet('Colours', '--table', '-n', '2')).err).toContain('means nothing without --model or --preset');
  expect((await runSet('Colours')).out).toMatch(/Green\. +Green\n(.*\n)*Not asked yet/);

  const ran = await runSet('Colours', ...TWO, '-n', '2', '--limit', '0.50');
  expect(ran.err).toMatch(/^Round [\w-]{8}: 8 answers, at most \$0\.5\.\n$/);
  expect(ran.out).toContain('finished, 8 of 8');
  expect(ran.out).toMatch(/Green\. \| Green\. +Green\. \| Green\.\n(.*)Blue\. \| Blue\./);
  expect(ran.out).toMatch(/simulated_chat sim-thinker +4 +0/);
  expect(ran.code).toBe(0);

  const sets = (await runSet('--json')).json() as QuestionSetView[];
  expect(sets).toMatchObject([{ name: 'Colours', count: 2, rounds: [{ state: 'finished', complete: 8 }] }]);
  const table = (await runSet('Colours', '--table', '--json')).json() as RoundTableView;
  expect(table.rows).toMatchObject([{ question: { expected: 'Green' } }, { answers: [{ text: 'Blue.' }, {}, {}, {}] }]);
  const csv = await runSet('Colours', '--csv');
  expect(csv.out).toMatch(/^questionId,question,expected,.*\r\n1,\/sim say Green\.,Green,.*,complete,Green\.,/);
  expect(csv.out.trimEnd().split('\r\n')).toHaveLength(9);
  // Other questions under another name: what was asked stays beside its answers.
  await writeFile(join(place.dir, 'other.txt'), '/sim say Red.\n');
  const changed = await runSet('Colours', '--from', 'other.txt', '--replace', '--rename', 'Reds');
  expect([changed.err, changed.code]).toEqual(['', 0]);
  expect(changed.out).toMatch(/^Reds\n\n(.*\n)*1 +\/sim say Red\./);
  expect((await runSet('Reds', '--table')).out).toContain('Blue. | Blue.');
  expect((await runSet('Reds', '--rename', 'Colours')).code).toBe(0);
  expect(await runSet('Colours', '--resume')).toMatchObject({
    code: 1,
    err: expect.stringContaining('finished') as string,
  });
});

it('CLI-800: a model that fails is told, asked again and left; a round is paused, goes on and is removed', async () => {
  await place.bough(['chat', '--name', 'Trees', '-m', '/sim say Oak.', '--provider', 'simulated']);
  const made = await runSet('Trees', '--branch', 'main', '-p', 'Trees', '--model', 'openai/gpt-5.4', '--limit', '1');
  expect(made.code).toBe(1);
  expect(made.out).toContain('finished, 0 of 1, 1 failed');
  expect((await runSet('Trees', '--again')).out).toContain('--again asks once more what failed.');

  const server = await place.serve();
  const words = ['/sim slow 5 /sim long 2000', '/sim say Ash.', '/sim say Elm.'].join('\n');
  const input = { input: words };
  const made2 = await place.bough(['run-set', 'Slow', '--from', '-', ...TWO, '--estimate', '--json'], input);
  expect(made2.json()).toMatchObject({ targets: [{ answers: 3 }, { answers: 3 }] });
  const round = runSet('Slow', '--model', 'simulated', '--at-once', '1', '--limit', '1');
  await expect.poll(async () => (await runSet('Slow', '--table')).out).toContain('(running)');
  expect((await runSet('Slow', '--pause')).out).toContain('paused');
  expect((await round).out).toContain('paused, 1 of 3');
  expect(await runSet('Slow', '--resume')).toMatchObject({ code: 0 });
  expect((await runSet('Slow', '--remove')).out).toContain('Removed "Slow"');
  expect((await runSet('Slow')).code).toBe(1);
  await server.stop();
});

it('CLI-801: a round that its server left goes on when told to, and not under a command that only reads', async () => {
  const server = await place.serve();
  const words = ['/sim slow 50 /sim long 2000', '/sim say Ash.', '/sim say Elm.'].join('\n');
  await place.bough(['run-set', 'Left', '--from', '-', '--model', 'simulated', '--estimate'], { input: words });
  const left = runSet('Left', '--model', 'simulated', '--at-once', '1', '--limit', '1');
  await expect.poll(async () => (await runSet('Left', '--table')).out).toContain('(running)');
  await server.stop();
  expect((await left).code).toBe(1);
  // A command of its own that lasts long enough to ask the next questions as well.
  const talk = ['chat', '--name', 'Beside', '-m', '/sim slow 5 /sim long 400', '--provider', 'simulated'];
  expect((await place.bough(talk)).code).toBe(0);
  const table = (await runSet('Left', '--table', '--json')).json() as RoundTableView;
  expect(table.round).toMatchObject({ state: 'running', complete: 0 });
  const resumed = await runSet('Left', '--watch');
  expect(resumed.out).toMatch(/Ash\.(.*\n)*.*Elm\./);
});

it('CLI-800: refuses what cannot be meant, with what to write instead', async () => {
  const refused = async (...words: string[]) => {
    const { code, err } = await runSet(...words);
    expect(code).toBe(2);
    return err;
  };
  expect(await refused('Colours', '--model', 'simulated')).toContain('Say with --limit');
  expect(await refused('Colours', '--model', 'simulated', '--limit', 'much')).toContain('such as 0.50');
  expect(await refused('Colours', '--pause', '--resume')).toContain('do not go together');
  expect(await refused('--from', 'q.jsonl')).toContain('Give the new set a name');
  expect(await refused('Colours', '--replace')).toContain('where the other questions are');
  expect(await refused('--rename', 'Other')).toContain('<set> is missing');
  expect(await refused('Colours', '--estimate')).toContain('Name who would be asked');
  expect((await runSet('New', '--from', 'gone.txt')).code).toBe(1);
});
