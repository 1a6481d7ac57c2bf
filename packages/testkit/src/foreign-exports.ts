// Small exports of other chat programs, each of exactly the shape that the program writes. All of them are made up.

/** A green square of 32 pixels. */
export const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAMAAABEpIrGAAAAA1BMVEUziEQDvPHZAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEklEQVQ4y2NgGAWjYBSMAuwAAAQgAAFWu83mAAAAAElFTkSuQmCC';

const libreMessage = (id: string, above: string | null, text: string, more: object = {}) => ({
  messageId: id,
  parentMessageId: above ?? '00000000-0000-0000-0000-000000000000',
  conversationId: 'lc-1',
  createdAt: '2025-05-01T10:00:00.000Z',
  endpoint: 'anthropic',
  error: false,
  isCreatedByUser: id.startsWith('u'),
  model: id.startsWith('u') ? null : 'claude-sonnet-4',
  sender: id.startsWith('u') ? 'User' : 'Claude',
  text,
  unfinished: false,
  ...more,
});

/** A question with two replies, a thought, a tool, a reply that was stopped, and one that failed. */
export const libreMessages = (name = '') => [
  libreMessage(`u1${name}`, null, 'Tides?', { files: [{ file_id: 'f1', filename: 'sea.png', type: 'image/png' }] }),
  libreMessage(`a1${name}`, `u1${name}`, '', {
    content: [
      { type: 'think', think: 'The moon.' },
      { type: 'text', text: 'I look.' },
      {
        type: 'tool_call',
        tool_call: { id: 't1', name: 'search', args: '{"q":"tides"}', output: 'found', type: 'tool_call' },
      },
      { type: 'text', text: { value: 'The moon pulls.' } },
    ],
  }),
  libreMessage(`a2${name}`, `u1${name}`, ':::thinking\nOld way.\n:::\nGravity.', { unfinished: true }),
  libreMessage(`u2${name}`, `a2${name}`, 'And the sun?'),
  libreMessage(`a3${name}`, `u2${name}`, 'Overloaded', { error: true }),
];

export const libreChat = (index = 0) => ({
  conversationId: `lc-${index}`,
  endpoint: 'anthropic',
  title: `Tides ${index}`,
  exportAt: '10:00:00 GMT+0000',
  branches: true,
  recursive: false,
  options: { model: 'claude-sonnet-4', promptPrefix: 'Be brief.', temperature: 1 },
  messages: libreMessages(String(index)),
});

interface Nested {
  readonly messageId: string;
  readonly children: Nested[];
}

/** The same as a tree. */
export function libreChatTree() {
  const { messages, ...record } = libreChat();
  const nodes = messages.map((message) => ({ ...message, children: [] as Nested[] }));
  for (const node of nodes) nodes.find(({ messageId }) => messageId === node.parentMessageId)?.children.push(node);
  return { ...record, recursive: true, messagesTree: nodes.filter(({ messageId }) => messageId === 'u10') };
}

const DETAILS = [
  '<details type="reasoning" done="true" duration="4">\n<summary>Thought for 4 seconds</summary>',
  '&gt; Is 2 &lt; 3?\n&gt; Yes.\n</details>',
  '<details type="tool_calls" done="true" id="c1" name="weather" arguments="&quot;{\\&quot;city\\&quot;:\\&quot;Bonn\\&quot;}&quot;">',
  '<summary>Tool Executed</summary>\n&quot;3 degrees&quot;\n</details>',
  '<details type="code_interpreter" done="true" output="{&quot;stdout&quot;: &quot;True&quot;}">',
  '<summary>Analyzed</summary>\n```python\nprint(1<2)\n```\n</details>\nIt is 3 °C.',
].join('\n');

