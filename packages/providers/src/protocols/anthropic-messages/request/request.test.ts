import type { ContextItem, RawEvent } from '@bough/core';
import { eventsOfRaw, isPlainObject } from '@bough/core';
import { describe, expect, it } from 'vitest';
import { anthropic } from '../../../deployments/anthropic.ts';
import type { PreparedRequest, RenderInput } from '../../../protocol.ts';
import { eventsIn, input, ISSUER, item, rawOf, stream } from '../testing.ts';
import { messagesOf } from '../wire.ts';
import { prepare } from './index.ts';

const THOUGHT =
  '{"type":"thinking","thinking":"The tide table says — naïve 🌊 — “high at six”.","signature":"c2lnLW9uZQ=="}';
const CALL =
  '{"type":"tool_use","id":"toolu_a","name":"tide_at","input":{"10": 1.0, "2": 12345678901234567890, "where": "K\\u00f6ln 🌊"},"caller":{"type":"direct"}}';

function bodyOf(request: PreparedRequest): Record<string, unknown> {
  const body: unknown = JSON.parse(request.body);
  if (!isPlainObject(body)) throw new Error('not an object');
  return body;
}

const prepared = (...args: Parameters<typeof input>) => prepare(input(...args));
const roles = (request: PreparedRequest) =>
  messagesOf(bodyOf(request)).map(
    (message) => `${message.role}: ${message.blocks.map((block) => block.type).join(' ')}`,
  );
const reasons = (request: PreparedRequest) => request.notes.map((note) => `${note.nodeId} ${note.reason}`);
const rejections = (request: PreparedRequest) => request.violations.filter(({ kind }) => kind === 'rejection');

/** A stored reply that consists of these blocks. */
function rawBlocks(...blocks: readonly object[]) {
  const events = blocks.flatMap((block, index): RawEvent[] => [
    { data: JSON.stringify({ type: 'content_block_start', index, content_block: block }) },
    { data: `{"type":"content_block_stop","index":${index}}` },
  ]);
  return rawOf([...events, { data: '{"type":"message_delta","delta":{"stop_reason":"end_turn"}}' }]);
}

const LOOP = [
  item.user('u1', 'When is high water?'),
  item.raw('a1', { answeredCalls: ['toolu_a'] }),
  item.result('t1', 'toolu_a', 'six'),
];
const RAWS = { a1: rawOf('thinking-and-tool') };

