import type { Annotation, Branch, Call, Envelope, NodeId, Project, TreeNode, Turn } from '@bough/core';
import { branchId, callId, nodeId, turnId } from '@bough/core';
import type { ProjectRecord, Store } from '@bough/store';
import { openFilesStore } from '@bough/store';
import { sketch, SKETCH_PROJECT } from '@bough/testkit';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DatasetRequest, DatasetShape } from './options.ts';
import { datasetOptions } from './options.ts';
import { countDataset, writeDataset } from './write.ts';

const SEAL = 'seal-of-the-issuer';
const ENVELOPE: Envelope = {
  provider: 'sim',
  model: 'one',
  systemPrompt: 'Be brief.',
  tools: ['calculator', 'unheard-of'],
  thinking: 'off',
};
const PROJECT: Project = {
  id: SKETCH_PROJECT,
  name: 'Sums',
  description: null,
  systemPrompt: null,
  defaults: {},
  archived: false,
  createdAt: '2026-01-01T00:00:00.000Z',
};
const branch = (name: string, tip: string, change: Partial<Envelope> = {}): Branch => ({
  id: branchId(name),
  projectId: SKETCH_PROJECT,
  name,
  tipId: nodeId(tip),
  forkedFromId: null,
  envelope: { ...ENVELOPE, ...change },
  replayBy: 'issuer',
  keepToolsAfterBreak: false,
  pinned: false,
  hidden: false,
  color: null,
  createdAt: '2026-01-01T00:00:00.000Z',
});

const NODES = sketch(`
  u1 user branch=main: What is 2 + 3?
  a1 assistant sim/one branch=main turn=t1: [think! I should add] Let me see. [call c1 calculator {"a":2}] [call c2 lost {}]
  r1 tool c1 branch=main turn=t1: 5
  a2 assistant sim/one branch=main turn=t1: [redacted] It is 5. [custom web_search]
  u2 user branch=main: And 4 + 4?
  a3 assistant sim/one branch=main turn=t2: Eight.
  b3 < u2 assistant sim/two branch=main turn=t3: Nine.
  c3 < u2 assistant sim/one branch=main turn=t4: Eight.
  d3 < u2 assistant sim/one branch=other turn=t5: Acht.
  e3 < u2 assistant sim/one branch=main turn=t6 !error: Overloaded.
  f3 < u2 assistant sim/one branch=main turn=t7 !interrupted: Eig
`);

const verdict = (node: string, name: string, said: Annotation['verdict'], text = ''): Annotation => ({
  projectId: SKETCH_PROJECT,
  nodeId: nodeId(node),
  kind: 'verdict',
  name,
  text,
  changedAt: '2026-02-01T00:00:00.000Z',
  ...(said !== undefined && { verdict: said }),
});
const beside = (node: string, kind: 'star' | 'note', text = ''): Annotation => ({
  projectId: SKETCH_PROJECT,
  nodeId: nodeId(node),
  kind,
  name: '',
  text,
  changedAt: '2026-02-01T00:00:00.000Z',
});
const ANNOTATIONS: readonly Annotation[] = [
  verdict('a3', 'k1', 'better', 'private reason'),
  verdict('b3', 'k1', 'worse'),
  verdict('a3', 'k2', 'better'),
  verdict('d3', 'k2', 'worse'),
  verdict('a3', 'k3', 'tied'),
  verdict('c3', 'k3', 'tied'),
  verdict('c3', '', 'good'),
  verdict('b3', '', 'bad'),
  beside('b3', 'star'),
  beside('u2', 'note', 'private note'),
];

let dir: string;
let store: Store;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bough-dataset-test-'));
  store = await openFilesStore({ directory: join(dir, 'store') });
  await store.importProject(records());
  await store.annotate(SKETCH_PROJECT, { put: ANNOTATIONS, remove: [] });
});
afterAll(async () => {
  await store.close();
  await rm(dir, { recursive: true, force: true });
});