const OUTPUT = [
  {
    type: 'reasoning',
    id: 'r',
    status: 'completed',
    content: [{ type: 'output_text', text: 'Is 2 < 3?\nYes.' }],
    summary: null,
  },
  {
    type: 'function_call',
    id: 'c1',
    call_id: 'c1',
    name: 'weather',
    arguments: '{"city":"Bonn"}',
    status: 'completed',
  },
  { type: 'function_call_output', id: 'o', call_id: 'c1', output: [{ type: 'input_text', text: '3 degrees' }] },
  {
    type: 'open_webui:code_interpreter',
    id: 'ci',
    lang: 'python',
    code: 'print(1<2)',
    output: { stdout: 'True', stderr: '' },
  },
  { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'It is 3 °C.' }] },
];

/** Two models answer; the second one with everything that a reply can hold, in the older and in the newer form. */
export const openWebUi = (form: 'details' | 'output' = 'details', index = 0) => ({
  id: `ow-${form}-${index}`,
  user_id: 'x',
  title: `Weather ${index}`,
  created_at: 1_760_000_000,
  updated_at: 1_760_000_100,
  archived: form === 'output',
  pinned: form === 'details',
  meta: { tags: ['sky'] },
  share_id: null,
  folder_id: null,
  chat: {
    title: 'Weather',
    models: ['m1', 'm2'],
    params: { system: 'Be brief.' },
    history: {
      currentId: 'u2',
      messages: {
        u1: {
          id: 'u1',
          parentId: null,
          childrenIds: ['a1', 'b1'],
          role: 'user',
          content: 'Weather?',
          timestamp: 1_760_000_001,
          files: [
            { type: 'image', url: `data:image/png;base64,${PICTURE}` },
            { type: 'file', name: 'n.txt', file: { id: 'f', filename: 'n.txt', data: { content: 'a note' } } },
          ],
        },
        a1: {
          id: 'a1',
          parentId: 'u1',
          childrenIds: [],
          role: 'assistant',
          content: '',
          model: 'm1',
          timestamp: 1_760_000_002,
          done: true,
          error: { content: 'No key' },
        },
        b1: {
          id: 'b1',
          parentId: 'u1',
          childrenIds: ['u2'],
          role: 'assistant',
          model: 'm2',
          timestamp: 1_760_000_003,
          ...(form === 'details' ? { content: DETAILS } : { content: '', output: OUTPUT }),
          done: true,
          sources: [{ source: { name: 'Sky', url: 'https://sky.example/' }, document: ['cold'] }],
        },
        u2: { id: 'u2', parentId: 'b1', childrenIds: [], role: 'user', content: 'Thanks', timestamp: 1_760_000_004 },
      },
    },
  },
});

const cherryMessage = (id: string, role: string, more: object = {}) => ({
  id,
  role,
  topicId: 't1',
  assistantId: 'as',
  createdAt: '2025-06-01T10:00:00.000Z',
  status: 'success',
  blocks: [`${id}-b`],
  ...(role === 'assistant' ? { model: { id: 'deepseek-r1', provider: 'deepseek', name: 'R1' } } : {}),
  ...more,
});
const cherryBlock = (id: string, type: string, more: object) => ({
  id,
  messageId: id.split('-')[0],
  type,
  status: 'success',
  ...more,
});