describe('anthropic-messages: a reply goes back', () => {
  it('ANT-Q1: in the bytes of the provider: thinking, signature, text, and the spelling of the input', () => {
    const request = prepared(LOOP, { raws: RAWS, thinking: 'medium' });
    expect(request.body).toContain(
      `{"role":"assistant","content":[${THOUGHT},{"type":"text","text":"I will look it up."},${CALL}]}`,
    );
    expect(request.violations).toEqual([]);
    expect(request.notes).toEqual([]);
  });

  it('ANT-Q1: also where it was not streamed, or its thinking has no text', () => {
    const whole =
      '{"id":"m","type":"message","content":[{"type":"tool_use","input":{"b":1e2,"a":0.10},"name":"n","id":"toolu_a"}],"stop_reason":"tool_use"}';
    const streamed = prepared(LOOP, { raws: { a1: rawOf([], { payload: { response: whole } }) } });
    expect(streamed.body).toContain('{"type":"tool_use","input":{"b":1e2,"a":0.10},"name":"n","id":"toolu_a"}');
    const omitted = prepared([item.user('u1', 'a'), item.raw('a1'), item.user('u2', 'b')], {
      raws: { a1: rawOf('omitted-thinking', { model: 'claude-opus-5-5' }) },
      model: 'claude-opus-5-5',
    });
    expect(omitted.body).toContain('{"type":"thinking","thinking":"","signature":"b21pdHRlZA=="}');
    expect(omitted.violations).toEqual([]);
  });

  it('ANT-Q2: without its reasoning where that is to stay out', () => {
    const request = prepared([item.user('u1', 'a'), item.raw('a1', { reasoning: 'omit' }), item.user('u2', 'b')], {
      raws: { a1: rawOf('redacted-and-citations') },
    });
    expect(roles(request)).toEqual(['user: text', 'assistant: text', 'user: text']);
    expect(request.body).toContain('"start_char_index":4.0');
    expect(request.body).not.toContain('redacted');
  });

  it('ANT-Q2: a signed block of a type that nobody knows counts as reasoning', () => {
    const raw = rawBlocks({ type: 'daydream', text: 'Hm.', signature: 's' }, { type: 'text', text: 'Six.' });
    const sent = (reasoning: 'verbatim' | 'omit') =>
      roles(
        prepared([item.user('u1', 'a'), item.raw('a1', { reasoning }), item.user('u2', 'b')], { raws: { a1: raw } }),
      )[1];
    expect(sent('verbatim')).toBe('assistant: daydream text');
    expect(sent('omit')).toBe('assistant: text');
  });

  it('ANT-Q3: only to the deployment that made it; to any other as text and calls', () => {
    const changes = [
      { deployment: 'anthropic@elsewhere.example' },
      { provider: 'lab' },
      { api: 'openai-chat' },
    ] as const;
    for (const change of changes) {
      const blocks = [
        { type: 'text', text: 'I look.' },
        { type: 'tool-use', id: 'toolu_a', name: 'tide_at', parameters: {} },
      ];
      const items = [LOOP[0], item.reply('a1', blocks, { source: 'raw', answeredCalls: ['toolu_a'] }), LOOP[2]].flatMap(
        (entry) => entry ?? [],
      );
      const request = prepared(items, { raws: { a1: rawOf('thinking-and-tool', change) } });
      expect(reasons(request)).toEqual(['a1 foreign_issuer']);
      expect(roles(request)).toEqual(['user: text', 'assistant: text tool_use', 'user: tool_result']);
      expect(request.body).not.toContain('tide table');
    }
    expect(reasons(prepared([...LOOP.slice(0, 2), item.user('u2', 'b')]))).toEqual(['a1 raw_missing']);
  });

  it('ANT-Q4: thinking that the model cannot read stays out, with a word about it', () => {
    const items = [item.user('u1', 'a'), item.raw('a1'), item.user('u2', 'b')];
    const raws = { a1: rawOf('omitted-thinking', { model: 'claude-opus-5-5' }) };
    const request = prepared(items, { raws, model: 'claude-sonnet-5-5' });
    expect(reasons(request)).toEqual(['a1 thinking_not_replayable']);
    expect(request.body).not.toContain('b21pdHRlZA');
    expect(reasons(prepared(items, { raws, model: 'claude-fable-5-1' }))).toEqual([]);
  });

  it('ANT-Q5: a reply that broke off goes back as far as it is whole, after any event', () => {
    const events = eventsIn(stream('thinking-and-tool'));
    for (let at = 0; at <= events.length; at += 1) {
      const raw = rawOf(events.slice(0, at), { complete: at === events.length });
      const request = prepared([...LOOP.slice(0, 1), item.raw('a1', { partial: true }), item.user('u2', 'Go on.')], {
        raws: { a1: raw },
      });
      expect(rejections(request)).toEqual([]);
      expect(request.body.includes('"type":"thinking"')).toBe(request.body.includes('c2lnLW9uZQ=='));
    }
    const halfThought = prepared([item.user('u1', 'a'), item.raw('a1', { partial: true }), item.user('u2', 'b')], {
      raws: { a1: rawOf(events.slice(0, 3), { complete: false }) },
    });
    expect(reasons(halfThought)).toEqual(['a1 thinking_unsigned']);
    expect(roles(halfThought)).toEqual(['user: text text']);
    const onlyThought = prepared([item.user('u1', 'a'), item.raw('a1', { partial: true }), item.user('u2', 'b')], {
      raws: { a1: rawOf(events.slice(0, 5), { complete: false }) },
    });
    expect(reasons(onlyThought)).toEqual(['a1 thinking_not_replayable']);
  });

  it('ANT-Q5: a thought stays at the end of a reply only where the provider paused it and went on', () => {
    const thought = rawBlocks({ type: 'thinking', thinking: 'Hm.', signature: 's1' });
    const [pausing] = eventsIn(Buffer.from('data: {"type":"message_delta","delta":{"stop_reason":"pause_turn"}}\n\n'));
    const paused = rawOf([...eventsOfRaw(thought).slice(0, 2), ...(pausing === undefined ? [] : [pausing])]);
    const raws = { a1: thought, a2: thought, a3: rawOf('omitted-thinking'), p: paused };
    const between = (...replies: readonly ContextItem[]) =>
      roles(prepared([item.user('u1', 'a'), ...replies, item.user('u2', 'b')], { raws }));
    expect(between(item.raw('a1'), item.raw('a2'))).toEqual(['user: text text']);
    expect(between(item.raw('a1'), item.user('u', ' '), item.raw('a3'))[1]).toBe('assistant: thinking text');
    expect(between(item.raw('a3'), item.raw('a1'))[1]).toBe('assistant: thinking text');
    expect(between(item.raw('p'), item.raw('a3'))[1]).toBe('assistant: thinking thinking text');
    expect(between(item.raw('p'))).toEqual(['user: text text']);
  });

  it('ANT-Q6: a call goes back with its result or not at all', () => {
    const unanswered = prepared([...LOOP.slice(0, 1), item.raw('a1'), item.user('u2', 'b')], { raws: RAWS });
    expect(roles(unanswered)).toEqual(['user: text', 'assistant: thinking text', 'user: text']);
    const unreported = prepared([LOOP[0] ?? item.user('x', 'x'), item.raw('a1'), LOOP[2] ?? item.user('x', 'x')], {
      raws: RAWS,
    });
    expect(reasons(unreported)).toEqual(['a1 repaired', 't1 repaired']);
    expect(rejections(unreported)).toEqual([]);
  });

  it('ANT-Q6: what a reply said behind its call stands before it, what it thought there stays out', () => {
    const raw = rawBlocks(
      { type: 'thinking', thinking: 'One.', signature: 's1' },
      { type: 'tool_use', id: 'toolu_a', name: 'now', input: {} },
      { type: 'thinking', thinking: 'Two.', signature: 's2' },
      { type: 'text', text: 'I look.' },
    );
    const request = prepared(LOOP, { raws: { a1: raw } });
    expect(roles(request)[1]).toBe('assistant: thinking text tool_use');
    expect(reasons(request)).toEqual(['a1 repaired', 'a1 thinking_not_replayable']);
    expect(rejections(request)).toEqual([]);
  });

  it('ANT-Q7: what was thought and called before another model took over stays out', () => {
    const raw = rawBlocks(
      { type: 'thinking', thinking: 'No.', signature: 's0' },
      { type: 'tool_use', id: 'toolu_0', name: 'now', input: {} },
      { type: 'fallback', from: { model: 'a' }, to: { model: 'b' }, trigger: null },
      { type: 'thinking', thinking: 'Yes.', signature: 's1' },
      { type: 'text', text: 'Six.' },
    );
    const request = prepared(
      [
        item.user('u1', 'a'),
        item.raw('a1', { answeredCalls: ['toolu_0'] }),
        item.result('t1', 'toolu_0', 'x'),
        item.user('u2', 'b'),
      ],
      { raws: { a1: raw } },
    );
    expect(roles(request)).toEqual(['user: text', 'assistant: fallback thinking text', 'user: text']);
    expect(rejections(request)).toEqual([]);
    expect(reasons(request)).toEqual(['a1 thinking_not_replayable', 't1 repaired']);
  });

  it("ANT-Q8: the provider's own calls go back with their results, or as the last thing, to be continued", () => {
    const events = eventsIn(stream('server-tool'));
    const items = [item.user('u1', 'a'), item.raw('a1')];
    const pending = prepared(items, { raws: { a1: rawOf('server-tool') } });
    expect(roles(pending).at(-1)).toBe('assistant: server_tool_use web_search_tool_result text');
    const cut = rawOf(events.slice(0, 5), { complete: false });
    const broken = prepared([...items, item.user('u2', 'b')], { raws: { a1: cut } });
    expect(roles(broken)).toEqual(['user: text text']);
    expect(reasons(broken)).toEqual(['a1 repaired']);
  });

  it('ANT-Q9: blocks of types that nobody knows go back whole', () => {
    const request = prepared([item.user('u1', 'a'), item.raw('a1'), item.user('u2', 'b')], {
      raws: { a1: rawOf('unknown-blocks') },
    });
    expect(request.body).toContain('{"type":"hologram","depth":1,"note":"a ship"}');
    expect(request.body).toContain('{"type":"compaction","content":"Before: tides.","encrypted_content":"ZW5jMg=="}');
  });
});

