import type { Envelope, ProjectId } from '@bough/core';
import { branchId, callId, nodeId } from '@bough/core';
import type { Engine } from '@bough/engine';
import { createEngine, createToolBox, DEFAULT_LIMITS, randomIds } from '@bough/engine';
import { createProvider, simulatedDeployments } from '@bough/providers';
import { startSimulator } from '@bough/simulator';
import type { ProjectRecord, Store } from '@bough/store';
import { openFilesStore } from '@bough/store';
import { treeOf } from '@bough/testkit';
import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImportOptions, ImportReport } from '../import/index.ts';
import { importPath } from '../import/index.ts';
import { writeBundle } from './write.ts';

const ENVELOPE: Envelope = { provider: 'simulated', model: 'sim-1', systemPrompt: null, tools: [], thinking: 'off' };

let dir: string;
let store: Store;
let engine: Engine;
let project: ProjectId;
const opened: (() => Promise<void>)[] = [];
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bough-bundle-test-'));
  const simulator = await startSimulator({ seed: 'bundle' });
  opened.push(
    () => store.close(),
    () => simulator.close(),
  );
  const begin = async (): Promise<void> => {
    store = await openFilesStore({ directory: join(dir, 'original') });
    engine = engineOn(store, simulator.url);
  };
  await begin();
  ({
    project: { id: project },
  } = await engine.createProject({ name: 'Round trip', tools: ['calculator'], maxTokens: 5000, failEarly: true }));
  await say('/sim tools calculator');
  await say('/sim redacted 1');
  await engine.createBranch(project, { name: 'Sea & sky', fromRef: 'main' });
  await say('/sim unicode', 'Sea & sky');
  await say('/sim unknown', 'Sea & sky');
  // A process returns what it has just made as it made it; another one reads it from the disk, as most exports do.
  await store.close();
  await begin();
  await bundle('bundle');
});
afterAll(async () => {
  for (const close of opened) await close();
  await rm(dir, { recursive: true, force: true });
});

function engineOn(over: Store, simulatorUrl: string): Engine {
  const simulated = simulatedDeployments(simulatorUrl).map((deployment) => createProvider(deployment, { key: null }));
  return createEngine({
    store: over,
    providers: {
      get: (id) => {
        const found = simulated.find(({ deployment }) => deployment.id === id);
        if (found === undefined) throw new Error(`There is no provider "${id}".`);
        return found;
      },
      list: () => simulated,
      defaults: () => ({ provider: 'simulated', model: 'sim-thinker' }),
    },
    tools: createToolBox(),
    ids: randomIds,
    now: () => new Date(),
    owner: 'test',
    limits: DEFAULT_LIMITS,
    observe: () => undefined,
  });
}

async function say(message: string, ref = 'main'): Promise<void> {
  const { turn } = await engine.chat(project, { ref, message });
  const lines = engine.watch(project, turn.id, 0, new AbortController().signal);
  while ((await lines.next()).done !== true);
}

const bundle = (name: string, from: Store = store) => writeBundle(from, project, join(dir, name));

async function into<Result>(name: string, work: (copy: Store) => Promise<Result>): Promise<Result> {
  const copy = await openFilesStore({ directory: join(dir, 'stores', name) });
  try {
    return await work(copy);
  } finally {
    await copy.close();
  }
}

const load = (to: Store, name: string, onError: ImportOptions['onError'] = 'stop'): Promise<ImportReport> =>
  importPath(to, join(dir, name), { envelope: ENVELOPE, onError });

/** The order of nodes and branches counts; turns, calls and renderings have none of their own. */
async function contentOf(from: Store) {
  const records: ProjectRecord[] = [];
  for await (const record of from.exportProject(project)) records.push(record);
  const ordered = (type: ProjectRecord['type']) => records.filter((record) => record.type === type);
  const unordered = (type: ProjectRecord['type']) => new Set(ordered(type));
  return {
    project: ordered('project'),
    branches: ordered('branch'),
    nodes: ordered('node'),
    turns: unordered('turn'),
    calls: unordered('call'),
    renderings: unordered('rendering'),
  };
}