async function* records(): AsyncGenerator<ProjectRecord, void> {
  yield { type: 'project', value: PROJECT };
  for (const value of [branch('main', 'a3'), branch('other', 'd3', { systemPrompt: 'Speak German.' })])
    yield { type: 'branch', value };
  for (const id of new Set(NODES.flatMap(({ turnId }) => turnId ?? []))) yield { type: 'turn', value: { ...TURN, id } };
  for (const node of NODES) yield { type: 'node', value: sealed(node) };
}

const TURN: Omit<Turn, 'id'> = {
  projectId: SKETCH_PROJECT,
  branchId: null,
  isThinkingMode: false,
  status: 'complete',
  createdAt: '2026-01-01T00:00:00.000Z',
};

const sealed = (node: TreeNode): TreeNode => ({
  ...node,
  contentBlocks: node.contentBlocks.map((block) => (block.type === 'thinking' ? { ...block, signature: SEAL } : block)),
});

const calculator = { name: 'calculator', description: 'Adds.', inputSchema: { type: 'object' } };
const asked = (shape: DatasetShape, more: DatasetRequest = {}) =>
  datasetOptions({ shape, definitions: new Map([['calculator', calculator]]), ...more });

interface Entry {
  readonly sha256: string;
  readonly prompt: { readonly nodes: readonly NodeId[]; readonly messages: number; readonly sha256: string };
  readonly reply?: { readonly nodes: readonly NodeId[] };
  readonly chosen?: { readonly nodes: readonly NodeId[]; readonly model: string };
  readonly rejected?: { readonly nodes: readonly NodeId[]; readonly model: string };
  readonly comparisons?: readonly string[];
}
let made = 0;
async function dataset(shape: DatasetShape, more: DatasetRequest = {}) {
  const directory = join(dir, `made-${(made += 1)}`);
  const options = asked(shape, more);
  const report = await writeDataset(store, [PROJECT], directory, options);
  const text = (name: string) => readFile(join(directory, name), 'utf8');
  const lines = async (name: string): Promise<unknown[]> =>
    (await text(name)).split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  const rows = (
    options.format === 'jsonl'
      ? await lines('data.jsonl')
      : await parquetReadObjects({ file: await asyncBufferFromFile(join(directory, 'data.parquet')) })
  ) as Record<string, Record<string, unknown>[]>[];
  const entries = (await lines('records.jsonl')) as Entry[];
  const manifest = JSON.parse(await text('manifest.json')) as Record<string, unknown>;
  return { directory, report, rows, entries, manifest };
}
const idsIn = (entries: readonly Entry[]) => entries.map(({ reply }) => reply?.nodes.join(' '));
const hashOf = (messages: readonly unknown[]): string =>
  createHash('sha256')
    .update(messages.map((message) => `${JSON.stringify(message)}\n`).join(''))
    .digest('hex');

const BEGINNING = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'What is 2 + 3?' },
  {
    role: 'assistant',
    content: 'Let me see.',
    reasoning_content: 'I should add',
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'calculator', arguments: '{"a":2}' } }],
  },
  { role: 'tool', content: '5', tool_call_id: 'c1' },
  { role: 'assistant', content: 'It is 5.' },
  { role: 'user', content: 'And 4 + 4?' },
];