describe('anthropic-messages: what others said', () => {
  it('ANT-Q10: text stays text, calls get ids that the API takes, on the call and on its result', () => {
    const blocks = (id: string) => [
      { type: 'thinking', thinking: 'Foreign.' },
      { type: 'tool-use', id, name: 'files.read', parameters: { path: 'a' } },
      { type: 'text', text: 'Behind the call.' },
      { type: 'hologram', depth: 1 },
    ];
    const turn = (n: number, id: string) => [
      item.user(`u${n}`, 'a'),
      item.reply(`a${n}`, blocks(id), { answeredCalls: [id] }),
      item.result(`t${n}`, id, 'b'),
    ];
    const request = prepared([
      ...turn(1, 'functions.x:0'),
      ...turn(2, 'call_0'),
      ...turn(3, 'call_0'),
      ...turn(4, 'y'.repeat(80)),
    ]);
    expect(request.violations).toEqual([]);
    const calls = messagesOf(bodyOf(request)).flatMap(({ blocks }) =>
      blocks.filter((block) => block.type === 'tool_use'),
    );
    const results = messagesOf(bodyOf(request)).flatMap(({ blocks }) =>
      blocks.filter((block) => block.type === 'tool_result'),
    );
    const ids = calls.map((block) => block.value['id']);
    expect(ids[1]).toBe('call_0');
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(results.map((block) => block.value['tool_use_id'])).toEqual(ids);
    expect(calls[0]?.value['name']).toBe('files_read');
    expect(roles(request)[1]).toBe('assistant: text tool_use');
    expect(reasons(request).filter((note) => note.startsWith('a1'))).toEqual([
      'a1 tool_id_rewritten',
      'a1 thinking_not_replayable',
      'a1 custom_block_not_sent',
    ]);
    expect(request.body).not.toContain('Foreign.');
  });

  it('ANT-Q11: results come first in one message with what the user says; an empty one says so', () => {
    const items = [
      item.user('u1', 'a'),
      item.reply(
        'a1',
        [
          { type: 'tool-use', id: 'c1', name: 'n', parameters: {} },
          { type: 'tool-use', id: 'c2', name: 'n', parameters: {} },
        ],
        {
          answeredCalls: ['c1', 'c2'],
        },
      ),
      item.result('t1', 'c1', ' '),
      item.user('u2', 'Wait.'),
      item.result('a1', 'c2', 'This call was not executed.', { isError: true }),
    ];
    const request = prepared(items);
    expect(request.body).toContain(
      '{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"(no output)"}]},' +
        '{"type":"tool_result","tool_use_id":"c2","content":[{"type":"text","text":"This call was not executed."}],"is_error":true},' +
        '{"type":"text","text":"Wait."}]}',
    );
    expect(request.violations).toEqual([]);
  });

  const FAILED = [
    item.user('u1', 'a'),
    item.reply('a1', [{ type: 'tool-use', id: 'c1', name: 'n', parameters: {} }], { answeredCalls: ['c1'] }),
    item.result('t1', 'c1', ' ', { isError: true }),
  ];

  it('ANT-Q23: a failed tool is an error result, and never an empty one', () => {
    const request = prepared(FAILED);
    expect(request.body).toContain(
      '{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"(no output)"}],"is_error":true}',
    );
    expect(request.violations).toEqual([]);
  });

  it('ANT-Q23: one that was sent without the mark is sent without it again, byte for byte', () => {
    const unmarked = FAILED.map((entry) => ({ ...entry, isError: false }));
    const before = prepared(unmarked);
    const stored = new Map(before.renderings.map(({ nodeId, key, bytes }) => [`${nodeId}|${key}`, bytes]));
    const again = prepared(FAILED, { renderingOf: (id, key) => stored.get(`${id}|${key}`) });
    expect(again.body).toBe(before.body);
    expect(again.renderings).toEqual([]);
    expect(before.body).not.toContain('is_error');
  });

  it('ANT-Q12: blank texts and messages of which nothing is left are not sent, neighbours become one', () => {
    const request = prepared([
      item.user('u1', 'a', ' '),
      item.reply('a1', [{ type: 'text', text: '\n' }]),
      item.user('u2', 'b'),
    ]);
    expect(request.body).toContain(
      '"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]',
    );
  });

  it('ANT-Q13: half of a surrogate pair never leaves', () => {
    const request = prepared([item.user('u1', 'a\ud83c')], { systemPrompt: '\udf0a' });
    expect(request.body).toContain('a\ufffd');
    expect(request.body).toContain('"system":"\ufffd"');
    expect(reasons(request)).toEqual(['u1 repaired']);
    expect(request.violations).toEqual([]);
  });

  const instruction = (id: string, text: string): ContextItem => ({
    ...item.user(id, 'x'),
    message: { role: 'system', content: [{ type: 'text', text }] },
  });

  it.each<[string, readonly ContextItem[], readonly string[]]>([
    [
      'behind the message that follows it',
      [
        item.user('u1', 'a'),
        item.reply('a1', [{ type: 'text', text: 'b' }]),
        instruction('s1', 'Be kind.'),
        item.user('u2', 'c'),
      ],
      ['user: text', 'assistant: text', 'user: text', 'system: text'],
    ],
    [
      'behind results',
      [...LOOP, instruction('s1', 'Be kind.')],
      ['user: text', 'assistant: thinking text tool_use', 'user: tool_result', 'system: text'],
    ],
    [
      'never before the first message',
      [instruction('s1', 'Be kind.'), item.user('u1', 'a')],
      ['user: text', 'system: text'],
    ],
    [
      'together with others',
      [item.user('u1', 'a'), instruction('s1', 'Be kind.'), instruction('s2', 'Be brief.')],
      ['user: text', 'system: text text'],
    ],
  ])('ANT-Q29: a model that takes instructions in the conversation gets them %s', (_, items, expected) => {
    const request = prepared(items, { model: 'claude-opus-5', raws: RAWS, thinking: 'medium' });
    expect(roles(request)).toEqual(expected);
    expect(rejections(request)).toEqual([]);
    expect(bodyOf(request)['system']).toBeUndefined();
  });

  it('ANT-Q31: a tool is defined where it appears first and named from then on; one that goes is named', () => {
    const tool = (name: string) => ({ name, description: 'd', inputSchema: { properties: {} } });
    const change = (id: string, before: readonly string[], after: readonly string[]): ContextItem => ({
      ...item.user(id, 'x'),
      message: {
        role: 'system',
        content: [{ type: 'tool-change', before: before.map(tool), after: after.map(tool) }],
      },
    });
    const answer = (id: string) => item.reply(id, [{ type: 'text', text: id }]);
    const items = [
      item.user('u1', 'a'),
      answer('a1'),
      change('s1', ['add'], ['add', 'clock']),
      item.user('u2', 'b'),
      answer('a2'),
      change('s2', ['add', 'clock'], ['add']),
      item.user('u3', 'c'),
      answer('a3'),
      change('s3', ['add'], ['add', 'clock']),
      item.user('u4', 'd'),
    ];
    const request = prepared(items, { model: 'claude-opus-5', tools: [tool('add')] });
    const changes = messagesOf(bodyOf(request))
      .flatMap(({ blocks }) => blocks)
      .filter(({ type }) => type.startsWith('tool_'))
      .map(({ value }) => value);
    const clock = { type: 'tool_reference', name: 'clock' };
    const definition = { name: 'clock', description: 'd', input_schema: { type: 'object', properties: {} } };
    expect(changes).toEqual([
      { type: 'tool_addition', tool: { type: 'tool_definition', definition } },
      { type: 'tool_removal', tool: clock },
      { type: 'tool_addition', tool: clock },
    ]);
    expect(rejections(request)).toEqual([]);
    expect(request.headers['anthropic-beta']).toContain('mid-conversation-tool-changes');
    expect(request.headers['anthropic-beta']).toContain('inline-tools');
  });

  it('ANT-Q29: the next request begins with what was sent', () => {
    const first = [
      item.user('u1', 'a'),
      item.reply('a1', [{ type: 'text', text: 'b' }]),
      instruction('s1', 'Be kind.'),
      item.user('u2', 'c'),
    ];
    const sent = (items: readonly ContextItem[]) => messagesOf(bodyOf(prepared(items, { model: 'claude-opus-5' })));
    const next = [...first, item.reply('a2', [{ type: 'text', text: 'd' }]), item.user('u3', 'e')];
    expect(sent(next).slice(0, 4)).toEqual(sent(first));
  });

  it('ANT-Q14: system messages of the path join the system prompt', () => {
    const system = {
      ...item.user('s', 'x'),
      message: { role: 'system', content: [{ type: 'text', text: 'Be kind.' }] },
    } as const;
    expect(bodyOf(prepared([system, item.user('u', 'a')], { systemPrompt: 'Be brief.' }))['system']).toBe(
      'Be brief.\n\nBe kind.',
    );
    expect(bodyOf(prepared([system, item.user('u', 'a')], { systemPrompt: 'Be kind.' }))['system']).toBe('Be kind.');
  });
});