async function filesIn(name: string): Promise<ReadonlyMap<string, string>> {
  const root = join(dir, name);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(
      files.sort().map(async (path) => [path.slice(root.length), await readFile(path, 'utf8')] as const),
    ),
  );
}

describe('a bundle', () => {
  it('EX-1: comes back equal, raw to the byte, and its own bundle has the same files', async () => {
    const original = await contentOf(store);
    expect(original.calls.size).toBeGreaterThan(3);
    expect(original.renderings.size).toBeGreaterThan(0);
    await into('copy', async (copy) => {
      await load(copy, 'bundle');
      expect(await contentOf(copy)).toEqual(original);
      await bundle('again', copy);
    });
    expect(await filesIn('again')).toEqual(await filesIn('bundle'));
  });

  it('EX-20: takes files along, each once, and comes back with them; one that is missing or changed is refused', async () => {
    const bytes = Buffer.alloc(700_000, 'a picture ');
    await into('with-files', async (source) => {
      await load(source, 'bundle');
      const file = await source.blobs.put(
        (async function* () {
          yield await Promise.resolve(bytes);
        })(),
        { limit: bytes.length },
      );
      const [root] = await source.children(project, null);
      if (root === undefined) throw new Error('the project has messages');
      const block = { type: 'file', name: 'a.bin', file: { ...file, mediaType: 'application/octet-stream' } } as const;
      const nodes = ['first', 'second'].map((id) => ({
        ...root,
        id: nodeId(id),
        turnId: null,
        contentBlocks: [...root.contentBlocks, block],
        matchKey: id,
      }));
      await source.appendNodes(project, nodes);
      expect((await bundle('files', source)).files).toBe(1);
      const path = join('files', file.hash.slice(0, 2), file.hash);
      expect((await readFile(join(dir, 'files', path))).equals(bytes)).toBe(true);
      expect(await readFile(join(dir, 'files', 'bundle.json'), 'utf8')).toContain('"version": 2');

      await into('files-back', async (copy) => {
        await load(copy, 'files');
        expect(await contentOf(copy)).toEqual(await contentOf(source));
        const read = await copy.blobs.read(project, file.hash);
        const pieces: Uint8Array[] = [];
        for await (const piece of read?.bytes ?? []) pieces.push(piece);
        expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
      });
      for (const spoil of [
        (at: string) => rm(at),
        (at: string) => appendFile(at, '!'),
        async (at: string) => {
          await rm(at);
          await symlink('/etc/hostname', at);
        },
      ]) {
        await rm(join(dir, 'spoiled'), { recursive: true, force: true });
        await cp(join(dir, 'files'), join(dir, 'spoiled'), { recursive: true });
        await spoil(join(dir, 'spoiled', path));
        await into(`files-spoiled-${spoil.toString().length}`, async (copy) => {
          for (const onError of ['stop', 'skip'] as const)
            await expect(load(copy, 'spoiled', onError)).rejects.toThrow(/is missing or damaged|is a link/);
          expect(await copy.listProjects()).toEqual([]);
        });
      }
    });
    expect(await readFile(join(dir, 'bundle', 'bundle.json'), 'utf8')).toContain('"version": 1');
  });

  it('EX-1: keeps what the gateway recorded; a record of it that has another form is refused', async () => {
    await into('recorded', async (source) => {
      await load(source, 'bundle');
      const [main] = await source.listBranches(project);
      if (main?.tipId == null) throw new Error('the branch has messages');
      const [tip] = await source.getNodes(project, [main.tipId]);
      if (tip?.turnId == null) throw new Error('the message has a turn');
      const recorded = { client: 'codex/1', session: 's', kind: 'aside', beside: tip.id, because: null } as const;
      await source.createBranch({ ...main, id: branchId('recorded'), name: 'recorded', recorded });
      await source.reopenTurn(project, tip.turnId, 'me', 60_000);
      const [before] = await source.callsOfTurn(project, tip.turnId);
      if (before === undefined) throw new Error('the turn has calls');
      const exchange = {
        client: 'codex/1',
        session: 's',
        mode: 'repair',
        protocol: 'openai-responses',
        path: '/v1/responses',
        came: [{ node: tip.id, key: 'gateway/1' }],
        sent: [{ call: before.id, of: 'came', from: 0, to: 1 }],
        repairs: [{ rule: 'R-1', at: 'input.2', what: 'put back' }],
      } as const;
      await source.commitTurn({
        projectId: project,
        turnId: tip.turnId,
        owner: 'me',
        nodes: [{ ...tip, id: nodeId('told'), parentId: tip.id, matchKey: 'told', trail: 'a trail' }],
        calls: [{ call: { ...before, id: callId('asked'), nodeId: nodeId('told'), exchange }, raw: null }],
        renderings: [{ nodeId: tip.id, key: 'gateway/1', bytes: '{}' }],
        status: 'complete',
      });
      await bundle('recorded', source);
      await into('recorded-back', async (copy) => {
        await load(copy, 'recorded');
        expect(await contentOf(copy)).toEqual(await contentOf(source));
        expect((await copy.findTrail(['a trail']))?.id).toBe('told');
      });
      for (const [file, from, to] of [
        ['branches.jsonl', '"kind":"aside"', '"kind":"else"'],
        ['calls.jsonl', '"of":"came"', '"of":"else"'],
        ['calls.jsonl', '"repairs":[{"rule":"R-1"', '"repairs":[{"rule":1'],
        ['nodes.jsonl', '"trail":"a trail"', '"trail":7'],
      ] as const) {
        await rm(join(dir, 'misshapen'), { recursive: true, force: true });
        await cp(join(dir, 'recorded'), join(dir, 'misshapen'), { recursive: true });
        const text = await readFile(join(dir, 'misshapen', file), 'utf8');
        expect(text).toContain(from);
        await writeFile(join(dir, 'misshapen', file), text.replace(from, to));
        await into('misshapen', async (copy) => {
          await expect(load(copy, 'misshapen')).rejects.toThrow(/is not what a bundle holds there/);
          expect(await copy.listProjects()).toEqual([]);
        });
      }
    });
  });

  it('EX-1: one of an older version, whose branches named a response, comes back equal', async () => {
    await cp(join(dir, 'bundle'), join(dir, 'older'), { recursive: true });
    const file = join(dir, 'older', 'branches.jsonl');
    const lines = (await readFile(file, 'utf8')).replaceAll('"envelope":', '"previousResponseId":"resp_1","envelope":');
    expect(lines).toContain('resp_1');
    await writeFile(file, lines);
    await into('older', async (copy) => {
      await load(copy, 'older');
      expect(await contentOf(copy)).toEqual(await contentOf(store));
    });
    await into('older', async (copy) => expect(await contentOf(copy)).toEqual(await contentOf(store)));
  });

  it('EX-1: importing it where it came from adds nothing', async () => {
    const before = await contentOf(store);
    expect((await load(store, 'bundle')).projects).toMatchObject([{ outcome: 'unchanged', addedNodes: 0 }]);
    expect(await contentOf(store)).toEqual(before);
  });

  it('EX-1: a bundle of a project that went on brings what is new to the copy, calls and raw included', async () => {
    await into('behind', async (copy) => {
      await load(copy, 'bundle');
      await say('/sim tools calculator');
      await say('/sim redacted 1', 'Sea & sky');
      await bundle('ahead');
      const report = await load(copy, 'ahead');
      expect(report).toMatchObject({ projects: [{ outcome: 'grown', addedNodes: 6 }], unreplayable: 0, leftOut: {} });
      expect(await contentOf(copy)).toEqual(await contentOf(store));
    });
  });

  it('EX-2: holds plain lines, raw by its hash, and a readable page of each branch', async () => {
    const files = await filesIn('bundle');
    const names = [...files.keys()];
    expect(names).toEqual(
      expect.arrayContaining(['/bundle.json', '/nodes.jsonl', '/branches/main.md', '/branches/Sea-sky.md']),
    );
    expect(names.filter((name) => /^\/raw\/[0-9a-f]{2}\/[0-9a-f]{64}\.json$/.test(name)).length).toBeGreaterThan(3);
    expect(files.get('/branches/main.md')).toContain('<details><summary>Reasoning</summary>');
  });

  it('EX-4: replaces an older bundle, and never a directory that holds anything else', async () => {
    await bundle('older');
    await bundle('older');
    for (const name of ['mine', 'older']) {
      await mkdir(join(dir, name), { recursive: true });
      await writeFile(join(dir, name, 'thesis.txt'), 'years of work');
      await expect(bundle(name)).rejects.toMatchObject({
        code: 'directory_not_empty',
        message: `${join(dir, name)} holds other files.`,
      });
      expect(await readFile(join(dir, name, 'thesis.txt'), 'utf8')).toBe('years of work');
    }
  });

  it('EX-9: is for its owner alone', async () => {
    const umask = process.umask(0o022);
    try {
      await bundle('private');
    } finally {
      process.umask(umask);
    }
    const states = Object.entries(await treeOf(dir)).flatMap(([path, state]) =>
      path.startsWith('private') ? state : [],
    );
    const modes = new Set(states.map((state) => state.split(' ', 2).join(' ')));
    expect([...modes].sort()).toEqual(['directory 700', 'file 600']);
  });
});