/** A backup: names and prompts in the settings, messages in one table, what they hold in another. */
export const cherryStudio = (topics = ['t1']) => ({
  time: 1_750_000_000_000,
  version: 5,
  localStorage: {
    'persist:cherry-studio': JSON.stringify({
      assistants: JSON.stringify({
        defaultAssistant: { id: 'default', name: 'Default', prompt: '', topics: [] },
        assistants: [
          {
            id: 'as',
            name: 'Coder',
            prompt: 'You code.',
            topics: topics.map((id) => ({
              id,
              name: `Sorting ${id}`,
              createdAt: '2025-06-01T09:00:00.000Z',
              pinned: true,
            })),
          },
        ],
      }),
    }),
  },
  indexedDB: {
    files: [],
    settings: [],
    topics: topics.map((id) => ({
      id,
      messages: [
        cherryMessage('u1', 'user', { blocks: ['u1-b', 'u1-f'] }),
        cherryMessage('a1', 'assistant', { askId: 'u1', foldSelected: true, blocks: ['a1-k', 'a1-t', 'a1-b'] }),
        cherryMessage('a2', 'assistant', { askId: 'u1', status: 'paused' }),
        cherryMessage('u2', 'user'),
        cherryMessage('a3', 'assistant', { askId: 'u2', status: 'error', blocks: ['a3-e'] }),
      ],
    })),
    message_blocks: [
      cherryBlock('u1-b', 'main_text', { content: 'Sort it' }),
      cherryBlock('u1-f', 'file', {
        file: { id: 'f9', ext: '.txt', name: 'f9.txt', origin_name: 'list.txt', type: 'text' },
      }),
      cherryBlock('a1-k', 'thinking', { content: 'Quick.', thinking_millsec: 5 }),
      cherryBlock('a1-t', 'tool', {
        toolId: 'x',
        toolName: 'run',
        arguments: { n: 1 },
        metadata: {
          rawMcpToolResponse: { id: 'call-7', status: 'done', response: { content: [{ type: 'text', text: 'ran' }] } },
        },
      }),
      cherryBlock('a1-b', 'main_text', { content: 'Quicksort.' }),
      cherryBlock('a2-b', 'main_text', { content: 'Bubble' }),
      cherryBlock('u2-b', 'main_text', { content: 'Thanks' }),
      cherryBlock('a3-e', 'error', { error: { name: 'Error', message: 'Overloaded' } }),
    ],
  },
});

const typed = (uuid: string, role: string, content: unknown, more: object = {}) => ({
  uuid,
  role,
  content,
  createdAt: '2025-07-01T10:00:00.000Z',
  ...more,
});

