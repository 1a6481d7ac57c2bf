import type { Envelope, TreeNode } from '@bough/core';
import { projectId } from '@bough/core';
import type { Store } from '@bough/store';
import { openFilesStore, verifyStore } from '@bough/store';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { importPath } from './index.ts';

const ENVELOPE: Envelope = {
  provider: 'simulated',
  model: 'sim-thinker',
  systemPrompt: null,
  tools: [],
  thinking: 'medium',
};

let dir: string;
let store: Store;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bough-error-reply-'));
  store = await openFilesStore({ directory: join(dir, 'store') });
});
afterEach(async () => {
  await store.close();
  await rm(dir, { recursive: true, force: true });
});

/** The path of the only conversation, and the turns on it. */
async function imported(path: string): Promise<{ nodes: readonly TreeNode[]; statuses: readonly string[] }> {
  const report = await importPath(store, path, { envelope: ENVELOPE, onError: 'stop' });
  const project = projectId(report.projects[0]?.id ?? '');
  const { tipId } = await store.getBranch(project, 'main');
  const nodes = tipId === null ? [] : await store.path(project, tipId);
  const turns = [...new Set(nodes.flatMap(({ turnId }) => turnId ?? []))];
  const statuses = await Promise.all(turns.map(async (turn) => (await store.getTurn(project, turn)).status));
  expect((await verifyStore(store)).findings).toEqual([]);
  return { nodes, statuses };
}

async function file(name: string, content: unknown): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, JSON.stringify(content));
  return path;
}

const kinds = (nodes: readonly TreeNode[]): readonly string[] =>
  nodes.map(
    ({ role, content, isError, interrupted }) =>
      `${role}${isError ? ' error' : ''}${interrupted ? ' interrupted' : ''}: ${content}`,
  );

const question = { role: 'user', content: 'Why?' };
const chatGpt = (content: unknown) => ({
  title: 'T',
  conversation_id: 'c',
  current_node: 'b',
  mapping: {
    a: {
      id: 'a',
      parent: null,
      children: ['b'],
      message: { id: 'a', author: { role: 'user' }, content: { content_type: 'text', parts: ['Why?'] } },
    },
    b: { id: 'b', parent: 'a', children: [], message: { id: 'b', author: { role: 'assistant' }, content } },
  },
});
const claude = (reply: object) => ({
  uuid: 'c',
  name: 'T',
  chat_messages: [
    { uuid: 'a', sender: 'human', text: 'Why?', content: [] },
    { uuid: 'b', sender: 'assistant', text: '', content: [], ...reply },
  ],
});
const ui = (reply: object) => [
  { id: 'a', role: 'user', parts: [{ type: 'text', text: 'Why?' }] },
  { id: 'b', role: 'assistant', parts: [], ...reply },
];