describe('a bundle that was changed', () => {
  /**
   * A damaged copy of the bundle is refused with this message, even where records may be skipped; nothing is stored.
   */
  async function expectRefused(damage: (at: (name: string) => string) => Promise<void>, words: string): Promise<void> {
    await cp(join(dir, 'bundle'), join(dir, 'damaged'), { recursive: true });
    await damage((name) => join(dir, 'damaged', name));
    await into('untouched', async (copy) => {
      for (const onError of ['stop', 'skip'] as const)
        await expect(load(copy, 'damaged', onError)).rejects.toThrow(words);
      expect(await copy.listProjects()).toEqual([]);
    });
    await rm(join(dir, 'damaged'), { recursive: true });
  }

  const rawName = async (): Promise<string> =>
    [...(await filesIn('bundle')).keys()].find((name) => name.startsWith('/raw/')) ?? '';
  const lineOf = async (file: string): Promise<object> => {
    const [line = ''] = (await readFile(join(dir, 'bundle', file), 'utf8')).split('\n');
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : {};
  };
  const linked = async (path: string, target: string): Promise<void> => {
    await rm(path, { recursive: true });
    await symlink(target, path);
  };

  it('EX-3: a raw response that was changed, or a line that is not JSON, is refused, and nothing is stored', async () => {
    const raw = await rawName();
    await expectRefused((at) => appendFile(at(raw), ' '), 'was changed');
    await expectRefused((at) => appendFile(at('nodes.jsonl'), '{"half":\n'), 'It is not valid JSON');
    await expectRefused(async (at) => {
      const manifest: object = JSON.parse(await readFile(at('bundle.json'), 'utf8'));
      await writeFile(at('bundle.json'), JSON.stringify({ ...manifest, project: {} }));
    }, 'bundle.json, the project: "id" is not');
  });

  it('EX-8: a record of another form, of another project, or behind a link is refused whole, and nothing is stored', async () => {
    const raw = await rawName();
    const [node, call] = [await lineOf('nodes.jsonl'), await lineOf('calls.jsonl')];
    const deep = `${'['.repeat(900)}${']'.repeat(900)}`;
    const outside = join(dir, 'outside.json');
    await writeFile(outside, await readFile(join(dir, 'bundle', raw)));
    const added = (file: string, value: unknown) => (at: (name: string) => string) =>
      appendFile(at(file), JSON.stringify(value));
    await expectRefused((at) => writeFile(at('nodes.jsonl'), 'null\n'), 'nodes.jsonl, line 1');
    await expectRefused(added('nodes.jsonl', { ...node, id: 5 }), '"id"');
    await expectRefused(added('nodes.jsonl', { ...node, contentBlocks: {} }), '"contentBlocks"');
    await expectRefused(added('nodes.jsonl', { ...node, projectId: 'other' }), '"projectId"');
    await expectRefused((at) => appendFile(at('turns.jsonl'), deep), 'nested deeper');
    await expectRefused(added('calls.jsonl', { ...call, raw: '../../outside' }), 'does not name');
    await expectRefused((at) => linked(at(raw), outside), 'is a link');
    for (const name of ['raw', 'nodes.jsonl', 'bundle.json'])
      await expectRefused((at) => linked(at(name), join(dir, 'bundle', name)), 'is a link');
  });
});
