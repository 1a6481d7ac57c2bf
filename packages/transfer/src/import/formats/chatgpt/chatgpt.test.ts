import { citationsOf, deriveTextFromBlocks, providerToolsOf } from '@bough/core';
import { describe, expect, it } from 'vitest';
import { useImports } from '../../testing/imported.ts';

const imports = useImports();

interface Said {
  readonly role: string;
  readonly content: object;
  readonly name?: string;
  readonly to?: string;
  readonly metadata?: object;
  readonly more?: object;
}

/** A conversation in which each message follows the one before. */
const talk = (messages: readonly Said[], more: object = {}) => ({
  title: 'T',
  create_time: 1_700_000_000,
  conversation_id: 'c',
  current_node: `m${messages.length - 1}`,
  mapping: Object.fromEntries(
    messages.map(({ role, content, name, to = 'all', metadata = {}, more: rest = {} }, index) => [
      `m${index}`,
      {
        id: `m${index}`,
        parent: index === 0 ? null : `m${index - 1}`,
        children: [`m${index + 1}`],
        message: {
          id: `m${index}`,
          author: { role, name },
          content,
          metadata,
          recipient: to,
          status: 'finished',
          ...rest,
        },
      },
    ]),
  ),
  ...more,
});
const text = (...parts: unknown[]) => ({ content_type: 'text', parts });
const ask: Said = { role: 'user', content: text('Go.') };
const answer = (words: string, metadata: object = {}, more: object = {}): Said => ({
  role: 'assistant',
  content: text(words),
  metadata: { model_slug: 'gpt-5', ...metadata },
  more,
});