describe('anthropic-messages: settings', () => {
  const TOOL = { name: 'now', description: 'The time.', inputSchema: { properties: {} } };

  it.each([
    ['claude-sonnet-4-5', 'high', { thinking: { type: 'enabled', budget_tokens: 6000 } }],
    ['claude-sonnet-4-5', { budgetTokens: 2000 }, { thinking: { type: 'enabled', budget_tokens: 2000 } }],
    ['claude-sonnet-4-5', { budgetTokens: 10 }, { thinking: { type: 'enabled', budget_tokens: 1024 } }],
    ['claude-sonnet-4-5', 'off', { thinking: { type: 'disabled' } }],
    ['claude-opus-4-6', 'medium', { thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } }],
    [
      'claude-opus-5-5',
      'low',
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'low' } },
    ],
    ['claude-opus-5-5', 'off', { output_config: { effort: 'low' } }],
    [
      'claude-opus-5-5',
      { budgetTokens: 50_000 },
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'high' } },
    ],
    ['claude-sonnet-5-5', 'off', { thinking: { type: 'between_tools' }, output_config: { effort: 'low' } }],
    ['claude-haiku-5-5', 'off', { thinking: { type: 'disabled' } }],
    ['claude-of-tomorrow', 'high', {}],
  ] as const)('ANT-Q15: %s, thinking %o', (model, thinking, expected) => {
    const request = prepared([item.user('u', 'a')], { model, thinking });
    const { thinking: sent, output_config: config } = bodyOf(request);
    expect({
      ...(sent !== undefined && { thinking: sent }),
      ...(config !== undefined && { output_config: config }),
    }).toEqual(expected);
    expect(request.violations).toEqual([]);
  });

  it('ANT-Q15: a limit too small for any thinking switches it off', () => {
    expect(bodyOf(prepared([item.user('u', 'a')], { thinking: 'high', maxTokens: 1024 }))['thinking']).toEqual({
      type: 'disabled',
    });
    expect(bodyOf(prepared([item.user('u', 'a')], { thinking: 'high', maxTokens: 1025 }))['thinking']).toEqual({
      type: 'enabled',
      budget_tokens: 1024,
    });
  });

  it('ANT-Q16: manual thinking is off for a request whose tool loop began without a thought', () => {
    const items = [LOOP[0], item.raw('a1', { reasoning: 'omit', answeredCalls: ['toolu_a'] }), LOOP[2]].flatMap(
      (entry) => entry ?? [],
    );
    const request = prepared(items, { raws: RAWS, thinking: 'high' });
    expect(bodyOf(request)['thinking']).toEqual({ type: 'disabled' });
    expect(reasons(request)).toEqual(['a1 repaired']);
    expect(request.violations).toEqual([]);
    const finished = prepared([...items, item.reply('a2', [{ type: 'text', text: 'Six.' }]), item.user('u2', 'b')], {
      raws: RAWS,
      thinking: 'high',
    });
    expect(bodyOf(finished)['thinking']).toMatchObject({ type: 'enabled' });
  });

  it.each([
    ['claude-sonnet-4-5', 'high', [TOOL], true],
    ['claude-opus-4-5-20251101', 'low', [TOOL], true],
    ['claude-haiku-4-5', 'high', [TOOL], true],
    ['claude-sonnet-4', 'high', [TOOL], true],
    // Nothing comes between tools where there are none, and no thinking where it is off.
    ['claude-sonnet-4-5', 'high', [], false],
    ['claude-sonnet-4-5', 'off', [TOOL], false],
    // Adaptive thinking has it built in; 3.7 does not have it at all.
    ['claude-opus-4-6', 'high', [TOOL], false],
    ['claude-opus-5-5', 'high', [TOOL], false],
    ['claude-3-7-sonnet', 'high', [TOOL], false],
    ['claude-of-tomorrow', 'high', [TOOL], false],
  ] as const)('ANT-Q30: %s, thinking %s, with tools %j: the header is sent: %s', (model, thinking, tools, isAsked) => {
    const request = prepared([item.user('u', 'a')], { model, thinking, tools });
    expect(request.headers['anthropic-beta']).toBe(isAsked ? 'interleaved-thinking-2025-05-14' : undefined);
    expect(request.violations).toEqual([]);
  });

  it('ANT-Q30: the header joins others, is sent once, and never to a server that does not declare it', () => {
    const asking = { thinking: 'high', tools: [TOOL] } as const;
    const withBetas = (beta: string) => ({ ...anthropic, headers: { ...anthropic.headers, 'anthropic-beta': beta } });
    const headerOf = (deployment: typeof anthropic) =>
      prepared([item.user('u', 'a')], { ...asking, deployment }).headers['anthropic-beta'];
    expect(headerOf(withBetas('files-api-2025-04-14'))).toBe('files-api-2025-04-14,interleaved-thinking-2025-05-14');
    expect(headerOf(withBetas('interleaved-thinking-2025-05-14'))).toBe('interleaved-thinking-2025-05-14');
    expect(headerOf({ ...anthropic, quirks: {} })).toBeUndefined();
  });

  it('ANT-Q17: tools are switched off by the choice, never by leaving them out', () => {
    const off = bodyOf(prepared([item.user('u', 'a')], { tools: [TOOL], toolChoice: 'none' }));
    expect(off['tool_choice']).toEqual({ type: 'none' });
    expect(off['tools']).toEqual([
      { name: 'now', description: 'The time.', input_schema: { type: 'object', properties: {} } },
    ]);
    const on = bodyOf(prepared([item.user('u', 'a')], { tools: [TOOL] }));
    expect(on['tool_choice']).toBeUndefined();
    expect(bodyOf(prepared([item.user('u', 'a')], { toolChoice: 'none' }))['tool_choice']).toBeUndefined();
  });

  it('ANT-Q17: a schema that composes at its top level is widened, and that is reported', () => {
    const request = prepared([item.user('u', 'a')], {
      tools: [{ ...TOOL, inputSchema: { type: 'object', anyOf: [] } }],
    });
    expect(request.violations).toMatchObject([{ rule: 'ANT-TOOL-3', repaired: true }]);
    expect(bodyOf(request)['tools']).toMatchObject([{ input_schema: { type: 'object' } }]);
    expect(request.body).not.toContain('anyOf');
  });

  it('ANT-Q18: says where it goes and whose it is, and holds no secret', () => {
    const at = (baseUrl: string) => prepared([item.user('u', 'a')], { deployment: { ...anthropic, baseUrl } });
    expect(at('http://127.0.0.1:9/anthropic/').url).toBe('http://127.0.0.1:9/anthropic/v1/messages');
    expect(at('http://127.0.0.1:9/v1').url).toBe('http://127.0.0.1:9/v1/messages');
    const request = at('https://api.anthropic.com');
    expect(request).toMatchObject({ protocol: 'anthropic-messages', method: 'POST', issuer: ISSUER, stream: true });
    expect(request.headers).toEqual({ 'content-type': 'application/json', 'anthropic-version': '2023-06-01' });
    expect(bodyOf(request)).toMatchObject({
      model: 'claude-sonnet-4-5',
      max_tokens: 8000,
      stream: true,
      cache_control: { type: 'ephemeral' },
    });
  });

  it('ANT-Q22: where a reply would have the last word, the user says that it should go on, then and ever after', () => {
    const told = [item.user('u1', 'a'), item.reply('a1', [{ type: 'text', text: '[Used the tool.]' }])];
    const raws = { a2: rawOf('omitted-thinking', { model: 'claude-opus-5-5' }) };
    const first = prepared(told, { model: 'claude-opus-5-5' });
    expect(roles(first)).toEqual(['user: text', 'assistant: text', 'user: text']);
    expect(reasons(first)).toEqual(['a1 repaired']);
    expect(first.violations).toEqual([]);
    const second = prepared([...told, item.raw('a2'), item.user('u2', 'b')], { model: 'claude-opus-5-5', raws });
    const conversation = (request: PreparedRequest) => request.body.slice(request.body.indexOf('"messages"'));
    expect(conversation(second).startsWith(conversation(first).slice(0, -2))).toBe(true);
    // A thought sent as text belongs to the reply that follows it: the user is not made to speak between them.
    const label = { ...item.reply('a2', [{ type: 'text', text: '[Reasoning]' }]), synthetic: true };
    expect(roles(prepared([item.user('u1', 'a'), label, item.raw('a2'), item.user('u2', 'b')], { raws }))[1]).toBe(
      'assistant: text text',
    );
  });
});

