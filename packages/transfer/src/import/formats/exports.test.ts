import { providerToolsOf } from '@bough/core';
import { foreignExports } from '@bough/testkit';
import { describe, expect, it } from 'vitest';
import { linesFrom, useImports } from '../testing/imported.ts';

const { cherryStudio, libreChat, libreChatTree, malloryRows, openWebUi, sillyTavern, typingMind, typingMindChat } =
  foreignExports;
const imports = useImports();

describe('LibreChat', () => {
  it.each([
    ['a list', libreChat()],
    ['a tree', libreChatTree()],
  ])(
    'IM-90: %s comes with siblings, thoughts, tools, models, files, and what was stopped or failed',
    async (_, record) => {
      const { main, others, project, report } = await imports.bring('chat.json', record);
      expect(main).toEqual([
        'user text: Tides?\n\n(attachment "sea.png", not imported)',
        'assistant (claude-sonnet-4) stopped thinking: Old way.',
        'assistant (claude-sonnet-4) stopped text: Gravity.',
        'user text: And the sun?',
        'assistant (claude-sonnet-4) error text: Overloaded',
      ]);
      expect(others).toEqual(['assistant (claude-sonnet-4) text: The moon pulls.']);
      expect(project).toMatchObject({
        name: 'Tides 0',
        systemPrompt: 'Be brief.',
        createdAt: '2025-05-01T10:00:00.000Z',
      });
      expect(report).toMatchObject({ nodes: 7, missingFiles: [{ name: 'sea.png' }], problems: [] });
    },
  );

  it('IM-90: the reply beside it has its thought, its call and the result in order', async () => {
    const messages = libreChat().messages.slice(0, 2);
    const { main } = await imports.bring('chat.json', { ...libreChat(), messages });
    expect(main.slice(1)).toEqual([
      'assistant (claude-sonnet-4) thinking: The moon.',
      'assistant (claude-sonnet-4) text: I look.',
      'assistant (claude-sonnet-4) tool-use: {"q":"tides"}',
      'tool text: found',
      'assistant (claude-sonnet-4) text: The moon pulls.',
    ]);
  });

  it('IM-107: a tree that is nested as deep as its conversation is long', async () => {
    const [first] = libreChat().messages;
    let below: object[] = [];
    for (let index = 260; index >= 1; index -= 1)
      below = [
        {
          ...first,
          files: [],
          messageId: `m${index}`,
          isCreatedByUser: index % 2 === 1,
          text: `${index}`,
          children: below,
        },
      ];
    const { messages: _, ...record } = libreChat();
    const { nodes, report } = await imports.bring('deep.json', { ...record, recursive: true, messagesTree: below });
    expect([nodes.length, report.branches]).toEqual([260, 1]);
    expect(nodes.at(-1)?.content).toBe('260');
  });
});

describe('Open WebUI', () => {
  it.each(['details', 'output'] as const)('IM-91: a chat whose replies are stored as %s', async (form) => {
    const { main, others, nodes, project, report } = await imports.bring('chats.json', [openWebUi(form)]);
    expect(main.filter((line) => !line.includes('search_results'))).toEqual([
      'user text: Weather?\n\n(attachment, not imported)\n(attachment "n.txt", not imported)',
      'assistant (m2) thinking: Is 2 < 3?\nYes.',
      'assistant (m2) tool-use: {"city":"Bonn"}',
      'tool text: 3 degrees',
      'assistant (m2) tool-use: {"code":"print(1<2)","language":"python"}',
      'tool text: True',
      'assistant (m2) text: It is 3 °C.',
      'user text: Thanks',
    ]);
    expect(others).toEqual(['assistant (m1) error text: No key']);
    expect(providerToolsOf(nodes[1]?.contentBlocks ?? [])).toMatchObject([
      { sources: [{ url: 'https://sky.example/', title: 'Sky' }] },
    ]);
    expect(project).toMatchObject({ systemPrompt: 'Be brief.', archived: form === 'output' });
    expect(project.pinned).toBe(form === 'details' ? true : undefined);
    expect(report.leftOut).toMatchObject({ tag: 1 });
  });
});

