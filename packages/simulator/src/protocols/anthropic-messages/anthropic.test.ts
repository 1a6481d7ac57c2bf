import Anthropic from '@anthropic-ai/sdk';
import { isPlainObject } from '@bough/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Simulator } from '../../server.ts';
import { startSimulator } from '../../server.ts';
import { anthropicProtocol } from './index.ts';

let simulator: Simulator;
beforeEach(async () => {
  simulator = await startSimulator({ seed: 'anthropic', protocols: [anthropicProtocol] });
});
afterEach(() => simulator.close());

type Json = Record<string, unknown>;
type Message = { readonly role: string; readonly content: readonly Json[] };

const TOOLS = [
  {
    name: 'weather',
    description: 'Weather.',
    input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
  { name: 'clock', description: 'Time.', input_schema: { type: 'object', properties: {} } },
];
const ask = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const request = (messages: readonly unknown[], change: Json = {}): Json => ({
  model: 'claude-opus-5-5',
  max_tokens: 2000,
  messages,
  ...change,
});
const SHOWN = { thinking: { type: 'adaptive', display: 'summarized' } };

async function post(
  body: unknown,
  { path = '/v1/messages', headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): Promise<{ readonly status: number; readonly json: Json; readonly text: string }> {
  const response = await fetch(`${simulator.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const json: unknown = text.startsWith('{') ? JSON.parse(text) : {};
  return { status: response.status, json: isPlainObject(json) ? json : {}, text };
}

/** The reply to a request that must be accepted, as the message that goes back. */
async function reply(body: Json, headers: Record<string, string> = {}): Promise<Message> {
  const { status, json, text } = await post(body, { headers });
  if (status !== 200 || !Array.isArray(json['content'])) throw new Error(text);
  return { role: 'assistant', content: json['content'].filter(isPlainObject) };
}

async function refusal(body: unknown, options?: Parameters<typeof post>[1]): Promise<string> {
  const { status, json } = await post(body, options);
  const error = isPlainObject(json['error']) ? json['error'] : {};
  return status === 200 ? 'accepted' : `${status} ${String(error['type'])}: ${String(error['message'])}`;
}

const answersTo = (message: Message): Message => ({
  role: 'user',
  content: message.content.flatMap(({ type, id }) =>
    type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: id, content: 'rain' }] : [],
  ),
});
const typesOf = ({ content }: Message) => content.map(({ type }) => type).join(' ');
const change = (message: Message, at: number, with_: Json): Message => ({
  ...message,
  content: message.content.map((block, index) => (index === at ? { ...block, ...with_ } : block)),
});
const without = (message: Message, ...places: readonly number[]): Message => ({
  ...message,
  content: message.content.filter((_, index) => !places.includes(index)),
});

describe('the official client talks to the simulator', () => {
  const client = () => new Anthropic({ apiKey: 'none', baseURL: `${simulator.url}/anthropic`, maxRetries: 0 });

  it('SIM-ANT-1: streams and whole replies carry the same kinds of blocks, under any path prefix', async () => {
    const params = {
      model: 'claude-opus-5-5',
      max_tokens: 2000,
      messages: [{ role: 'user' as const, content: 'Hello.' }],
    };
    const whole = await client().messages.create(params);
    const streamed = await client().messages.stream(params).finalMessage();
    expect(streamed.content.map(({ type }) => type)).toEqual(whole.content.map(({ type }) => type));
    expect(whole.content[0]).toMatchObject({ type: 'thinking', thinking: '' });
    expect(streamed.id).toMatch(/^msg_01[0-9A-Za-z]{22}$/);
    expect(streamed.stop_reason).toBe('end_turn');
    expect(streamed.usage.output_tokens).toBeGreaterThan(1);
  });

  it('SIM-ANT-1: a tool loop of the client is accepted', async () => {
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: '/sim tools weather' }];
    const tools: Anthropic.Tool[] = [{ name: 'weather', input_schema: { type: 'object', properties: {} } }];
    for (let step = 0; step < 3; step += 1) {
      const message = await client()
        .messages.stream({
          model: 'claude-sonnet-5',
          max_tokens: 2000,
          thinking: { type: 'adaptive' },
          tools,
          messages,
        })
        .finalMessage();
      messages.push({ role: 'assistant', content: message.content });
      const calls = message.content.filter((block) => block.type === 'tool_use');
      if (calls.length === 0) break;
      expect(calls[0]?.name).toBe('weather');
      messages.push({
        role: 'user',
        content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'rain' })),
      });
    }
    expect(messages).toHaveLength(4);
    expect(simulator.log().filter(({ kind }) => kind === 'rejected')).toEqual([]);
  });

  it('SIM-ANT-2: counts tokens, lists models, and refuses as the client expects', async () => {
    const messages = [{ role: 'user' as const, content: 'Hello.' }];
    const count = await client().messages.countTokens({ model: 'claude-opus-5-5', messages });
    expect(count.input_tokens).toBeGreaterThan(0);
    const models = await client().models.list();
    expect(models.data.map(({ id }) => id)).toContain('sim-thinker');
    await expect(client().models.retrieve('claude-none')).rejects.toBeInstanceOf(Anthropic.NotFoundError);
    const refused = client().messages.create({ model: 'claude-opus-5-5', max_tokens: 10, messages: [] });
    await expect(refused).rejects.toMatchObject({ status: 400, requestID: expect.stringMatching(/^req_/) });
  });

  it('SIM-ANT-3: the frames follow the grammar of the provider', async () => {
    const { text } = await post(request([ask('/sim think 2')], { stream: true, ...SHOWN }));
    const events = text
      .split('\n\n')
      .filter((frame) => frame !== '')
      .map((frame) => /^event: (\w+)\ndata: (\{.*\})$/.exec(frame)?.[1]);
    expect(events.slice(0, 3)).toEqual(['message_start', 'content_block_start', 'ping']);
    expect(events.slice(-3)).toEqual(['content_block_stop', 'message_delta', 'message_stop']);
    expect(events.every((event) => event !== undefined)).toBe(true);
    expect(text).toMatch(/"type":"signature_delta"[^\n]*\n\nevent: content_block_stop/);
  });
});

describe('the simulator checks the shape of a request', () => {
  it.each([
    ['an unknown key', request([ask('a')], { surprise: 1 }), 'surprise: Extra inputs are not permitted'],
    [
      'an unknown key of a message',
      request([{ ...ask('a'), name: 'b' }]),
      'messages.0.name: Extra inputs are not permitted',
    ],
    [
      'an unknown key of a block',
      request([{ role: 'user', content: [{ type: 'text', text: 'a', id: 1 }] }]),
      'messages.0.content.0.text.id: Extra inputs are not permitted',
    ],
    [
      'an unknown block',
      request([{ role: 'user', content: [{ type: 'hologram' }] }]),
      "messages.0.content.0: Input tag 'hologram' found using 'type'",
    ],
    ['a missing limit', { model: 'claude-opus-5-5', messages: [ask('a')] }, 'max_tokens: Field required'],
    [
      'a setting that the model refuses',
      request([ask('a')], { thinking: { type: 'disabled' } }),
      '"thinking.type.disabled" is not supported',
    ],
    [
      'binding controls without their header',
      request([ask('a')], { thinking: { type: 'adaptive', block_binding: {} } }),
      'thinking.adaptive.block_binding: Extra inputs are not permitted',
    ],
    [
      'a mark of failure that is no boolean',
      request([
        ask('a'),
        { role: 'assistant', content: [{ type: 'tool_use', id: 'x', name: 'y', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content: 'z', is_error: 'yes' }] },
      ]),
      'messages.2.content.0.tool_result.is_error: Input should be a valid boolean',
    ],
    [
      'an open call',
      request([
        ask('a'),
        { role: 'assistant', content: [{ type: 'tool_use', id: 'x', name: 'y', input: {} }] },
        ask('b'),
      ]),
      'messages.1: `tool_use` ids were found without',
    ],
  ])('SIM-ANT-4: %s', async (_, body, message) => {
    expect(await refusal(body)).toContain(`400 invalid_request_error: ${message}`);
    expect(simulator.log().at(-1)).toMatchObject({ kind: 'rejected' });
  });

  it('SIM-ANT-4: a model that it does not play, a version that is missing, a body that is no object', async () => {
    expect(await refusal(request([ask('a')], { model: 'gpt-9' }))).toBe('404 not_found_error: model: gpt-9');
    const bare = await fetch(`${simulator.url}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify(request([ask('a')])),
    });
    expect(bare.status).toBe(400);
    expect(await refusal([])).toContain('400 invalid_request_error');
  });

  it('SIM-ANT-4: a block of its own that no client knows comes back, one that a client made up does not', async () => {
    const question = ask('/sim unknown');
    const first = await reply(request([question]));
    const at = first.content.findIndex(({ type }) => type === 'hologram');
    expect(at).toBeGreaterThanOrEqual(0);
    expect(await refusal(request([question, first, ask('b')]))).toBe('accepted');
    expect(await refusal(request([question, change(first, at, { note: 'mine' }), ask('b')]))).toContain('Input tag');
  });
});