/** Text and pictures, a tool, and a place where two replies were asked for. */
export const typingMindChat = (id = 'tm-1') => ({
  id,
  chatID: id,
  chatTitle: `Knots ${id}`,
  createdAt: '2025-07-01T09:00:00.000Z',
  model: 'gpt-5',
  folderID: 'fo-1',
  chatParams: { systemMessage: 'Be brief.' },
  messages: [
    typed('u1', 'user', [
      { type: 'text', text: 'Which knot?' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PICTURE}` } },
    ]),
    typed('a1', 'assistant', null, {
      reasoning_content: 'A bowline.',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'lookup', arguments: '{"knot":"bowline"}' } }],
    }),
    typed('t1', 'tool', 'found', { tool_call_id: 'c1' }),
    {
      type: 'threads',
      activeThreadIdx: 0,
      threads: [
        [typed('a2', 'assistant', 'A bowline.')],
        [typed('a3', 'assistant', 'A hitch.', { model: 'claude-x' })],
      ],
    },
    typed('u2', 'user', 'Thanks'),
  ],
});

export const typingMind = (...ids: readonly string[]) => ({
  data: {
    chats: (ids.length === 0 ? ['tm-1'] : ids).map(typingMindChat),
    folders: [{ id: 'fo-1', title: 'Sailing', depth: 0, settings: {} }],
    userPrompts: [],
    userCharacters: [],
  },
  checksum: 'x',
});

const said = (name: string, mes: string, more: object = {}) => ({
  name,
  is_user: name === 'You',
  is_system: false,
  send_date: 'June 21, 2024 3:45pm',
  mes,
  extra: {},
  ...more,
});

/** A chat file: its header, then one message a line. */
export const sillyTavern = (user = 'You') => [
  {
    user_name: user,
    character_name: 'Ada',
    create_date: '2024-6-21 @15h 40m 12s 345ms',
    chat_metadata: { scenario: 'A workshop.', note_prompt: 'Rain.' },
  },
  said('Ada', 'Welcome.', {
    swipes: ['Welcome.', 'Hello there.'],
    swipe_id: 0,
    swipe_info: [{}, { send_date: 1_719_000_000_000 }],
  }),
  said('You', 'Show me.'),
  said('SillyTavern System', 'Tool calls: look', {
    is_system: true,
    extra: {
      type: 'tool',
      tool_invocations: [{ id: 'i1', name: 'look', parameters: '{"at":"engine"}', result: 'brass' }],
    },
  }),
  said('Ada', 'Look, brass. (edited)', {
    swipes: ['Look there.', 'Look, brass.'],
    swipe_id: 1,
    extra: { api: 'claude', model: 'claude-x', reasoning: 'Show it.' },
    swipe_info: [
      { send_date: 'June 21, 2024 3:46pm', extra: { api: 'openai', model: 'gpt-x', reasoning: 'Point.' } },
      { send_date: 'June 21, 2024 3:47pm', extra: { api: 'claude', model: 'claude-x', reasoning: 'Show it.' } },
    ],
  }),
];

const malloryRow = (conversation: string, id: string, role: string, parts: readonly object[], second: number) => ({
  id: `${conversation}-${id}`,
  conversation_id: conversation,
  role,
  content: 'the text alone',
  metadata: {
    parts,
    chainOfThought: { hasReasoning: true, reasoningSteps: 1, toolCalls: [] },
    source: 'claude_stream',
  },
  created_at: `2025-08-01T10:00:0${second}.000Z`,
  is_liked: false,
});

/** Rows of two conversations, newest first. */
export const malloryRows = (...conversations: readonly string[]) =>
  conversations.flatMap((conversation) => [
    malloryRow(
      conversation,
      'a',
      'assistant',
      [
        { type: 'step-start' },
        { type: 'reasoning', text: 'Ask.', providerMetadata: { anthropic: { signature: 'sig-m' } } },
        { type: 'tool-balance', toolCallId: 't1', state: 'output-available', input: { of: 'me' }, output: { sol: 3 } },
        { type: 'tool-call', toolCallId: 't2', toolName: 'swap', args: { to: 'x' } },
        { type: 'tool-result', toolCallId: 't2', toolName: 'swap', result: 'done' },
        { type: 'step-start' },
        { type: 'text', text: 'Three.' },
      ],
      2,
    ),
    malloryRow(conversation, 'u', 'user', [{ type: 'text', text: 'Balance?' }], 1),
  ]);

const at = (conversation: string, id: string, turn: string, second: number) => ({
  Id: `${conversation}-${id}`,
  ConversationId: conversation,
  TurnId: `${conversation}-${turn}`,
  CreatedAt: `2026-02-20 10:00:0${second}.1234567`,
});

/** A dump of SmallEBot's tables, with the names of its columns: a question that was replaced, thoughts and a tool. */
export const smallEBot = (...conversations: readonly string[]) => ({
  Conversations: conversations.map((id) => ({
    Id: id,
    UserName: 'me',
    Title: `Bread ${id}`,
    CreatedAt: '2026-02-20 09:59:59.5',
    UpdatedAt: '2026-02-20 10:00:09',
    CompressedContext: null,
    CompressedAt: null,
  })),
  ConversationTurns: conversations.flatMap((id) => [
    { Id: `${id}-t2`, ConversationId: id, IsThinkingMode: 1, CreatedAt: '2026-02-20 10:00:03' },
    { Id: `${id}-t1`, ConversationId: id, IsThinkingMode: 0, CreatedAt: '2026-02-20 10:00:00' },
  ]),
  ChatMessages: conversations.flatMap((id) => [
    { ...at(id, 'm1', 't1', 1), Role: 'user', Content: 'How long?', ReplacedByMessageId: `${id}-m2`, IsEdited: 0 },
    {
      ...at(id, 'm2', 't2', 4),
      Role: 'user',
      Content: 'How long for rye?',
      ReplacedByMessageId: null,
      IsEdited: 1,
      AttachedPathsJson: '["notes/rye.md"]',
      RequestedSkillIdsJson: null,
    },
    { ...at(id, 'm3', 't2', 7), Role: 'assistant', Content: 'Forty minutes.', ReplacedByMessageId: null, IsEdited: 0 },
  ]),
  ThinkBlocks: conversations.map((id) => ({ ...at(id, 'k1', 't2', 5), Content: 'It depends.', SortOrder: 0 })),
  ToolCalls: conversations.map((id) => ({
    ...at(id, 'x1', 't2', 6),
    ToolName: 'timer',
    Arguments: '{"minutes":40}',
    Result: 'set',
    SortOrder: 0,
  })),
});
