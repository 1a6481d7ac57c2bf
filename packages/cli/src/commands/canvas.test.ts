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

const canvas = (...words: readonly string[]) => place.bough(['canvas', ...words, '--project', 'Oaks']);
async function file(text: string): Promise<string> {
  const path = join(place.dir, 'plan.md');
  await writeFile(path, text);
  return path;
}

it('CLI-740: the canvas is shown, written from a file, listed by its versions and merged', async () => {
  expect((await canvas('main')).out).toBe('This branch has no canvas.\n');
  const written = await canvas('main', '--write', await file('a\nb\nc\nd\n'), '--in-context', 'on');
  expect(written.out).toContain('8 characters now; models are told');
  expect((await place.bough(['branch', 'idea', '--project', 'Oaks'])).code).toBe(0);
  expect((await canvas('main', '--write', await file('ours\nb\nc\nd\n'))).code).toBe(0);
  expect((await canvas('idea', '--write', await file('theirs\nb\nc\nD\n'))).code).toBe(0);
  const [newest, first] = (await canvas('main', '--history', '--json')).json() as { version: string; added: number }[];
  expect(newest).toMatchObject({ added: 1, removed: 1, inContext: true });
  expect((await canvas('main', '--version', first?.version.slice(0, 8) ?? '')).out).toBe('a\nb\nc\nd\n');
  const open = await canvas('main', '--merge', 'idea');
  expect(open.code).toBe(1);
  expect(open.out).toContain('<<<<<<< ours\nours\n=======\ntheirs\n>>>>>>> theirs');
  expect((await canvas('main')).out).toBe('ours\nb\nc\nd\n');
  expect((await place.bough(['log', 'main', '--project', 'Oaks'])).out).toContain('[canvas, 11 characters]');
  expect((await place.bough(['show', 'main', '--project', 'Oaks'])).out).toContain('[canvas, 11 characters]');
  expect((await canvas('main', '--merge', 'idea', '--take', 'theirs', '--dry-run')).out).toBe('theirs\nb\nc\nD\n');
  expect((await canvas('main', '--merge', 'idea', '--take', 'both')).code).toBe(0);
  expect((await canvas('main')).out).toBe('ours\ntheirs\nb\nc\nD\n');
  expect((await canvas('main', '--merge', 'idea')).out).toBe(
    'The canvas of "idea" has nothing new. Nothing was stored.\n',
  );
});

it('CLI-740: what makes no sense is refused', async () => {
  expect((await canvas('main', '--history', '--merge', 'idea')).code).toBe(2);
  expect((await canvas('main', '--merge', 'idea', '--take', 'mine')).err).toContain('one of ours, theirs, both');
  expect((await canvas('main', '--write', 'no-such-file.md')).err).toContain('cannot be read');
  expect((await canvas('main', '--in-context', 'perhaps')).code).toBe(2);
  await writeFile(join(place.dir, 'picture'), Buffer.from([0x89, 0x50, 0xff, 0x00]));
  expect((await canvas('main', '--write', 'picture')).err).toContain('is no text in UTF-8');
  expect((await canvas('main', '--merge', 'main')).err).toContain('Choose the branch that it is to be brought from');
  expect((await canvas('nowhere')).err).toContain(
    'There is no branch "nowhere". `bough ls PROJECT` lists the branches.',
  );
  // Nobody who says --dry-run expects that something is written.
  const before = (await canvas('main')).out;
  const dry = await canvas('main', '--write', 'plan.md', '--dry-run');
  expect([dry.code, dry.err]).toEqual([2, expect.stringContaining('--dry-run means nothing without --merge.')]);
  expect((await canvas('main', '--take', 'ours')).code).toBe(2);
  expect((await canvas('main')).out).toBe(before);
});
