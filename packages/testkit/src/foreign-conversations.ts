// Small conversations in the formats that other programs write. All of them are made up.

const message = (id: string, role: string, content: unknown, more: object = {}) => ({
  id,
  author: { role },
  create_time: 1_700_000_000,
  content,
  metadata: role === 'assistant' ? { model_slug: 'gpt-5-thinking' } : {},
  recipient: 'all',
  status: 'finished_successfully',
  ...more,
});
const words = (...parts: unknown[]) => ({ content_type: 'text', parts });

/** Two answers to one question, the second one shown; thoughts; a picture; an empty root. */
export const chatGpt = (grown = false) => ({
  title: 'Tides',
  create_time: 1_700_000_000.5,
  conversation_id: 'c-1',
  current_node: grown ? 'u2' : 'a2',
  mapping: {
    root: { id: 'root', parent: null, children: ['s'], message: null },
    s: { id: 's', parent: 'root', children: ['u1'], message: message('s', 'system', words('')) },
    u1: {
      id: 'u1',
      parent: 's',
      children: ['t1', 'a2'],
      message: message('u1', 'user', {
        content_type: 'multimodal_text',
        parts: [{ content_type: 'image_asset_pointer', asset_pointer: 'file-1' }, 'Why are there tides?'],
      }),
    },
    t1: {
      id: 't1',
      parent: 'u1',
      children: ['a1'],
      message: message('t1', 'assistant', {
        content_type: 'thoughts',
        thoughts: [{ summary: 'The moon', content: 'It pulls on the sea.' }],
      }),
    },
    a1: { id: 'a1', parent: 't1', children: [], message: message('a1', 'assistant', words('The moon pulls.')) },
    a2: {
      id: 'a2',
      parent: 'u1',
      children: grown ? ['u2'] : [],
      message: message('a2', 'assistant', words('Gravity, mostly.')),
    },
    ...(grown
      ? { u2: { id: 'u2', parent: 'a2', children: [], message: message('u2', 'user', words('And the sun?')) } }
      : {}),
  },
});

export const claude = {
  uuid: 'k-1',
  name: 'Knots',
  created_at: '2025-02-03T04:05:06Z',
  chat_messages: [
    {
      uuid: 'm1',
      sender: 'human',
      text: 'Which knot?',
      content: [{ type: 'text', text: 'Which knot?' }],
      created_at: '2025-02-03T04:05:07Z',
      attachments: [{ file_name: 'a.txt' }],
      files: [],
    },
    {
      uuid: 'm2',
      sender: 'assistant',
      text: '',
      content: [
        { type: 'thinking', thinking: 'A bowline, surely.' },
        { type: 'tool_use', name: 'lookup', input: { knot: 'bowline' } },
        { type: 'tool_result', name: 'lookup', content: [{ type: 'text', text: 'found' }] },
        { type: 'text', text: 'A bowline.' },
      ],
      created_at: '2025-02-03T04:05:09Z',
    },
    { uuid: 'm3', sender: 'human', text: 'Thanks', content: [], created_at: '2025-02-03T04:06:00Z' },
  ],
};

export const flat = {
  conversations: [{ id: 7, title: 'Bread', createdAt: '2024-01-01T00:00:00Z' }],
  turns: [{ id: 't1', conversationId: 7, isThinkingMode: true, createdAt: '2024-01-01T00:00:01Z' }],
  messages: [
    { id: 1, conversationId: 7, role: 'user', content: 'How long?', turnId: 't1', createdAt: '2024-01-01T00:00:01Z' },
    {
      id: 2,
      conversationId: 7,
      role: 'assistant',
      content: 'Forty minutes.',
      turnId: 't1',
      createdAt: '2024-01-01T00:00:09Z',
    },
    { id: 3, conversationId: 7, role: 'user', content: 'At what heat?', createdAt: '2024-01-01T00:01:00Z' },
    { id: 4, conversationId: 7, role: 'assistant', content: 'Hot.', createdAt: '2024-01-01T00:01:05Z' },
  ],
  thinkBlocks: [
    {
      id: 1,
      conversationId: 7,
      content: 'It depends on the loaf.',
      turnId: 't1',
      sortOrder: 0,
      createdAt: '2024-01-01T00:00:02Z',
    },
  ],
  toolCalls: [
    {
      id: 9,
      conversationId: 7,
      toolName: 'timer',
      arguments: '{"minutes":40}',
      result: 'set',
      turnId: 't1',
      sortOrder: 1,
      createdAt: '2024-01-01T00:00:03Z',
    },
  ],
};

export const uiMessages = [
  { id: 'u', role: 'user', parts: [{ type: 'text', text: 'What time is it?' }] },
  {
    id: 'a',
    role: 'assistant',
    parts: [
      { type: 'step-start' },
      { type: 'reasoning', text: 'I should look.', providerMetadata: { anthropic: { signature: 'sig-1' } } },
      { type: 'reasoning', text: '', providerMetadata: { anthropic: { redactedData: 'xxx' } } },
      {
        type: 'tool-clock',
        toolCallId: 'c1',
        state: 'output-available',
        input: { zone: 'UTC' },
        output: { time: '12:00' },
      },
      {
        type: 'dynamic-tool',
        toolName: 'weather',
        toolCallId: 'c2',
        state: 'output-error',
        input: {},
        errorText: 'no window',
      },
      { type: 'step-start' },
      { type: 'text', text: 'Noon.' },
    ],
  },
];

export const openAi = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Two plus two?' },
  {
    role: 'assistant',
    content: null,
    reasoning_content: 'Easy.',
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":2,"b":2}' } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: '4' },
  { role: 'assistant', content: 'Four.' },
];

export const anthropic = {
  model: 'claude-sonnet-4-5',
  system: 'Be kind.',
  messages: [
    { role: 'user', content: 'Hello' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Greet.', signature: 'sig-2' },
        { type: 'tool_use', id: 'tu1', name: 'wave', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'tu1', content: 'waved', is_error: false },
        { type: 'text', text: 'Well?' },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] },
  ],
};
