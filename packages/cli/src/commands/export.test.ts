import { treeOf } from '@bough/testkit';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Place } from '../testing/run-cli.ts';
import { makePlace } from '../testing/run-cli.ts';

const SECRET = 'sk-ant-do-not-write-this-anywhere';
let place: Place;
beforeAll(async () => {
  place = await makePlace({ ANTHROPIC_API_KEY: SECRET });
  const input = '/sim tools calculator\n/sim redacted 1\n/branch Sea & sky\n/sim unicode\n/sim unknown\n';
  const envelope = ['--provider', 'simulated', '--tools', 'calculator'];
  expect((await place.bough(['chat', '--name', 'Round trip', ...envelope], { input })).code).toBe(0);
  const exported = await place.bough(['export', 'Round trip', '--out', 'bundle']);
  expect(exported.err).toBe('');
  expect(exported.code).toBe(0);
});
afterAll(() => place.dispose());

async function filesIn(directory: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(join(place.dir, directory), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(
      files
        .sort()
        .map(async (path) => [path.slice(join(place.dir, directory).length), await readFile(path, 'utf8')] as const),
    ),
  );
}

describe('a bundle', () => {
  it('EX-1: comes back equal, and what it brings is told', async () => {
    const imported = (await place.bough(['import', 'bundle', '--data', 'copy', '--json'])).json();
    expect(imported).toMatchObject({ projects: [{ outcome: 'new', format: 'bundle' }], problems: [] });
    expect((await place.bough(['export', 'Round trip', '--out', 'again', '--data', 'copy'])).code).toBe(0);
    expect(await filesIn('again')).toEqual(await filesIn('bundle'));
    expect([...(await filesIn('bundle')).values()].join('')).not.toContain(SECRET);
  });

  it('EX-4: never replaces a directory that holds anything else, and says which option names another', async () => {
    await mkdir(join(place.dir, 'mine'));
    await writeFile(join(place.dir, 'mine', 'thesis.txt'), 'years of work');
    const refused = await place.bough(['export', 'Round trip', '--out', 'mine']);
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining('mine holds other files. Name a new directory with --out.'),
    ]);
    expect(await readdir(join(place.dir, 'mine'))).toEqual(['thesis.txt']);
  });

  it('EX-9: is for its owner alone, and so is a document, also where a file was there before', async () => {
    const umask = process.umask(0o022);
    try {
      await place.bough(['export', 'Round trip', '--out', 'private']);
      await writeFile(join(place.dir, 'old.md'), 'older');
      await place.bough(['export', 'Round trip', '--format', 'markdown', '--branch', 'main', '--out', 'old.md']);
      await place.bough(['export', 'Round trip', '--format', 'html', '--branch', 'main', '--out', 'page/new.html']);
    } finally {
      process.umask(umask);
    }
    const found = await treeOf(place.dir);
    const modes = (below: RegExp): readonly string[] => {
      const states = Object.entries(found).flatMap(([path, state]) => (below.test(path) ? state : []));
      return [...new Set(states.map((state) => state.split(' ', 2).join(' ')))].sort();
    };
    expect(modes(/^private/)).toEqual(['directory 700', 'file 600']);
    expect(modes(/^(old\.md|page\/new\.html)$/)).toEqual(['file 600']);
  });
});

describe('a document', () => {
  const document = async (...words: string[]): Promise<string> =>
    (await place.bough(['export', 'Round trip', '--branch', 'main', ...words])).out;

  it('EX-5: holds reasoning as it was asked for', async () => {
    const text = (await filesIn('bundle')).get('/nodes.jsonl') ?? '';
    const thought = /"thinking":"([A-Za-z ]{20,})/.exec(text)?.[1] ?? 'no thought';
    for (const format of ['markdown', 'html']) {
      const folded = await document('--format', format);
      expect(folded).toContain(thought);
      expect(folded).toContain('<details><summary>Reasoning</summary>');
      const included = await document('--format', format, '--reasoning', 'included');
      expect(included).toContain(thought);
      expect(included).not.toContain('<summary>Reasoning');
      expect(await document('--format', format, '--reasoning', 'none')).not.toContain(thought);
    }
  });

  it('EX-7: the request is the provider’s own JSON, without a key', async () => {
    const text = await document('--format', 'request');
    expect(JSON.parse(text)).toMatchObject({ model: 'sim-thinker', messages: expect.any(Array) });
    expect(text).not.toContain(SECRET);
  });
});
