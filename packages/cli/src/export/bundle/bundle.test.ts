import { projectId } from '@bough/core';
import type { ProjectRecord, Store } from '@bough/store';
import { openFilesStore } from '@bough/store';
import { appendFile, cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Place } from '../../testing/run-cli.ts';
import { makePlace } from '../../testing/run-cli.ts';
import { treeOf } from '@bough/testkit';

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

async function recordsOf(data: string): Promise<readonly ProjectRecord[]> {
  const store: Store = await openFilesStore({ directory: join(place.dir, data, 'files') });
  try {
    const records: ProjectRecord[] = [];
    for (const { id } of await store.listProjects()) {
      for await (const record of store.exportProject(projectId(id))) records.push(record);
    }
    return records;
  } finally {
    await store.close();
  }
}

/** The order of nodes and branches counts; turns, calls and renderings have none of their own. */
function comparable(records: readonly ProjectRecord[]) {
  const ordered = (type: ProjectRecord['type']) => records.filter((record) => record.type === type);
  const unordered = (type: ProjectRecord['type']) => new Set(ordered(type).map((record) => JSON.stringify(record)));
  return {
    project: ordered('project'),
    branches: ordered('branch'),
    nodes: ordered('node').map((record) => JSON.stringify(record)),
    turns: unordered('turn'),
    calls: unordered('call'),
    renderings: unordered('rendering'),
  };
}

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
  it('EX-1: comes back equal, raw to the byte, and its own bundle has the same files', async () => {
    expect((await place.bough(['import', 'bundle', '--data', 'copy'])).code).toBe(0);
    const original = await recordsOf('data');
    expect(original.filter(({ type }) => type === 'call').length).toBeGreaterThan(3);
    expect(original.filter(({ type }) => type === 'rendering').length).toBeGreaterThan(0);
    expect(comparable(await recordsOf('copy'))).toEqual(comparable(original));
    expect((await place.bough(['export', 'Round trip', '--out', 'again', '--data', 'copy'])).code).toBe(0);
    expect(await filesIn('again')).toEqual(await filesIn('bundle'));
  });

  it('EX-1: importing it twice adds nothing', async () => {
    const again = (await place.bough(['import', 'bundle', '--json'])).json();
    expect(again).toMatchObject({ projects: [{ outcome: 'unchanged', addedNodes: 0 }] });
  });

  it('EX-1: a bundle of a project that went on brings what is new to the copy, calls and raw included', async () => {
    expect((await place.bough(['import', 'bundle', '--data', 'behind'])).code).toBe(0);
    const input = '/sim tools calculator\n/switch Sea & sky\n/sim redacted 1\n';
    expect((await place.bough(['chat', '--project', 'Round trip'], { input })).code).toBe(0);
    expect((await place.bough(['export', 'Round trip', '--out', 'ahead'])).code).toBe(0);
    const report = (await place.bough(['import', 'ahead', '--data', 'behind', '--json'])).json();
    expect(report).toMatchObject({ projects: [{ outcome: 'grown', addedNodes: 6 }], unreplayable: 0, leftOut: {} });
    expect(comparable(await recordsOf('behind'))).toEqual(comparable(await recordsOf('data')));
  });

  it('EX-2: holds plain lines, raw by its hash, a readable page of each branch, and no secret', async () => {
    const files = await filesIn('bundle');
    expect([...files.keys()]).toEqual(
      expect.arrayContaining(['/bundle.json', '/nodes.jsonl', '/branches/main.md', '/branches/Sea-sky.md']),
    );
    expect(
      [...files.keys()].filter((name) => /^\/raw\/[0-9a-f]{2}\/[0-9a-f]{64}\.json$/.test(name)).length,
    ).toBeGreaterThan(3);
    expect(files.get('/branches/main.md')).toContain('<details><summary>Reasoning</summary>');
    expect([...files.values()].join('')).not.toContain(SECRET);
  });

  it('EX-3: a raw response that was changed, or a line that is not JSON, is refused, and nothing is stored', async () => {
    await place.bough(['export', 'Round trip', '--out', 'damaged']);
    const [raw = ''] = [...(await filesIn('damaged')).keys()].filter((name) => name.startsWith('/raw/'));
    await appendFile(join(place.dir, 'damaged', raw), ' ');
    const changed = await place.bough(['import', 'damaged', '--data', 'refused', '--on-error', 'skip']);
    expect(changed.code).toBe(1);
    expect(changed.err).toContain('was changed');
    await place.bough(['export', 'Round trip', '--out', 'damaged']);
    await appendFile(join(place.dir, 'damaged', 'nodes.jsonl'), '{"half":\n');
    expect((await place.bough(['import', 'damaged', '--data', 'refused'])).err).toContain('It is not valid JSON');
    await place.bough(['export', 'Round trip', '--out', 'damaged']);
    const manifest = join(place.dir, 'damaged', 'bundle.json');
    await writeFile(manifest, JSON.stringify({ ...JSON.parse(await readFile(manifest, 'utf8')), project: {} }));
    expect((await place.bough(['import', 'damaged', '--data', 'refused'])).err).toContain(
      'bundle.json, the project: "id" is not',
    );
    expect((await place.bough(['ls', '--data', 'refused', '--json'])).json()).toEqual([]);
  });

  it('EX-4: never replaces a directory that holds anything else', async () => {
    await mkdir(join(place.dir, 'mine'));
    await writeFile(join(place.dir, 'mine', 'thesis.txt'), 'years of work');
    const refused = await place.bough(['export', 'Round trip', '--out', 'mine']);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('holds other files');
    expect(await readFile(join(place.dir, 'mine', 'thesis.txt'), 'utf8')).toBe('years of work');
    await place.bough(['export', 'Round trip', '--out', 'shared']);
    await writeFile(join(place.dir, 'shared', 'thesis.txt'), 'years of work');
    expect((await place.bough(['export', 'Round trip', '--out', 'shared'])).err).toContain('holds other files');
    expect(await readFile(join(place.dir, 'shared', 'thesis.txt'), 'utf8')).toBe('years of work');
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

  it('EX-8: a record of another form, of another project, or behind a link is refused whole, and nothing is stored', async () => {
    const [raw = ''] = [...(await filesIn('bundle')).keys()].filter((name) => name.startsWith('/raw/'));
    const outside = join(place.dir, 'outside.json');
    const lineOf = async (file: string): Promise<Record<string, unknown>> =>
      JSON.parse((await readFile(join(place.dir, 'bundle', file), 'utf8')).split('\n')[0] ?? '') as Record<
        string,
        unknown
      >;
    const node = await lineOf('nodes.jsonl');
    const deep = `${'['.repeat(900)}${']'.repeat(900)}`;
    const damages: readonly [string, (at: (name: string) => string) => Promise<void>, string][] = [
      ['null', (at) => writeFile(at('nodes.jsonl'), 'null\n'), 'nodes.jsonl, line 1'],
      ['an id', (at) => appendFile(at('nodes.jsonl'), JSON.stringify({ ...node, id: 5 })), '"id"'],
      [
        'blocks',
        (at) => appendFile(at('nodes.jsonl'), JSON.stringify({ ...node, contentBlocks: {} })),
        '"contentBlocks"',
      ],
      [
        'a project',
        (at) => appendFile(at('nodes.jsonl'), JSON.stringify({ ...node, projectId: 'other' })),
        '"projectId"',
      ],
      ['depth', (at) => appendFile(at('turns.jsonl'), deep), 'nested deeper'],
      [
        'a hash',
        (at) => writeFile(at('calls.jsonl'), JSON.stringify({ ...callLine, raw: '../../outside' })),
        'does not name',
      ],
      ['a linked raw', (at) => linked(at(raw), outside), 'is a link'],
      ['a linked directory', (at) => linked(at('raw'), join(place.dir, 'bundle', 'raw')), 'is a link'],
      ['linked lines', (at) => linked(at('nodes.jsonl'), join(place.dir, 'bundle', 'nodes.jsonl')), 'is a link'],
      ['a linked manifest', (at) => linked(at('bundle.json'), join(place.dir, 'bundle', 'bundle.json')), 'is a link'],
    ];
    const callLine = await lineOf('calls.jsonl');
    await writeFile(outside, await readFile(join(place.dir, 'bundle', raw)));
    for (const [, damage, message] of damages) {
      await cp(join(place.dir, 'bundle'), join(place.dir, 'hostile'), { recursive: true });
      await damage((name) => join(place.dir, 'hostile', name));
      const refused = await place.bough(['import', 'hostile', '--data', 'untouched', '--on-error', 'skip']);
      expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(message)]);
      await rm(join(place.dir, 'hostile'), { recursive: true });
    }
    expect((await place.bough(['ls', '--data', 'untouched', '--json'])).json()).toEqual([]);
  });
});

async function linked(path: string, target: string): Promise<void> {
  await rm(path, { recursive: true });
  await symlink(target, path);
}

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