describe('the simulator checks thinking that comes back', () => {
  const question = ask('/sim think 2 /sim redacted 1');

  it('SIM-ANT-5: unchanged it is accepted, also by a simulator that was started again', async () => {
    const first = await reply(request([question], SHOWN));
    expect(typesOf(first)).toBe('thinking thinking redacted_thinking text');
    expect(await refusal(request([question, first, ask('b')], SHOWN))).toBe('accepted');
    const other = await startSimulator({ seed: 'another', protocols: [anthropicProtocol] });
    try {
      const response = await fetch(`${other.url}/v1/messages`, {
        method: 'POST',
        headers: { 'anthropic-version': '2023-06-01' },
        body: JSON.stringify(request([question, first, ask('b')], SHOWN)),
      });
      expect(response.status).toBe(200);
      const partly = await fetch(`${other.url}/v1/messages`, {
        method: 'POST',
        headers: { 'anthropic-version': '2023-06-01' },
        body: JSON.stringify(request([question, without(first, 0), ask('b')], SHOWN)),
      });
      expect(await partly.text()).toContain('cannot be modified');
    } finally {
      await other.close();
    }
  });

  it('SIM-ANT-6: a signature that it did not make, or that was changed', async () => {
    const first = await reply(request([question], SHOWN));
    const signature = String(first.content[0]?.['signature']);
    for (const forged of ['c2ln', `${signature}=`, signature.slice(0, -4), signature.replace(/^./, 'Z'), '']) {
      expect(await refusal(request([question, change(first, 0, { signature: forged }), ask('b')]))).toBe(
        '400 invalid_request_error: messages.1.content.0: Invalid `signature` in `thinking` block',
      );
    }
    expect(await refusal(request([question, change(first, 2, { data: 'c2ln' }), ask('b')]))).toContain(
      'messages.1.content.2: Invalid `data` in `redacted_thinking` block',
    );
  });

  it('SIM-ANT-7: the newest turn comes back as it was, or without any thought', async () => {
    const first = await reply(request([question], SHOWN));
    const swapped = { ...first, content: [1, 0, 2, 3].flatMap((at) => first.content[at] ?? []) };
    const late = {
      ...first,
      content: [0, 1, 3, 2].flatMap((at) => first.content[at] ?? []).concat({ type: 'text', text: 'x' }),
    };
    const changed = [
      change(first, 0, { thinking: '' }),
      without(first, 1),
      without(first, 0),
      without(first, 2),
      swapped,
      late,
    ];
    for (const turn of changed) {
      expect(await refusal(request([question, turn, ask('b')]))).toContain(
        'blocks in the latest assistant message cannot be modified.',
      );
    }
    expect(await refusal(request([question, without(first, 0, 1, 2), ask('b')]))).toBe('accepted');
    // Broken off in its text, or before its last thought: what is there is unchanged.
    expect(await refusal(request([question, change(first, 3, { text: 'I' }), ask('b')]))).toBe('accepted');
    const cut = { ...first, content: [...first.content.slice(0, 2), { type: 'text', text: 'I' }] };
    expect(await refusal(request([question, cut, ask('b')]))).toBe('accepted');
  });

  it('SIM-ANT-7: an older turn must carry what was signed', async () => {
    const first = await reply(request([question], SHOWN));
    const second = await reply(request([question, first, ask('b')], SHOWN));
    const messages = [question, change(first, 0, { thinking: 'x' }), ask('b'), second, ask('c')];
    expect(await refusal(request(messages))).toContain('messages.1.content.0: Invalid `signature` in `thinking` block');
  });

  it('SIM-ANT-7: a thought whose text was kept back comes back without one, and with any', async () => {
    const first = await reply(request([question]));
    expect(first.content[0]).toMatchObject({ thinking: '' });
    expect(await refusal(request([question, first, ask('b')]))).toBe('accepted');
    expect(await refusal(request([question, change(first, 0, { thinking: 'x' }), ask('b')]))).toBe('accepted');
  });
});

