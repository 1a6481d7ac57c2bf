import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stableStringify } from '@bough/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Place } from '../testing/run-cli.ts';
import { makePlace } from '../testing/run-cli.ts';

let place: Place;
beforeAll(async () => {
  place = await makePlace();
  await place.bough(['chat', '-m', '/sim say Forty metres.', '--name', 'Oaks', '--json']);
  await place.bough(['branch', 'idea', '--project', 'Oaks']);
  await place.bough(['chat', '-m', '/sim say Elms have thirty.', '--project', 'Oaks', '--branch', 'idea']);
});
afterAll(() => place.dispose());

const merge = (...words: readonly string[]) => place.bough(['merge', ...words, '--project', 'Oaks']);
const log = async (...more: readonly string[]) =>
  (await place.bough(['log', 'main', '--project', 'Oaks', ...more])).out;

it('CLI-720: a branch is brought to another one, after what that brings and costs was told', async () => {
  const told = await merge('idea', 'main', '--dry-run');
  expect([told.code, told.out]).toEqual([0, expect.stringContaining('2 messages are new on "idea"')]);
  expect(told.out).toMatch(/Nothing was changed\.[^]*The last answer alone: about \d+ tokens\.[^]*A summary: about/);
  expect(await log()).not.toContain('Elms');
  const { preview } = (await merge('idea', 'main', '--dry-run', '--json')).json() as {
    preview: { messages: { node: { id: string } }[] };
  };
  const [question] = preview.messages;
  expect((await merge('idea', 'main', '--messages', question?.node.id.slice(0, 8) ?? '')).out).toContain(
    'Brought to "main"',
  );
  expect(await log()).toContain('Messages on another branch of this conversation, "idea"');
  const again = await merge('idea', 'main', '--summary');
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('nothing that "main" does not have already')]);
  expect((await merge('idea', 'idea')).err).toContain('cannot be merged into itself');
  expect((await merge('idea', 'nowhere')).code).toBe(1);
  for (const wrong of [
    ['--summary', '--messages', question?.node.id ?? ''],
    ['--messages', ','],
    ['--instruction', 'In French.'],
  ])
    expect([wrong, (await merge('idea', 'main', ...wrong)).code]).toEqual([wrong, 2]);
});

it('ST-790, CLI-720: a merge, and all that people keep beside it, is the same in every store and after a bundle', async () => {
  const oaks = (...words: readonly string[]) => place.bough([...words, '--project', 'Oaks']);
  const nodes = JSON.parse(await log('--json')) as { id: string; role: string }[];
  const reply = nodes.find(({ role }) => role === 'assistant')?.id ?? '';
  await writeFile(join(place.dir, 'plan.md'), '# Plan\n');
  for (const words of [
    ['star', reply],
    ['star', reply, '--bookmark', 'The "good" one'],
    ['note', reply, '--text', 'Ask\nagain'],
    ['judge', reply, '--mark', 'good', '--reason', 'short'],
    ['question', reply, '--about', 'metres', '-m', 'Who measured it?'],
    ['canvas', 'main', '--write', 'plan.md', '--in-context', 'on'],
    ['canvas', 'idea', '--write', 'plan.md'],
    ['compact', 'idea', '--name', 'short'],
    ['choose', 'main', '--pin', reply],
    ['chat', '--branch', 'main', '-m', '/sim say Seen.', '-a', 'plan.md'],
  ])
    expect([words, (await oaks(...words)).code]).toEqual([words, 0]);
  const shown = async (store: string) => {
    const told: string[] = [await log('--store', store, '--json')];
    for (const words of [
      ['ls', 'Oaks', '--starred', '--bookmarked', '--noted'],
      ['judge', '--project', 'Oaks'],
      ['question', '--project', 'Oaks'],
      ['canvas', 'main', '--history', '--project', 'Oaks'],
      ['context', 'short', '--project', 'Oaks'],
      ['context', 'main', '--project', 'Oaks'],
    ])
      told.push(stableStringify((await place.bough([...words, '--store', store, '--json'])).json()));
    // The simulator listens on another port each time.
    return told.join('').replaceAll(/127\.0\.0\.1:\d+/g, 'here');
  };
  const upgraded = await place.bough(['upgrade-data']);
  expect([upgraded.err, upgraded.code]).toEqual(['', 0]);
  expect(upgraded.out).not.toContain('old message');
  const before = await shown('files');
  for (const what of ['"merge"', 'bookmark', 'Who measured it?', '"canvas"', 'compacted', '"good":1', '"file"'])
    expect(before).toContain(what);
  let from = 'files';
  for (const to of ['git', 'postgres', 'files']) {
    expect((await place.bough(['move', 'Oaks', '--store', from, '--to', to, '--delete-source'])).err).toBe('');
    expect(await shown(to)).toBe(before);
    const verified = (await place.bough(['verify', '--store', to, '--json'])).json();
    expect(verified).toMatchObject({ findings: [] });
    expect((await place.bough(['upgrade-data', '--store', to])).err).toBe('');
    from = to;
  }
  expect((await place.bough(['export', 'Oaks', '--out', 'oaks'])).err).toBe('');
  expect((await place.bough(['rm', 'Oaks'])).code).toBe(0);
  expect((await place.bough(['import', 'oaks'])).err).toBe('');
  expect(await shown('files')).toBe(before);
});