describe('anthropic-messages: the prefix', () => {
  const TURNS = [
    ...LOOP,
    item.raw('a2'),
    item.user('u2', 'And low water?'),
    item.raw('a3', { partial: true }),
    item.user('u3', 'Go on.'),
    item.reply('a4', [{ type: 'tool-use', id: 'functions.x:0', name: 'n', parameters: {} }], {
      answeredCalls: ['functions.x:0'],
    }),
    item.result('t4', 'functions.x:0', 'twelve'),
  ];
  const raws = {
    a1: rawOf('thinking-and-tool'),
    a2: rawOf('omitted-thinking'),
    a3: rawOf(eventsIn(stream('error-in-stream')), { complete: false }),
  };
  const settings = {
    raws,
    systemPrompt: 'Be brief.',
    tools: [{ name: 'tide_at', description: 'd', inputSchema: { type: 'object' } }],
  };
  /** From `system` on, without the closing brackets, so that the next request can continue it. */
  const prefixOf = (request: PreparedRequest) =>
    request.body.slice(request.body.indexOf('"system"')).replace(/\]\}\]\}$/, '');

  it('ANT-Q19: every request begins with the bytes of the one before it', () => {
    const ends = TURNS.map((_, at) => at + 1).filter((end) => TURNS[end - 1]?.message.role !== 'assistant');
    const requests = ends.map((end) => prepared(TURNS.slice(0, end), settings));
    requests.slice(1).forEach((request, at) => {
      const before = requests[at];
      expect(before === undefined ? false : prefixOf(request).startsWith(prefixOf(before))).toBe(true);
    });
    expect(requests).toHaveLength(5);
  });

  it('ANT-Q20: what was rendered once is sent again byte for byte', () => {
    const first = prepared(TURNS, settings);
    expect(first.renderings.map(({ nodeId }) => nodeId)).toEqual(TURNS.map(({ nodeIds: [id] }) => id));
    const stored = new Map(first.renderings.map(({ nodeId, key, bytes }) => [`${nodeId}|${key}`, bytes]));
    const renderingOf: RenderInput['renderingOf'] = (id, key) => stored.get(`${id}|${key}`);
    const again = prepared(TURNS, { ...settings, renderingOf });
    expect(again.body).toBe(first.body);
    expect(again.renderings).toEqual([]);
    expect(again.notes).toEqual(first.notes);
    // An older version may have written the same thing differently: its bytes win.
    const spelled = new Map(
      [...stored].map(([key, bytes]) => [key, bytes.replace('"type":"text",', '"type" : "text",')]),
    );
    const older = prepared(TURNS, { ...settings, renderingOf: (id, key) => spelled.get(`${id}|${key}`) });
    expect(older.body).toContain('{"type" : "text","text":"When is high water?"}');
    expect(older.violations).toEqual([]);
  });

  it('ANT-Q20: a rendering is not used for what would be sent differently', () => {
    const keysOf = (items: RenderInput['items'], change = {}) =>
      prepared(items, { ...settings, ...change }).renderings.map(({ key }) => key);
    const [, verbatim] = keysOf(LOOP);
    const [, omitted] = keysOf(
      [LOOP[0], item.raw('a1', { reasoning: 'omit', answeredCalls: ['toolu_a'] }), LOOP[2]].flatMap(
        (entry) => entry ?? [],
      ),
    );
    const [, unanswered] = keysOf([LOOP[0], item.raw('a1')].flatMap((entry) => entry ?? []));
    const [, elsewhere] = keysOf(LOOP, { deployment: { ...anthropic, baseUrl: 'https://elsewhere.example' } });
    expect(new Set([verbatim, omitted, unanswered, elsewhere]).size).toBe(4);
    const [said] = keysOf([item.user('u1', 'a')]);
    const [changed] = keysOf([item.user('u1', 'b')]);
    expect(said).not.toBe(changed);
  });

  it('ANT-Q20: a rendering that is damaged is made anew', () => {
    const request = prepared(TURNS.slice(0, 1), { ...settings, renderingOf: () => '{"type":' });
    expect(request.body).toBe(prepared(TURNS.slice(0, 1), settings).body);
    expect(request.renderings).toHaveLength(1);
  });

  it('ANT-Q21: a repair leaves every byte alone that it does not drop', () => {
    const items = [
      item.user('u1', 'a'),
      item.raw('a1', { answeredCalls: ['toolu_a'] }),
      item.result('t1', 'toolu_a', 'six'),
    ];
    const request = prepared(items, {
      raws: RAWS,
      thinking: 'low',
      tools: [{ name: 'x', description: '', inputSchema: { oneOf: [] } }],
    });
    expect(request.violations).toMatchObject([{ rule: 'ANT-TOOL-3', repaired: true }]);
    expect(request.body).toContain(CALL);
  });
});