describe('a dataset', () => {
  it('EX-780: has a conversation for every last reply, with reasoning, tools and results; nothing is left out silently', async () => {
    const { rows, entries, manifest } = await dataset('messages', { reasoning: 'field' });
    expect(rows[0]).toEqual({
      messages: [...BEGINNING, { role: 'assistant', content: 'Eight.' }],
      tools: [
        { type: 'function', function: { name: 'calculator', description: 'Adds.', parameters: { type: 'object' } } },
      ],
    });
    expect(idsIn(entries)).toEqual(['a3', 'b3', 'c3', 'd3']);
    expect(rows[3]?.['messages']?.[0]).toEqual({ role: 'system', content: 'Speak German.' });
    expect(manifest).toMatchObject({
      format: 'bough-dataset',
      bough: expect.any(String),
      options: { shape: 'messages', reasoning: 'field', filters: {} },
      records: 4,
      leftOut: {
        records: { reply_failed: 1, reply_unfinished: 1 },
        parts: {
          provider_blocks: 1,
          reasoning_encrypted: 1,
          tool_calls_without_result: 1,
          tools_not_defined_here: 1,
        },
      },
    });
  });

  it('EX-781: has a record for every reply, with what comes before it as its prompt', async () => {
    const { rows, entries } = await dataset('prompt-completion', { reasoning: 'think', tools: false });
    expect(idsIn(entries)).toEqual(['a1 r1 a2', 'a3', 'b3', 'c3', 'd3']);
    expect(rows[0]).toEqual({
      prompt: BEGINNING.slice(0, 2),
      completion: [{ role: 'assistant', content: '<think>\nI should add\n</think>\n\nLet me see.\n\nIt is 5.' }],
    });
  });

  it('EX-782: ShareGPT alternates, and what it has no place for is counted', async () => {
    const { rows, manifest } = await dataset('sharegpt', { models: ['two'] });
    expect(rows).toEqual([
      {
        conversations: [
          { from: 'system', value: 'Be brief.' },
          { from: 'human', value: 'What is 2 + 3?' },
          { from: 'function_call', value: '{"name":"calculator","arguments":{"a":2}}' },
          { from: 'observation', value: '5' },
          { from: 'gpt', value: 'It is 5.' },
          { from: 'human', value: 'And 4 + 4?' },
          { from: 'gpt', value: 'Nine.' },
        ],
        tools: JSON.stringify([{ name: 'calculator', description: 'Adds.', parameters: { type: 'object' } }]),
      },
    ]);
    expect(manifest['leftOut']).toMatchObject({ parts: { text_beside_tool_calls: 1, reasoning: 1 } });
    expect(() => asked('sharegpt', { reasoning: 'field' })).toThrow('Ask for "think"');
  });

  it('EX-783: a preference has one prompt for both replies, and its hash proves it', async () => {
    const { rows, entries, manifest } = await dataset('preference', { reasoning: 'field' });
    expect(entries.map(({ chosen, rejected, comparisons }) => [chosen, rejected, comparisons])).toEqual([
      [{ nodes: ['a3'], model: 'one' }, { nodes: ['b3'], model: 'two' }, ['k1']],
      [{ nodes: ['c3'], model: 'one' }, { nodes: ['b3'], model: 'two' }, []],
    ]);
    expect(rows[0]).toMatchObject({
      prompt: BEGINNING,
      chosen: [{ role: 'assistant', content: 'Eight.' }],
      rejected: [{ role: 'assistant', content: 'Nine.' }],
    });
    for (const [place, entry] of entries.entries()) {
      expect(entry.prompt.sha256).toBe(hashOf(rows[place]?.['prompt'] ?? []));
      expect(entry.sha256).toBe(createHash('sha256').update(JSON.stringify(rows[place])).digest('hex'));
    }
    // The other branch has another system prompt: d3 answered something else.
    expect(manifest['leftOut']).toMatchObject({ records: { prefix_differs: 1, tied: 1 } });
    expect(idsIn(entries).length).toBe(2);
    expect((await dataset('preference', { verdicts: ['good'] })).entries).toHaveLength(1);
    expect(() => asked('preference', { verdicts: ['worse'] })).toThrow('never "worse"');
  });

  it('EX-784: holds what was asked for: by star, verdict, model and time', async () => {
    const found = async (more: DatasetRequest) => idsIn((await dataset('prompt-completion', more)).entries);
    expect(await found({ starred: true })).toEqual(['b3']);
    expect(await found({ verdicts: ['good', 'tied'] })).toEqual(['a3', 'c3']);
    expect(await found({ blind: true })).toEqual([]);
    expect(await found({ models: ['two'] })).toEqual(['b3']);
    expect(await found({ since: '1970-01-01T00:00:07Z' })).toEqual(['c3', 'd3']);
    expect(await found({ until: '1969-12-31' })).toEqual([]);
    expect(await found({ until: '1970-01-01' })).toHaveLength(5);
    for (const since of ['yesterday', '2026-02-31', '2026-13-01'])
      expect(() => asked('messages', { since })).toThrow('Write a day');
    expect(() => asked('messages', { verdicts: ['splendid'] })).toThrow('There are better');
  });

  it('EX-785: the same data gives the same bytes, and the manifest has their hashes', async () => {
    for (const format of ['jsonl', 'parquet'] as const) {
      const [one, other] = [await dataset('messages', { format }), await dataset('messages', { format })];
      for (const name of await readdir(one.directory))
        expect(await readFile(join(one.directory, name))).toEqual(await readFile(join(other.directory, name)));
      const bytes = await readFile(join(one.directory, `data.${format}`));
      expect(one.manifest['data']).toEqual({
        path: `data.${format}`,
        size: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      });
    }
  });

  it.each(['messages', 'prompt-completion', 'sharegpt', 'preference'] as const)(
    'EX-786: %s in Parquet is read back as it is in JSON',
    async (shape) => {
      const reasoning = shape === 'sharegpt' ? 'think' : 'field';
      const json = await dataset(shape, { reasoning });
      const { rows } = await dataset(shape, { reasoning, format: 'parquet' });
      // A column has a value in every row: what a message lacks is null.
      const plain = JSON.parse(JSON.stringify(rows, (_, value: unknown) => value ?? undefined)) as typeof rows;
      const expected = json.rows.map((row) =>
        typeof row['tools'] === 'object' ? { ...row, tools: JSON.stringify(row['tools']) } : row,
      );
      expect(rows.length).toBeGreaterThan(0);
      expect(plain).toEqual(expected);
    },
  );

  it('EX-787: holds no seal, and notes and reasons only where they are asked for', async () => {
    const all = async ({ directory }: { readonly directory: string }): Promise<string> =>
      (await Promise.all((await readdir(directory)).map((name) => readFile(join(directory, name), 'utf8')))).join('');
    const plain = await all(await dataset('preference', { reasoning: 'field' }));
    expect(plain).not.toMatch(/private|seal-of/);
    const noted = await all(await dataset('preference', { notes: true }));
    expect(noted).toContain('private note');
    expect(noted).toContain('private reason');
    expect(noted).not.toContain(SEAL);
  });

  it('EX-788: never replaces a directory that holds anything else, and is for its owner alone', async () => {
    const mine = join(dir, 'mine');
    await mkdir(mine);
    await writeFile(join(mine, 'manifest.json'), '{}');
    const written = () => writeDataset(store, [PROJECT], mine, asked('messages'));
    await expect(written()).rejects.toMatchObject({ code: 'directory_not_empty' });
    expect(await readFile(join(mine, 'manifest.json'), 'utf8')).toBe('{}');
    await rm(join(mine, 'manifest.json'));
    await written();
    expect((await written()).records).toBe(4);
    expect(await readdir(mine)).toEqual(['data.jsonl', 'manifest.json', 'records.jsonl']);
  });

  it('EX-792: a summary is no record, also where no branch has it: a merge brought it, or its branch is gone', async () => {
    const nodes = sketch(`
      u1 user branch=main: How tall is an oak?
      a1 assistant sim/one branch=main turn=t1: Forty metres.
      s1 < a1 user branch=main turn=t2: Summarise this conversation.
      s2 assistant sim/one branch=main turn=t2: Oaks are forty metres tall.
      v1 < u1 assistant sim/one branch=main turn=t3: As a house of ten floors.
    `);
    const summary: Call = {
      id: callId('c1'),
      projectId: SKETCH_PROJECT,
      turnId: turnId('t2'),
      nodeId: nodeId('s2'),
      provider: 'sim',
      deployment: 'sim',
      model: 'one',
      status: 'complete',
      requestHash: 'f00d',
      providerRequestId: null,
      responseId: null,
      startedAt: TURN.createdAt,
      firstByteAt: null,
      endedAt: null,
      usage: null,
      cost: null,
      errorCode: null,
      purpose: 'summary',
    };
    async function* summarised(): AsyncGenerator<ProjectRecord, void> {
      yield { type: 'project', value: PROJECT };
      yield { type: 'branch', value: branch('main', 'a1') };
      for (const id of ['t1', 't2', 't3']) yield { type: 'turn', value: { ...TURN, id: turnId(id) } };
      for (const value of nodes) yield { type: 'node', value };
      yield { type: 'call', value: summary, raw: null };
    }
    const other = await openFilesStore({ directory: join(dir, 'summarised') });
    await other.importProject(summarised());
    const count = await countDataset(other, [PROJECT], asked('messages'));
    await other.close();
    expect(count).toMatchObject({ records: 2, leftOut: { records: { summary: 1 } } });
  });

  it('EX-789: is counted as it would be written', async () => {
    for (const shape of ['messages', 'preference'] as const) {
      const { directory: _, files: __, ...report } = (await dataset(shape)).report;
      expect(await countDataset(store, [PROJECT], asked(shape))).toEqual(report);
    }
  });

  it.each(['messages', 'sharegpt'] as const)(
    'EX-791: %s takes turns where a reply is left out, and where a person added something',
    async (shape) => {
      const nodes = sketch(`
        u1 user branch=main: How tall is an oak?
        a1 assistant sim/one branch=main turn=t1 !error: Overloaded.
        u2 user branch=main: Once more, please.
        a2 assistant sim/one branch=main turn=t2: [redacted]
        u3 user branch=main: In metres.
        a3 assistant sim/one branch=main turn=t3: [call c1 lost {}] Forty.
        a4 assistant sim/one branch=main turn=t3: Or more.
      `);
      const partial = {
        graph: () => Promise.resolve({ nodes, branches: [branch('main', 'a4')] }),
        annotations: () => Promise.resolve([]),
        getNodes: (_: unknown, ids: readonly NodeId[]) => Promise.resolve(nodes.filter(({ id }) => ids.includes(id))),
      };
      const directory = join(dir, `turns-${shape}`);
      await writeDataset({ ...store, ...partial }, [PROJECT], directory, asked(shape));
      const row: unknown = JSON.parse(await readFile(join(directory, 'data.jsonl'), 'utf8'));
      const said = ['Be brief.', 'How tall is an oak?\n\nOnce more, please.\n\nIn metres.', 'Forty.\n\nOr more.'];
      expect(row).toMatchObject(
        shape === 'messages'
          ? { messages: ['system', 'user', 'assistant'].map((role, at) => ({ role, content: said[at] })) }
          : { conversations: ['system', 'human', 'gpt'].map((from, at) => ({ from, value: said[at] })) },
      );
    },
  );

  it('EX-790: each message of a long tree is read once, and a path at a time', async () => {
    const deep = sketch(
      Array.from(
        { length: 300 },
        (_, at) => `n${at} ${at % 2 === 0 ? 'user' : `assistant sim/one turn=t${at}`}: ${at}`,
      ).join('\n') + '\nx1 < n298 assistant sim/one turn=x: other\ny1 < n100 assistant sim/one turn=y: early',
    );
    const read: NodeId[] = [];
    const partial = {
      graph: () => Promise.resolve({ nodes: deep, branches: [] }),
      annotations: () => Promise.resolve([]),
      callsOfTurn: () => Promise.resolve([]),
      getNodes: (_: unknown, ids: readonly NodeId[]) => {
        read.push(...ids);
        return Promise.resolve(deep.filter(({ id }) => ids.includes(id)));
      },
    };
    const { records } = await countDataset({ ...store, ...partial }, [PROJECT], asked('prompt-completion'));
    expect(records).toBe(152);
    expect(read.length).toBe(deep.length);
  });
});