describe('error replies of other programs', () => {
  it.each<readonly [string, unknown, readonly string[]]>([
    ['chat, a flag', [question, { role: 'assistant', content: 'Overloaded', isError: true }], ['error: Overloaded']],
    ['chat, a flag called error', [question, { role: 'assistant', content: 'Boom', error: true }], ['error: Boom']],
    ['chat, its end', [question, { role: 'assistant', content: 'Boom', finish_reason: 'error' }], ['error: Boom']],
    [
      'chat, an error beside what had come',
      [question, { role: 'assistant', content: 'Becau', error: { code: 502, message: 'Upstream left' } }],
      [' interrupted: Becau', 'error: Upstream left'],
    ],
    ['chat, an error alone', [question, { role: 'assistant', content: null, error: 'Boom' }], ['error: Boom']],
    [
      'ChatGPT',
      [chatGpt({ content_type: 'system_error', name: 'InternalError', text: 'Something went wrong' })],
      ['error: InternalError: Something went wrong'],
    ],
    ['Claude', [claude({ error: { type: 'overloaded_error', message: 'Overloaded' } })], ['error: Overloaded']],
    ['Claude, a flag', [claude({ text: 'Overloaded', is_error: true })], ['error: Overloaded']],
    ['AI SDK, a part', ui({ parts: [{ type: 'error', errorText: 'No quota' }] }), ['error: No quota']],
    [
      'AI SDK, after a text',
      ui({ parts: [{ type: 'text', text: 'Becau' }], metadata: { error: { message: 'No quota' } } }),
      [' interrupted: Becau', 'error: No quota'],
    ],
    [
      'AI SDK, its end',
      ui({ parts: [{ type: 'text', text: 'No quota' }], metadata: { finishReason: 'error' } }),
      ['error: No quota'],
    ],
  ])('IM-25: arrive as errors: %s', async (_, content, expected) => {
    const { nodes, statuses } = await imported(await file('conversations.json', content));
    expect(kinds(nodes)).toEqual([
      'user: Why?',
      ...expected.map((each) => (each.startsWith('error') ? `assistant ${each}` : `assistant${each}`)),
    ]);
    expect(statuses).toEqual(['error']);
  });

  const flat = (more: object = {}) => ({
    conversation: { id: 'c', title: 'T' },
    turns: [{ id: 't', isThinkingMode: false }],
    messages: [
      { id: 'a', role: 'user', content: 'Why?', turnId: 't', createdAt: '2025-01-01T10:00:00Z' },
      { id: 'b', role: 'assistant', content: 'Error: 429', turnId: 't', createdAt: '2025-01-01T10:00:01Z' },
    ],
    thinkBlocks: [],
    toolCalls: [],
    ...more,
  });
  const thought = { id: 'k', content: 'Hm.', turnId: 't', sortOrder: 0, createdAt: '2025-01-01T10:00:00.5Z' };

  it('IM-25: SmallEBot stores one as the only reply of its turn', async () => {
    const { nodes, statuses } = await imported(await file('flat.json', flat()));
    expect(kinds(nodes)).toEqual(['user: Why?', 'assistant error: Error: 429']);
    expect(statuses).toEqual(['error']);
  });

  it('IM-25: a model that begins with the same word, after a thought, has said so itself', async () => {
    const { nodes, statuses } = await imported(await file('flat.json', flat({ thinkBlocks: [thought] })));
    expect(nodes.some(({ isError }) => isError)).toBe(false);
    expect(statuses).toEqual(['complete']);
  });

  it('IM-25: a failed tool does not make an error of its turn', async () => {
    const { nodes, statuses } = await imported(
      await file('conversations.json', [
        claude({
          content: [
            { type: 'tool_use', id: 'x', name: 'look', input: {} },
            { type: 'tool_result', tool_use_id: 'x', content: 'no', is_error: true },
            { type: 'text', text: 'It failed.' },
          ],
        }),
      ]),
    );
    expect(nodes.map(({ role, isError }) => `${role} ${isError}`)).toEqual([
      'user false',
      'assistant false',
      'tool true',
      'assistant false',
    ]);
    expect(statuses).toEqual(['complete']);
  });

  it('IM-25: Loom says so in the reason for the end of a reply', async () => {
    const loom = join(dir, 'loom');
    const node = (id: string, parent: string, role: string, text: string, source: object) => ({
      id: `root-1/${id}`,
      root_id: 'root-1',
      parent_id: parent,
      child_ids: [],
      message: { role, content: [{ type: 'text', text }] },
      metadata: { timestamp: '2024-01-01T00:00:00.000Z', original_root_id: 'root-1', source_info: source },
    });
    const model = {
      type: 'model',
      provider: 'anthropic',
      model_name: 'claude',
      parameters: {},
      finish_reason: 'error',
    };
    await mkdir(join(loom, 'root-1/nodes'), { recursive: true });
    const nodes = [
      node('node-1', 'root-1', 'user', 'Why?', { type: 'user' }),
      node('node-2', 'root-1/node-1', 'assistant', 'Overloaded', model),
    ];
    for (const each of nodes)
      await writeFile(join(loom, 'root-1/nodes', `${each.id.slice(7)}.json`), JSON.stringify(each));
    const root = { id: 'root-1', child_ids: ['root-1/node-1'], createdAt: '2024-01-01T00:00:00.000Z', config: {} };
    await writeFile(join(loom, 'roots.json'), JSON.stringify([root]));
    const { nodes: path, statuses } = await imported(loom);
    expect(kinds(path)).toEqual(['user: Why?', 'assistant error: Overloaded']);
    expect(statuses).toEqual(['error']);
  });
});