describe('the simulator binds thinking to what stood before it', () => {
  const settings = { ...SHOWN, system: 'Be kind.', tools: TOOLS };
  const history = async (): Promise<Message[]> => {
    const messages = [ask('one')];
    for (const next of ['two', 'three']) messages.push(await reply(request(messages, settings)), ask(next));
    return messages;
  };

  it('SIM-ANT-8: accepts what only grew, moved its cache marks or changed the order of keys', async () => {
    const messages = await history();
    const marked = messages.map((message) =>
      message.role === 'user' ? change(message, 0, { cache_control: { type: 'ephemeral' } }) : message,
    );
    const turned = TOOLS.map(({ name, description, input_schema }) => ({ input_schema, description, name }));
    const effort = { output_config: { effort: 'low' }, max_tokens: 100 };
    expect(await refusal(request(marked, { ...settings, ...effort, tools: turned }))).toBe('accepted');
    const joined = [...messages.slice(0, 4), { role: 'user', content: 'three' }];
    expect(await refusal(request(joined, settings))).toBe('accepted');
  });

  it('SIM-ANT-8: refuses another system prompt, other tools, another message, and says what is different', async () => {
    const messages = await history();
    const bound =
      '400 invalid_request_error: messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.';
    const system = await refusal(request(messages, { ...settings, system: 'Be brief.' }));
    expect(system).toContain(bound);
    expect(system).toContain('requires the `thinking-binding-controls-2026-08-01` value');
    expect(system).toContain('The `system` prompt differs from the one this block was created with.');
    expect(await refusal(request(messages, { ...settings, tools: TOOLS.slice(1) }))).toContain(bound);
    expect(await refusal(request([ask('One'), ...messages.slice(1)], settings))).toContain(bound);
    expect(
      await refusal(request(messages, { ...settings, system: 'Be brief.', max_tokens: 1 }), {
        path: '/v1/messages/count_tokens',
      }),
    ).toContain(bound);
  });

  it('SIM-ANT-9: thoughts form a chain: the oldest may go, all may go, a gap may not be', async () => {
    const messages = [...(await history())];
    messages.push(await reply(request(messages, settings)), ask('four'));
    const thoughtless = (at: number) =>
      messages.map((message, index) => (index === at ? withoutThoughts(message) : message));
    expect(await refusal(request(thoughtless(1), settings))).toBe('accepted');
    expect(await refusal(request(thoughtless(3), settings))).toContain('messages.5.content.0: Invalid `signature`');
    expect(await refusal(request(messages.map(withoutThoughts), settings))).toBe('accepted');
  });

  it('SIM-ANT-9: a fork that repeats everything up to the fork keeps its thinking', async () => {
    const messages = await history();
    expect(await refusal(request([...messages.slice(0, 2), ask('another two')], settings))).toBe('accepted');
  });

  it('SIM-ANT-9: a reply that continues a paused turn stands behind what stood before that turn', async () => {
    const question = ask('one');
    const search = [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
    ];
    const paused = { role: 'assistant', content: search };
    const rest = await reply(request([question, paused], settings));
    expect(typesOf(rest)).toContain('thinking');
    const whole = { role: 'assistant', content: [...search, ...rest.content] };
    expect(await refusal(request([question, whole, ask('two')], settings))).toBe('accepted');
    expect(await refusal(request([question, paused, rest, ask('two')], settings))).toBe('accepted');
  });

  it('SIM-ANT-10: drops instead of refusing where the client asks for that, and tells it', async () => {
    const messages = await history();
    const thinking = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } };
    const { status, json } = await post(request(messages, { ...settings, system: 'Be brief.', thinking }), {
      headers: { 'anthropic-beta': 'thinking-binding-controls-2026-08-01' },
    });
    expect(status).toBe(200);
    expect(json['input_transformations']).toMatchObject([
      { type: 'thinking_dropped', path: 'messages.1.content.0', reason: 'prefix_binding_mismatch' },
      { path: 'messages.1.content.1' },
      { path: 'messages.3.content.0' },
      { path: 'messages.3.content.1' },
    ]);
  });

  it('SIM-ANT-11: models that do not check take it; thinking that a model cannot read is lost, and the log knows', async () => {
    const question = ask('one');
    const first = await reply(request([question], { model: 'claude-opus-5' }));
    const changed = [ask('One'), first, ask('two')];
    expect(await refusal(request(changed, { model: 'claude-opus-5' }))).toBe('accepted');
    simulator.clearLog();
    expect(await refusal(request([question, first, ask('two')], { model: 'claude-sonnet-5-5' }))).toBe('accepted');
    expect(simulator.log().filter(({ kind }) => kind === 'silent_drop')).toMatchObject([
      { detail: 'messages.1.content.0: model_binding_mismatch' },
      { detail: 'messages.1.content.1: model_binding_mismatch' },
    ]);
  });

  const withoutThoughts = (message: Message): Message => ({
    ...message,
    content: message.content.filter(({ type }) => type !== 'thinking' && type !== 'redacted_thinking'),
  });
});