describe('ChatGPT', () => {
  it.each<readonly [string, readonly Said[], readonly string[]]>([
    [
      'bio',
      [
        { role: 'assistant', to: 'bio', content: text('The user has a dog.') },
        { role: 'tool', name: 'bio', content: text('Model set context updated.') },
      ],
      ['tool-use: {"value":"The user has a dog."}', 'tool text: Model set context updated.'],
    ],
    [
      'dalle',
      [
        { role: 'assistant', to: 'dalle.text2im', content: text('{"prompt":"a dog"}') },
        { role: 'tool', name: 'dalle.text2im', content: text('DALL-E returned some images.') },
      ],
      ['tool-use: {"prompt":"a dog"}', 'tool text: DALL-E returned some images.'],
    ],
    [
      'code and its output',
      [
        { role: 'assistant', to: 'python', content: { content_type: 'code', language: 'python', text: 'print(1)' } },
        { role: 'tool', name: 'python', content: { content_type: 'execution_output', text: '1' } },
      ],
      ['tool-use: {"code":"print(1)"}', 'tool text: 1'],
    ],
    [
      'browsing',
      [
        { role: 'assistant', to: 'browser', content: { content_type: 'code', text: 'search("dogs")' } },
        {
          role: 'tool',
          name: 'browser',
          content: { content_type: 'tether_browsing_display', result: '# Dogs', summary: null },
        },
        {
          role: 'tool',
          name: 'browser',
          content: { content_type: 'tether_quote', url: 'https://d.example/', title: 'Dogs', text: 'Bark.' },
        },
      ],
      [
        'tool-use: {"code":"search(\\"dogs\\")"}',
        'tool text: # Dogs',
        'tool-use: {}',
        'tool text: Dogs\nhttps://d.example/\nBark.',
      ],
    ],
    [
      'canvas',
      [
        {
          role: 'assistant',
          to: 'canmore.create_textdoc',
          content: { content_type: 'code', text: '{"name":"Doc","content":"Hello"}' },
        },
        { role: 'tool', name: 'canmore.create_textdoc', content: text('Successfully created text document.') },
      ],
      ['tool-use: {"name":"Doc","content":"Hello"}', 'tool text: Successfully created text document.'],
    ],
    [
      'a computer',
      [
        { role: 'assistant', to: 'computer.do', content: { content_type: 'code', text: '{"click":1}' } },
        {
          role: 'tool',
          name: 'computer.do',
          content: {
            content_type: 'computer_output',
            state: { url: 'https://d.example/' },
            screenshot: { asset_pointer: 'sediment://file_00aa' },
          },
        },
      ],
      ['tool-use: {"click":1}', 'tool text: {"url":"https://d.example/"}'],
    ],
  ])('IM-98: %s is a tool with what it gave, and not the words of the assistant', async (_, between, expected) => {
    const { main } = await imports.bring('conversations.json', [talk([ask, ...between, answer('Done.')])]);
    expect(main.slice(1, -1).map((line) => line.replace(/^assistant( \(.*?\))? /, ''))).toEqual(expected);
    expect(main.at(-1)).toBe('assistant (gpt-5) text: Done.');
  });

  it('IM-98: each output answers the nearest open call of its tool, on its own branch', async () => {
    const call = (to: string): Said => ({ role: 'assistant', to, content: text(`{"of":"${to}"}`) });
    const output = (name: string): Said => ({ role: 'tool', name, content: text(`from ${name}`) });
    const { nodes } = await imports.bring('conversations.json', [
      talk([ask, call('web.search'), call('python'), output('web'), output('python'), answer('Done.')]),
    ]);
    const calls = nodes.flatMap(({ contentBlocks }) => contentBlocks.filter(({ type }) => type === 'tool-use'));
    const ids = calls.map((block) => ('id' in block ? block.id : ''));
    expect(nodes.flatMap(({ toolCallId }) => toolCallId ?? [])).toEqual(ids);
  });

  it('IM-98: code that failed is an error of the tool; pictures that it drew are files of the reply', async () => {
    const { main, nodes, report } = await imports.bring('conversations.json', [
      talk([
        ask,
        { role: 'assistant', to: 'python', content: { content_type: 'code', text: '1/0' } },
        {
          role: 'tool',
          name: 'python',
          content: { content_type: 'execution_output', text: 'ZeroDivisionError' },
          metadata: {
            aggregate_result: {
              in_kernel_exception: { name: 'ZeroDivisionError' },
              messages: [{ message_type: 'image', image_url: 'file-service://file-Plot1' }],
            },
          },
        },
        answer('It failed.'),
      ]),
    ]);
    expect(nodes.find(({ role }) => role === 'tool')?.isError).toBe(true);
    expect(main.at(-1)).toBe('assistant (gpt-5) text: It failed.');
    expect(report.missingFiles).toHaveLength(1);
  });

  it('IM-99: marks of references become citations at their places; what nobody knows is counted', async () => {
    const cite = '\ue200cite\ue202turn0search0\ue201';
    const name = '\ue200entity\ue202["city"]\ue201';
    const { nodes, report } = await imports.bring('conversations.json', [
      talk([
        ask,
        answer(`Oaks 🌳 grow ${cite} in ${name}.\ue200cite\ue202lost\ue201`, {
          content_references: [
            { matched_text: cite, type: 'grouped_webpages', items: [{ title: 'Oaks', url: 'https://o.example/' }] },
            { matched_text: name, type: 'entity', alt: 'Bonn' },
            { matched_text: ' ', type: 'sources_footnote', sources: [{ title: 'More', url: 'https://m.example/' }] },
          ],
        }),
      ]),
    ]);
    const blocks = nodes.at(-1)?.contentBlocks ?? [];
    expect(deriveTextFromBlocks(blocks)).toBe('Oaks 🌳 grow  in Bonn.');
    expect(citationsOf(blocks)).toMatchObject([{ end: 13, source: { url: 'https://o.example/', title: 'Oaks' } }]);
    expect(providerToolsOf(blocks)).toMatchObject([{ sources: [{ url: 'https://m.example/' }] }]);
    expect(report.leftOut).toEqual({ reference: 1 });
  });

  it('IM-99: citations of older exports stand where their numbers are', async () => {
    const metadata = { title: 'Oaks', url: 'https://o.example/', text: 'tall' };
    const { nodes } = await imports.bring('conversations.json', [
      talk([ask, answer('Tall【1†source】.', { citations: [{ start_ix: 4, end_ix: 14, metadata }] })]),
    ]);
    expect(citationsOf(nodes.at(-1)?.contentBlocks ?? [])).toMatchObject([
      { start: 4, end: 14, source: { url: 'https://o.example/' }, quoted: 'tall' },
    ]);
  });

  it('IM-100: archived, pinned, stopped and instructions arrive; a star and a custom GPT are counted', async () => {
    const profile: Said = {
      role: 'user',
      content: { content_type: 'user_editable_context', user_profile: 'p', user_instructions: 'i' },
      metadata: { user_context_message_data: { about_user_message: 'I sail.', about_model_message: 'Be brief.' } },
    };
    const stopped = answer('Because', { finish_details: { type: 'interrupted' } });
    const about = { is_archived: true, is_starred: true, pinned_time: 1_700_000_001, gizmo_id: 'g-1' };
    const { main, project, report } = await imports.bring('conversations.json', [talk([profile, ask, stopped], about)]);
    expect(main).toEqual(['user text: Go.', 'assistant (gpt-5) stopped text: Because']);
    expect(project).toMatchObject({ archived: true, pinned: true, systemPrompt: 'I sail.\n\nBe brief.' });
    expect(report.leftOut).toEqual({ starred: 1, 'custom GPT': 1 });
  });

  it('IM-101: conversations and messages whose ids are empty stay apart', async () => {
    const nameless = (words: string) => ({
      title: words,
      conversation_id: '',
      id: '',
      mapping: { '': { parent: null, children: [], message: { author: { role: 'user' }, content: text(words) } } },
    });
    const path = await imports.file('conversations.json', [nameless('one'), nameless('two')]);
    const report = await imports.load(path);
    expect(report.projects.map(({ name, addedNodes }) => [name, addedNodes])).toEqual([
      ['one', 1],
      ['two', 1],
    ]);
    expect((await imports.load(path)).projects.map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged']);
  });
});

describe('Claude', () => {
  const message = (uuid: string, sender: string, words: string, more: object = {}) => ({
    uuid,
    sender,
    text: words,
    content: [],
    created_at: '2025-02-03T04:05:07Z',
    ...more,
  });

  it('IM-100: archived, stopped, the project and citations arrive; a star and a summary are counted', async () => {
    const cited = { sources: [{ title: 'Knots', url: 'https://k.example/' }], start_index: 0, end_index: 9 };
    const { main, nodes, project, report } = await imports.bring('conversations.json', [
      {
        uuid: 'k',
        name: 'Knots',
        is_archived: true,
        is_starred: true,
        summary: 'About knots.',
        project: { uuid: 'p', name: 'Sailing' },
        chat_messages: [
          message('a', 'human', 'Which?'),
          message('b', 'assistant', '', {
            content: [{ type: 'text', text: 'A bowline', citations: [cited] }],
            stop_reason: 'user_canceled',
          }),
        ],
      },
    ]);
    expect(main[1]).toBe('assistant stopped text: A bowline');
    expect(citationsOf(nodes[1]?.contentBlocks ?? [])).toMatchObject([{ source: { url: 'https://k.example/' } }]);
    expect(project).toMatchObject({ archived: true, folder: 'Sailing' });
    expect(report.leftOut).toEqual({ starred: 1, summary: 1 });
  });

  it('IM-101: conversations and messages whose ids are empty stay apart, and in order', async () => {
    const chat = (name: string) => ({
      uuid: '',
      name,
      created_at: '2025-02-03T04:05:06Z',
      chat_messages: [message('', 'human', `${name}?`), message('', 'assistant', `${name}.`)],
    });
    const { main, report } = await imports.bring('conversations.json', [chat('one'), chat('two')]);
    expect(main).toEqual(['user text: one?', 'assistant text: one.']);
    expect(report.projects).toHaveLength(2);
  });

  it('IM-102: a parent that is not there, an id that stands twice and a circle are named, and the rest comes', async () => {
    const path = await imports.file('conversations.json', [
      {
        uuid: 'k',
        chat_messages: [
          message('a', 'human', 'One', { parent_message_uuid: null }),
          message('a', 'human', 'Twice', { parent_message_uuid: null }),
          message('b', 'human', 'Lost', { parent_message_uuid: 'gone' }),
          message('c', 'human', 'Round', { parent_message_uuid: 'd' }),
          message('d', 'human', 'and round', { parent_message_uuid: 'c' }),
        ],
      },
    ]);
    await expect(imports.load(path)).rejects.toMatchObject({ code: 'import_stopped' });
    const { problems, nodes } = await imports.load(path, { onError: 'skip' });
    expect(problems.map(({ message: told }) => told)).toEqual([
      'Its id stands twice; the first one is taken.',
      'Its parent gone is not there.',
      "2 message(s) are each other's parents.",
    ]);
    expect(nodes).toBe(2);
  });
});
