import { buildContentBlocksForProvider } from '@bough/providers';
import { isPlainObject, projectId } from '@bough/core';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git, openStore, temporaryDirectory } from '../git/testing/workplace.ts';
import { verifyStore } from './index.ts';

// Raw responses in every form that ResearchTree kept, each with the blocks that its own code makes of it.

const anthropic = (events: readonly (readonly [string, object])[]): readonly object[] =>
  events.map(([event, data]) => ({ event, data: JSON.stringify({ type: event, ...data }) }));
const gemini = (...parts: readonly object[]): object => ({ candidates: [{ content: { role: 'model', parts } }] });
const text = (words: string): object => ({ type: 'text', text: words });
const delta = (content: string): object => ({ id: 'x', choices: [{ index: 0, delta: { content } }] });

const FORMS: readonly (readonly [string, unknown, string, readonly object[]])[] = [
  [
    'anthropic',
    anthropic([
      ['content_block_start', { index: 0, content_block: { type: 'thinking', thinking: '' } }],
      ['content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } }],
      ['content_block_delta', { index: 0, delta: { type: 'signature_delta', signature: 'sig' } }],
      ['content_block_stop', { index: 0 }],
      ['content_block_start', { index: 1, content_block: { type: 'server_tool_use', id: 's1', name: 'web_search' } }],
      ['content_block_delta', { index: 1, delta: { type: 'input_json_delta', partial_json: '{"query":"oak"}' } }],
      ['content_block_stop', { index: 1 }],
      ['content_block_start', { index: 2, content_block: { type: 'text', text: '' } }],
      ['content_block_delta', { index: 2, delta: { type: 'text_delta', text: 'Forty.' } }],
      ['content_block_stop', { index: 2 }],
    ]),
    'Forty.',
    // ResearchTree has no place for the input of the provider's own tools.
    [
      { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
      { type: 'server_tool_use', id: 's1', name: 'web_search' },
      text('Forty.'),
    ],
  ],
  [
    'anthropic',
    [
      {
        id: 'm',
        type: 'message',
        role: 'assistant',
        content: [{ type: 'thinking', thinking: 'So.', signature: 's' }, text('Whole.')],
      },
    ],
    'Whole.',
    [{ type: 'thinking', thinking: 'So.', signature: 's' }, text('Whole.')],
  ],
  [
    'gemini',
    {
      stream: [
        gemini({ text: 'Think', thought: true }),
        gemini({ text: 'Tall ' }),
        gemini({ text: 'trees.', thoughtSignature: 'g' }),
      ],
      response: gemini({ text: 'Tall trees.' }),
    },
    'Tall trees.',
    [
      { type: 'thinking', thinking: 'Think' },
      text('Tall '),
      { type: 'thinking_signature', signature: 'g' },
      text('trees.'),
    ],
  ],
  [
    'gemini',
    {
      stream: [gemini({ text: 'A' })],
      response: gemini({ text: 'why', thought: true }, { text: 'AB', thoughtSignature: 'q' }),
    },
    'AB',
    [{ type: 'thinking', thinking: 'why' }, text('AB'), { type: 'thinking_signature', signature: 'q' }],
  ],
  ['gemini', [gemini({ text: 'once' })], 'once', [text('once')]],
  [
    'openai',
    [delta('Hel'), delta('lo'), { id: 'x', choices: [], usage: { prompt_tokens: 1 } }],
    'Hello',
    [text('Hello')],
  ],
  ['openai', [{ id: 'c', choices: [{ message: { role: 'assistant', content: 'Chat' } }] }], 'Chat', [text('Chat')]],
  [
    'openai_responses',
    {
      responseId: 'r',
      events: [
        { type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning', id: 'rs', summary: [] } },
        {
          type: 'response.reasoning_summary_text.delta',
          item_id: 'rs',
          output_index: 0,
          summary_index: 0,
          delta: 'Sum',
        },
        { type: 'response.output_item.added', output_index: 1, item: { type: 'message', id: 'm', content: [] } },
        { type: 'response.output_text.delta', item_id: 'm', output_index: 1, content_index: 0, delta: 'Reply' },
      ],
    },
    'Reply',
    // ResearchTree shows no summary.
    [text('Reply')],
  ],
  [
    'openai_responses',
    [
      {
        id: 'r',
        object: 'response',
        output: [{ type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'All' }] }],
      },
    ],
    'All',
    [text('All')],
  ],
];

const ID = '5b1f6a2e-7777-4888-8999-0aaabbbbcccc';

async function repositoryWith(lines: readonly object[]) {
  const root = await temporaryDirectory();
  const directory = join(root, ID);
  await mkdir(directory);
  git(directory, 'init', '--quiet', '-b', 'main');
  await writeFile(
    join(directory, 'project.json'),
    JSON.stringify({ id: ID, name: 'Raw', createdAt: '2025-01-01T00:00:00.000Z' }),
  );
  await writeFile(join(directory, 'nodes.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  git(directory, 'add', '.');
  git(directory, 'commit', '--quiet', '-m', 'all');
  return openStore(root);
}

const linesOf = (forms: typeof FORMS): readonly object[] =>
  forms.flatMap(([provider, rawResponse, content, contentBlocks], at) => [
    { id: `u${at}`, type: 'message', timestamp: at * 2, parent: null, role: 'user', content: 'Ask' },
    {
      id: `a${at}`,
      type: 'message',
      timestamp: at * 2 + 1,
      parent: `u${at}`,
      role: 'assistant',
      content,
      modelUsed: 'm',
      rawResponse,
      contentBlocks,
      thinking: { provider, availability: 'full', content: [] },
    },
  ]);

test('VE-20: replies of ResearchTree are healthy in every form that it kept them in', async () => {
  const store = await repositoryWith(linesOf(FORMS));
  const { checked, findings } = await verifyStore(store, { blocksOfRaw: buildContentBlocksForProvider });
  expect(checked).toMatchObject({ nodes: FORMS.length * 2, calls: FORMS.length });
  expect(findings).toStrictEqual([]);
});

test('VE-20: a text that raw does not give is still found', async () => {
  const [form] = FORMS;
  if (!form) throw new Error('there are forms');
  const [provider, raw] = form;
  const store = await repositoryWith(linesOf([[provider, raw, 'Fifty.', [text('Fifty.')]]]));
  const { findings } = await verifyStore(store, { blocksOfRaw: buildContentBlocksForProvider });
  expect(findings.map(({ code }) => code)).toStrictEqual(['blocks_differ_from_raw']);
});

test('GIT-53: the whole body of a reply that was not streamed goes back to its provider', async () => {
  const store = await repositoryWith(linesOf(FORMS));
  const bodies: unknown[] = [];
  for await (const record of store.exportProject(projectId(ID)))
    if (record.type === 'call' && isPlainObject(record.raw?.payload)) bodies.push([record.raw.api, record.raw.payload]);
  expect(bodies).toMatchObject([
    ['anthropic-messages', { response: expect.stringContaining('Whole.') }],
    ['gemini', { stream: [{}, {}, {}].map(() => expect.any(String)) }],
    ['gemini', { stream: [], response: expect.stringContaining('why') }],
    ['gemini', { stream: [], response: expect.stringContaining('once') }],
    ['openai-chat', { response: expect.stringContaining('Chat') }],
    ['openai-responses', { response: null }],
    ['openai-responses', { events: [], response: expect.stringContaining('All') }],
  ]);
});