describe('the simulator thinks as the model does', () => {
  it('SIM-ANT-12: manual mode thinks once, at the head of a tool loop, and wants that thought back', async () => {
    const manual = { model: 'claude-sonnet-4-5', thinking: { type: 'enabled', budget_tokens: 1024 }, tools: TOOLS };
    const question = ask('/sim tools weather');
    const first = await reply(request([question], manual));
    expect(typesOf(first)).toMatch(/^thinking .*tool_use$/);
    const loop = [question, first, answersTo(first)];
    const second = await reply(request(loop, manual));
    expect(typesOf(second)).toBe('text');
    const bare = { ...first, content: first.content.filter(({ type }) => type !== 'thinking') };
    expect(await refusal(request([question, bare, answersTo(first)], manual))).toContain(
      'Expected `thinking` or `redacted_thinking`',
    );
  });

  it('SIM-ANT-20: in manual mode, a model that can thinks between tools once the header asks for it', async () => {
    const manual = { thinking: { type: 'enabled', budget_tokens: 1024 }, tools: TOOLS };
    const question = ask('/sim think 2 /sim tools weather');
    const beta = { 'anthropic-beta': 'interleaved-thinking-2025-05-14' };
    const secondOf = async (model: string, headers: Record<string, string>) => {
      const first = await reply(request([question], { ...manual, model }), headers);
      return typesOf(await reply(request([question, first, answersTo(first)], { ...manual, model }), headers));
    };
    expect(await secondOf('claude-sonnet-4-5', beta)).toContain('thinking');
    expect(simulator.log().filter(({ rule }) => rule === 'ANT-LOSS-5')).toEqual([]);
    expect(await secondOf('claude-sonnet-4-5', {})).toBe('text');
    expect(simulator.log().filter(({ rule }) => rule === 'ANT-LOSS-5')).toHaveLength(1);
    expect(await secondOf('claude-3-7-sonnet', beta)).toBe('text');
  });

  it('SIM-ANT-12: off is off, and between tools is between tools', async () => {
    const question = ask('/sim tools weather');
    const off = await reply(
      request([question], { model: 'claude-opus-5', thinking: { type: 'disabled' }, tools: TOOLS }),
    );
    expect(typesOf(off)).not.toContain('thinking');
    const between = { model: 'claude-sonnet-5-5', thinking: { type: 'between_tools' }, tools: TOOLS };
    const first = await reply(request([question], between));
    expect(typesOf(first)).toBe('text tool_use');
  });

  it('SIM-ANT-12: refusals and cut replies say so', async () => {
    const refused = await post(request([ask('/sim refuse')]));
    expect(refused.json).toMatchObject({ stop_reason: 'refusal', stop_details: { type: 'refusal' } });
    const cut = await post(request([ask('/sim max_tokens')]));
    expect(cut.json).toMatchObject({ stop_reason: 'max_tokens' });
  });
});