describe('Cherry Studio', () => {
  it('IM-92: a backup comes with the names, prompts and assistants of its topics; replies of two models are siblings', async () => {
    const { main, others, project, report } = await imports.bring('data.json', cherryStudio());
    expect(main).toEqual([
      'user text: Sort it\n\n(attachment "list.txt", not imported)',
      'assistant (deepseek-r1) thinking: Quick.',
      'assistant (deepseek-r1) tool-use: {"n":1}',
      'tool text: ran',
      'assistant (deepseek-r1) text: Quicksort.',
      'user text: Thanks',
      'assistant (deepseek-r1) error text: Overloaded',
    ]);
    expect(others).toEqual(['assistant (deepseek-r1) stopped text: Bubble']);
    expect(project).toMatchObject({ name: 'Sorting t1', systemPrompt: 'You code.', folder: 'Coder', pinned: true });
    expect(report.problems).toEqual([]);
  });

  it('IM-92: blocks that belong to no message are counted', async () => {
    const backup = cherryStudio();
    const orphan = { id: 'zz', messageId: 'gone', type: 'main_text', content: 'Nobody’s words' };
    const indexedDB = { ...backup.indexedDB, message_blocks: [...backup.indexedDB.message_blocks, orphan] };
    const { report } = await imports.bring('data.json', { ...backup, indexedDB });
    expect(report.leftOut).toMatchObject({ 'block of no message': 1 });
  });

  it('IM-92: messages of the versions before there were blocks', async () => {
    const backup = cherryStudio();
    const old = {
      id: 'm',
      role: 'assistant',
      content: 'Bubble.',
      reasoning_content: 'Slow.',
      status: 'success',
      model: { id: 'r1', provider: 'deepseek' },
    };
    const topics = [
      {
        id: 't1',
        messages: [
          { id: 'u', role: 'user', content: 'Sort' },
          { ...old, askId: 'u' },
        ],
      },
    ];
    const { main } = await imports.bring('data.json', { ...backup, version: 3, indexedDB: { topics } });
    expect(main).toEqual(['user text: Sort', 'assistant (r1) thinking: Slow.', 'assistant (r1) text: Bubble.']);
    const entries = [
      { key: 'topic:t1', value: topics[0] },
      { key: 'image://avatar', value: 'x' },
    ];
    const first = await imports.bring('data.json', { ...backup, version: 1, indexedDB: entries });
    expect(first.report.projects).toMatchObject([{ outcome: 'unchanged' }]);
  });
});

describe('TypingMind', () => {
  it('IM-93: an export comes with its folders, prompts, tools and threads; a chat alone is the same one', async () => {
    const { main, others, project } = await imports.bring('export.json', typingMind());
    expect(main).toEqual([
      'user text: Which knot?\n\n(attachment, not imported)',
      'assistant (gpt-5) thinking: A bowline.',
      'assistant (gpt-5) tool-use: {"knot":"bowline"}',
      'tool text: found',
      'assistant (gpt-5) text: A bowline.',
      'user text: Thanks',
    ]);
    expect(others).toEqual(['assistant (claude-x) text: A hitch.']);
    expect(project).toMatchObject({ name: 'Knots tm-1', systemPrompt: 'Be brief.', folder: 'Sailing' });
    const again = await imports.bring('chats_part_1.json', [typingMindChat()]);
    expect(again.report.projects).toMatchObject([{ outcome: 'unchanged' }]);
    expect(again.report.leftOut).toMatchObject({ folder: 1 });
  });

  it('IM-93: the list of the pieces of a large export is refused alone, and says where the chats are', async () => {
    const path = await imports.file('data.json', { data: { chats: { chunks: ['chunks/chats_part_1.json'] } } });
    await expect(imports.load(path)).rejects.toMatchObject({
      message: expect.stringContaining('chunks/chats_part_1.json'),
    });
  });
});

describe('SillyTavern', () => {
  it('IM-94: swipes are siblings with their own thoughts and models; tools, times and the scenario arrive', async () => {
    const { main, others, nodes, project, report } = await imports.bring('Ada - 2024.jsonl', linesFrom(sillyTavern()));
    expect(main).toEqual([
      'assistant text: Welcome.',
      'user text: Show me.',
      'assistant tool-use: {"at":"engine"}',
      'tool text: brass',
      'assistant (claude-x) thinking: Show it.',
      'assistant (claude-x) text: Look, brass. (edited)',
    ]);
    expect(others).toEqual(['assistant (gpt-x) text: Look there.', 'assistant text: Hello there.']);
    expect(nodes.map(({ createdAt }) => createdAt).slice(0, 2)).toEqual(Array(2).fill('2024-06-21T15:45:00.000Z'));
    expect(project).toMatchObject({
      name: 'Ada',
      systemPrompt: 'A workshop.',
      createdAt: '2024-06-21T15:40:12.345Z',
    });
    expect(report.leftOut).toEqual({ 'chat_metadata.note_prompt': 1 });
  });

  it('IM-94: a note of the program is kept and sent to nobody; a narrator gives instructions', async () => {
    const [header, hello] = sillyTavern();
    const note = { name: 'Note', is_user: false, is_system: true, mes: 'To myself', extra: { type: 'comment' } };
    const narrator = {
      name: 'System',
      is_user: false,
      is_system: false,
      mes: 'It rains.',
      extra: { type: 'narrator' },
    };
    const { main, report } = await imports.bring('a.jsonl', linesFrom([header, hello, note, narrator]));
    expect(main).toEqual([
      'assistant text: Welcome.',
      'assistant sillytavern_note: To myself',
      'system text: It rains.',
    ]);
    expect(report.leftOut).toMatchObject({ 'system message': 1 });
  });
});

describe('Mallory', () => {
  it.each([
    ['rows', (rows: readonly object[]) => rows],
    [
      'rows as text',
      (rows: readonly { metadata: object }[]) =>
        rows.map((row) => ({ ...row, metadata: JSON.stringify(row.metadata) })),
    ],
    ['both tables', (rows: readonly object[]) => ({ conversations: [{ id: 'c1', title: 'Money' }], messages: rows })],
  ])('IM-95: %s keep reasoning and tools, one project for each conversation', async (form, make) => {
    const { main, nodes, project, report } = await imports.bring('messages.json', make(malloryRows('c1', 'c2')));
    expect(main).toEqual([
      'user text: Balance?',
      'assistant thinking: Ask.',
      'assistant tool-use: {"of":"me"}',
      'assistant tool-use: {"to":"x"}',
      'tool text: {"sol":3}',
      'tool text: done',
      'assistant text: Three.',
    ]);
    expect(nodes[1]?.contentBlocks[0]).toMatchObject({ signature: 'sig-m' });
    expect(report.projects).toHaveLength(2);
    expect(project.name).toBe(form === 'both tables' ? 'Money' : 'Balance?');
  });
});

describe('importing again', () => {
  it.each<readonly [string, unknown]>([
    ['librechat.json', libreChatTree()],
    ['webui.json', [openWebUi()]],
    ['data.json', cherryStudio(['t1', 't2'])],
    ['typingmind.json', typingMind('a', 'b')],
    ['Ada.jsonl', linesFrom(sillyTavern())],
    ['mallory.json', malloryRows('c1', 'c2')],
  ])('IM-11: %s a second time adds nothing', async (name, content) => {
    const first = await imports.bring(name, content);
    const again = await imports.bring(name, content);
    expect(again.report.projects.map(({ outcome }) => outcome)).toEqual(first.report.projects.map(() => 'unchanged'));
    expect(again.nodes).toEqual(first.nodes);
  });
});
