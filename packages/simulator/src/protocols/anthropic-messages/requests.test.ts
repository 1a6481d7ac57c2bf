import Anthropic from '@anthropic-ai/sdk';
import { isPlainObject, nodeId, parseMessage } from '@bough/core';
import type { ContextItem, RawResponse } from '@bough/core';
import { deploymentKey, PROTOCOLS, simulatedDeployments } from '@bough/providers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Simulator } from '../../server.ts';
import { startSimulator } from '../../server.ts';
import { anthropicProtocol } from './index.ts';

let simulator: Simulator;
beforeEach(async () => {
  simulator = await startSimulator({ seed: 'requests', protocols: [anthropicProtocol] });
});
afterEach(() => simulator.close());

type Json = Record<string, unknown>;
const NOW = '2026-10-21';
const user = (text: string): Json => ({ role: 'user', content: [{ type: 'text', text }] });
const system = (...content: readonly Json[]): Json => ({ role: 'system', content });
const request = (messages: readonly unknown[], change: Json = {}): Json => ({
  model: 'claude-opus-5-5',
  max_tokens: 2000,
  messages,
  ...change,
});

async function post(body: Json, headers: Record<string, string> = {}): Promise<{ status: number; json: Json }> {
  const response = await fetch(`${simulator.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
    body: JSON.stringify(body),
  });
  const json: unknown = await response.json();
  return { status: response.status, json: isPlainObject(json) ? json : {} };
}

/** `200`, or the status, the code if there is one, and the sentence. */
async function verdict(body: Json, headers: Record<string, string> = {}): Promise<string> {
  const { status, json } = await post(body, headers);
  if (status === 200) return '200';
  const error = isPlainObject(json['error']) ? json['error'] : {};
  const details = isPlainObject(error['details']) ? `${String(error['details']['error_code'])}: ` : '';
  return `${status} ${details}${String(error['message'])}`;
}

async function reply(body: Json, headers: Record<string, string> = {}): Promise<{ message: Json; json: Json }> {
  const { status, json } = await post(body, headers);
  if (status !== 200) throw new Error(JSON.stringify(json));
  return { message: { role: 'assistant', content: json['content'] }, json };
}

const blocksOf = ({ content }: Json): readonly Json[] => (Array.isArray(content) ? content.filter(isPlainObject) : []);
const typesOf = (message: Json) => blocksOf(message).map(({ type }) => type);
const answersTo = (message: Json): Json => ({
  role: 'user',
  content: blocksOf(message).flatMap(({ type, id }) =>
    type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: id, content: '42' }] : [],
  ),
});

describe('version, betas and keys', () => {
  it('SIM-ANT-13: since 2026-10-21 no model takes sampling parameters', async () => {
    for (const model of ['claude-sonnet-4-5', 'claude-opus-5-5', 'sim-thinker']) {
      const body = request([user('Hello.')], { model, temperature: 1 });
      expect(await verdict(body)).toBe('200');
      expect(await verdict(body, { 'anthropic-version': NOW })).toBe('400 temperature: Extra inputs are not permitted');
    }
  });

  it('SIM-ANT-13: documents of the assistant and citations of the user are refused since then', async () => {
    const cited = { role: 'user', content: [{ type: 'text', text: 'a', citations: [{ type: 'char_location' }] }] };
    expect(await verdict(request([cited]))).toBe('200');
    expect(await verdict(request([cited]), { 'anthropic-version': NOW })).toContain('400 messages.0.content.0');
    const source = { type: 'text', media_type: 'text/plain', data: 'a' };
    const quoted = {
      role: 'assistant',
      content: [
        { type: 'document', source },
        { type: 'text', text: 'b' },
      ],
    };
    const body = request([user('a'), quoted, user('c')]);
    expect(await verdict(body)).toBe('200');
    expect(await verdict(body, { 'anthropic-version': NOW })).toContain('400 messages.1.content.0: `document`');
  });

  it('SIM-ANT-13: the key may come in either header', async () => {
    const body = request([user('Hello.')]);
    expect(await verdict(body, { 'x-api-key': 'sk-ant-1' })).toBe('200');
    expect(await verdict(body, { authorization: 'Bearer sk-ant-1' })).toBe('200');
    expect(await verdict(body, { authorization: 'Bearer sk-ant-1', 'x-api-key': 'sk-ant-1' })).toBe('200');
  });

  it('SIM-ANT-13: an unknown beta is named; what a beta brought is refused without it', async () => {
    expect(await verdict(request([user('a')]), { 'anthropic-beta': 'invalid-beta-name' })).toBe(
      '400 Unexpected value(s) `invalid-beta-name` for the `anthropic-beta` header. Please consult our documentation at ' +
        'platform.claude.com/docs or try again without the header.',
    );
    const hurried = request([user('a'), { role: 'system', clear_at: 'next_user_message', content: 'Hurry.' }]);
    expect(await verdict(hurried)).toBe('400 messages.1.clear_at: Extra inputs are not permitted');
    expect(await verdict(hurried, { 'anthropic-beta': 'mid-conversation-system-clear-at-2026-08-21' })).toBe('200');
  });

  it('SIM-ANT-21: whoever asks is told why the cache could not be read: the first thing that differs', async () => {
    const first = request([user('One')], { system: 'Be brief.', diagnostics: { previous_message_id: null } });
    const { message, json } = await reply(first);
    expect(json['diagnostics']).toBeNull();
    const messages = [user('One'), message, user('Two')];
    const diagnostics = { previous_message_id: json['id'] };
    const told = async (change: Json): Promise<unknown> =>
      (await reply(request(messages, { system: 'Be brief.', diagnostics, ...change }))).json['diagnostics'];
    const reason = (type: string) => ({ cache_miss_reason: expect.objectContaining({ type }) });
    expect(await told({})).toBeNull();
    expect(await told({ model: 'claude-opus-5' })).toEqual(reason('model_changed'));
    // Bound thinking would be refused behind another beginning, so it stays out.
    const spoken = { role: 'assistant', content: blocksOf(message).filter(({ type }) => type === 'text') };
    const rest = [user('One'), spoken, user('Two')];
    expect(await told({ messages: rest, system: 'Be long.' })).toEqual(reason('system_changed'));
    expect(await told({ messages: rest, tools: [TOOL] })).toEqual(reason('tools_changed'));
    expect(await told({ messages: [user('Other'), spoken, user('Two')] })).toEqual(reason('messages_changed'));
    expect(await told({ diagnostics: { previous_message_id: 'msg_nobody' } })).toEqual(
      reason('previous_message_not_found'),
    );
  });

  it('SIM-ANT-13: a request that only fills the cache gets nothing back', async () => {
    const { json } = await reply(request([user('a')], { max_tokens: 0 }));
    expect(json).toMatchObject({ content: [], stop_reason: 'max_tokens' });
    expect(await verdict(request([user('a')], { max_tokens: 0, stream: true }))).toContain('400 stream');
  });
});

const TOOL = { name: 'calculator', description: '', input_schema: { type: 'object' } };
const LATER = { name: 'later', description: '', input_schema: { type: 'object' }, defer_loading: true };
const BETAS = {
  'anthropic-beta':
    'mid-conversation-tool-changes-2026-07-01,inline-tools-2026-09-15,mid-conversation-output-config-2026-07-01',
};
const added = (name: string): Json => ({ type: 'tool_addition', tool: { type: 'tool_reference', name } });

describe('system messages, tools and effort inside a conversation', () => {
  it('SIM-ANT-14: an addition is appended and keeps bound thinking valid; an edited `tools` does not', async () => {
    const first = request([user('/sim say one')], { model: 'claude-fable-5-2', tools: [TOOL, LATER] });
    const { message } = await reply(first, BETAS);
    expect(typesOf(message)).toContain('thinking');
    const messages = [user('/sim say one'), message, user('/sim say two')];
    const more = { ...first, messages: [...messages, system(added('later'))] };
    const { message: second } = await reply(more, BETAS);
    const third = [...messages, system(added('later')), second, user('/sim say three')];
    expect(await verdict({ ...first, messages: third }, BETAS)).toBe('200');
    const edited = { ...first, messages: third, tools: [TOOL, { ...LATER, defer_loading: false }] };
    expect(await verdict(edited, BETAS)).toContain('The block is bound to a different conversation.');
    // The definition of what was added is history from there on.
    const redefined = { ...first, messages: third, tools: [TOOL, { ...LATER, description: 'Another.' }] };
    expect(await verdict(redefined, BETAS)).toContain('The block is bound to a different conversation.');
  });

  it('SIM-ANT-14: references are resolved where they stand, and refused with their code', async () => {
    const ask = (...content: readonly Json[]) => request([user('a'), system(...content)], { tools: [TOOL] });
    expect(await verdict(ask(added('calculator')), BETAS)).toBe('200');
    expect(await verdict(ask(added('gone')), BETAS)).toMatch(/^400 tool_reference_unresolved: messages\.1\.content\.0/);
    const taken = { type: 'tool_definition', definition: { type: 'bash_20250124', name: 'calculator' } };
    expect(await verdict(ask({ type: 'tool_addition', tool: taken }), BETAS)).toMatch(/^400 tool_name_conflict: /);
  });

  it('SIM-ANT-14: the official client recognises a refusal by its code', async () => {
    const client = new Anthropic({ apiKey: 'none', baseURL: simulator.url, maxRetries: 0 });
    const asked = client.beta.messages.create({
      model: 'claude-opus-5-5',
      max_tokens: 100,
      betas: ['mid-conversation-tool-changes-2026-07-01'],
      messages: [
        { role: 'user', content: 'a' },
        { role: 'system', content: [{ type: 'tool_addition', tool: { type: 'tool_reference', name: 'gone' } }] },
      ],
    });
    await expect(asked).rejects.toSatisfy((error) => error.constructor.name === 'ToolReferenceUnresolvedError');
  });

  it('SIM-ANT-14: the model calls only what is offered at that place', async () => {
    const calls = async (...change: readonly Json[]) => {
      const messages = [user('/sim tools later'), ...(change.length > 0 ? [system(...change)] : [])];
      const { message } = await reply(request(messages, { tools: [TOOL, LATER] }), BETAS);
      return blocksOf(message).filter(({ type }) => type === 'tool_use').length;
    };
    expect(await calls()).toBe(0);
    expect(await calls(added('later'))).toBe(1);
    const removed = { type: 'tool_removal', tool: { type: 'tool_reference', name: 'later' } };
    expect(await calls(added('later'), removed)).toBe(0);
  });

  it('SIM-ANT-14: it calls tools that the client runs, whatever their type, and none that the provider runs', async () => {
    const tools = [
      { type: 'bash_20250124', name: 'bash' },
      { type: 'web_search_20250305', name: 'web_search' },
    ];
    const { message } = await reply(request([user('/sim tools bash web_search')], { tools }));
    const called = blocksOf(message).flatMap(({ type, name }) => (type === 'tool_use' ? [name] : []));
    expect(new Set(called)).toEqual(new Set(['bash']));
  });

  it('SIM-ANT-14: an effort may stand anywhere and changes nothing that thinking is bound to', async () => {
    const effort = { role: 'system', output_config: { effort: 'high' } };
    const body = (messages: readonly unknown[]) => request(messages, { model: 'claude-fable-5-2' });
    const { message } = await reply(body([effort, effort, user('a')]), BETAS);
    expect(await verdict(body([effort, user('a'), effort, message, user('b')]), BETAS)).toBe('200');
    expect(await verdict(body([user('a'), message, user('b')]))).toBe('200');
    // It does not separate what one speaker says either.
    const { message: joined } = await reply(body([user('a'), effort, user('b')]), BETAS);
    expect(await verdict(body([user('a'), user('b'), joined, user('c')]))).toBe('200');
    expect(await verdict(body([{ role: 'system' }, user('a')]), BETAS)).toContain('400 messages.0.content');
  });

  it('SIM-ANT-14: a system text is the same as a string and as a block; Sonnet 5 takes neither', async () => {
    const body = (content: unknown, ...more: readonly unknown[]) =>
      request([user('a'), { role: 'system', content }, ...more], { model: 'claude-fable-5-2' });
    const { message } = await reply(body('Be brief.'));
    const marked = [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }];
    expect(await verdict(body(marked, message, user('b')))).toBe('200');
    expect(await verdict(body('Be long.', message, user('b')))).toContain('bound to a different conversation');
    const other = { ...body('Be brief.'), model: 'claude-sonnet-5' };
    expect(await verdict(other)).toBe("400 role 'system' is not supported on this model");
  });
});

describe('code that calls tools', () => {
  const CODE = { type: 'code_execution_20260120', name: 'code_execution' };
  const callable = { ...TOOL, allowed_callers: ['code_execution_20260120'] };
  const tools = [CODE, callable];
  const ask = (messages: readonly unknown[], change: Json = {}) =>
    request(messages, { model: 'sim-interleaved', tools, ...change });
  const question = user('/sim tools calculator x1 steps 2');

  async function twoSteps() {
    const first = await reply(ask([question]));
    const container = isPlainObject(first.json['container']) ? first.json['container']['id'] : undefined;
    const messages = [question, first.message, answersTo(first.message)];
    const second = await reply(ask(messages, { container }));
    return { first, second, container, messages: [...messages, second.message, answersTo(second.message)] };
  }

  it('SIM-ANT-15: it stays open over several exchanges until its result comes', async () => {
    const { first, second, container, messages } = await twoSteps();
    expect(typesOf(first.message).slice(-2)).toEqual(['server_tool_use', 'tool_use']);
    expect(typesOf(second.message)).toEqual(['tool_use']);
    const third = await reply(ask(messages, { container }));
    expect(typesOf(third.message)[0]).toBe('code_execution_tool_result');
    expect(await verdict(ask([...messages, third.message, user('Thanks.')]))).toBe('200');
  });

  it('SIM-ANT-15: it streams, and the official client finds its container', async () => {
    const client = new Anthropic({ apiKey: 'none', baseURL: simulator.url, maxRetries: 0 });
    const message = await client.messages
      .stream({
        model: 'sim-interleaved',
        max_tokens: 2000,
        messages: [{ role: 'user', content: '/sim tools calculator' }],
        tools: [
          { type: 'code_execution_20260120', name: 'code_execution' },
          { name: 'calculator', input_schema: { type: 'object' }, allowed_callers: ['code_execution_20260120'] },
        ],
      })
      .finalMessage();
    const [program, call] = message.content.slice(-2);
    expect(program).toMatchObject({ type: 'server_tool_use', input: { code: expect.stringContaining('calculator') } });
    expect(call).toMatchObject({ type: 'tool_use', caller: { type: 'code_execution_20260120' } });
    expect(message.container?.id).toMatch(/^container_/);
  });

  it('SIM-ANT-15: without its container, in another one, or with words beside the results it is refused', async () => {
    const { container, messages } = await twoSteps();
    expect(await verdict(ask(messages))).toBe(
      '400 container_id is required when there are pending tool uses generated by code execution with tools.',
    );
    expect(await verdict(ask(messages, { container: 'container_1' }))).toContain('400 container: container_1');
    const other = await twoSteps();
    expect(await verdict(ask(messages, { container: other.container }))).toContain('another container');
    const said = { role: 'user', content: [...blocksOf(messages.at(-1) ?? {}), { type: 'text', text: 'And?' }] };
    expect(await verdict(ask([...messages.slice(0, -1), said], { container }))).toContain('400 messages.');
  });

  it('SIM-ANT-15: a call that names code which is not there is refused', async () => {
    const { container, messages } = await twoSteps();
    const [, opening] = messages;
    const pruned = blocksOf(opening ?? {}).filter(({ type }) => type !== 'server_tool_use');
    const body = ask([question, { role: 'assistant', content: pruned }, ...messages.slice(2)], { container });
    expect(await verdict(body)).toContain('no code execution call with id');
  });

  it('SIM-ANT-15: what Bough sends back from the stored replies is accepted', async () => {
    const { first, second, container } = await twoSteps();
    const [deployment] = simulatedDeployments(simulator.url).filter(
      ({ protocol }) => protocol === 'anthropic-messages',
    );
    if (deployment === undefined) throw new Error('no deployment');
    const raw = (json: Json): RawResponse => ({
      provider: deployment.id,
      deployment: deploymentKey(deployment),
      model: 'sim-interleaved',
      api: 'anthropic-messages',
      version: 1,
      capturedAt: '2026-11-15T12:00:00.000Z',
      complete: true,
      payload: { response: JSON.stringify(json) },
    });
    const raws = new Map([
      ['a1', raw(first.json)],
      ['a2', raw(second.json)],
    ]);
    const callsOf = ({ message }: { message: Json }) =>
      blocksOf(message).flatMap(({ type, id }) => (type === 'tool_use' ? [String(id)] : []));
    const item = (id: string, message: unknown, change: Partial<ContextItem> = {}): ContextItem => ({
      nodeIds: [nodeId(id)],
      source: 'canonical',
      message: parseMessage(message),
      reasoning: 'verbatim',
      partial: false,
      answeredCalls: [],
      synthetic: false,
      ...change,
    });
    const own = (id: string, made: { message: Json }) =>
      item(
        id,
        { role: 'assistant', content: [{ type: 'text', text: 'Its text.' }] },
        { source: 'raw', answeredCalls: callsOf(made) },
      );
    const results = (id: string, made: { message: Json }) =>
      callsOf(made).map((call) =>
        item(`${id}${call}`, { role: 'tool', content: [{ type: 'text', text: '42' }], tool_call_id: call }),
      );
    const prepared = PROTOCOLS['anthropic-messages'].prepare({
      items: [
        item('u1', question),
        own('a1', first),
        ...results('t1', first),
        own('a2', second),
        ...results('t2', second),
      ],
      systemPrompt: null,
      tools: [],
      toolChoice: 'auto',
      thinking: 'off',
      maxTokens: 2000,
      stream: false,
      model: deployment.modelInfo('sim-interleaved'),
      deployment,
      rawOf: (id) => raws.get(id),
    });
    const body: unknown = JSON.parse(prepared.body);
    if (!isPlainObject(body)) throw new Error('no body');
    expect(prepared.violations).toEqual([]);
    expect(body['container']).toBe(container);
    expect(await verdict({ ...body, tools })).toBe('200');
  });
});

describe('summaries on demand', () => {
  const SUMMARISE = { compaction: { type: 'summarize' } };
  const beta = { 'anthropic-beta': 'compact-2026-09-04' };
  const bound = (messages: readonly unknown[], change: Json = {}) =>
    request(messages, { model: 'claude-fable-5-2', ...change });

  async function conversation() {
    const { message: a1 } = await reply(bound([user('/sim say one')]));
    const before = [user('/sim say one'), a1, user('/sim say two')];
    const { message: a2 } = await reply(bound(before));
    const { message: summary, json } = await reply(bound(before, SUMMARISE), beta);
    return { before, a2, summary, json };
  }

  it('SIM-ANT-16: a summary is one signed block, which goes back first; what it used is listed as a pass', async () => {
    const { summary, json } = await conversation();
    expect(typesOf(summary)).toEqual(['compaction']);
    expect(json).toMatchObject({ stop_reason: 'compaction', usage: { iterations: [{ type: 'compaction' }] } });
    expect(await verdict(bound([summary, user('And?')]), beta)).toBe('200');
    expect(await verdict(bound([summary, user('And?')]))).toContain('400 messages.0.content.0');
    expect(await verdict(bound([user('a'), summary, user('And?')]), beta)).toContain('compaction_block_misplaced');
    expect(await verdict(bound([summary, user('a'), summary, user('b')]), beta)).toContain(
      'compaction_block_ambiguous',
    );
  });

  it('SIM-ANT-16: it comes back as it was signed', async () => {
    const { summary } = await conversation();
    const changed = (change: Json) =>
      bound([{ ...summary, content: [{ ...blocksOf(summary)[0], ...change }] }, user('b')]);
    expect(await verdict(changed({ signature: 'c2ln' }), beta)).toContain('400 compaction_signature_invalid');
    expect(await verdict(changed({ content: 'Other.' }), beta)).toContain('400 compaction_content_mismatch');
    expect(await verdict(changed({ tool_changes: [added('x')] }), beta)).toContain('compaction_tool_changes_mismatch');
  });

  it('SIM-ANT-16: thinking of turns that were kept behind it stays valid, if nothing was skipped or changed', async () => {
    const { a2, before, summary } = await conversation();
    expect(await verdict(bound([summary, a2, user('And?')]), beta)).toBe('200');
    expect(await verdict(bound([summary, user('Stray.'), a2, user('And?')]), beta)).toContain('bound to a different');
    expect(await verdict(bound([summary, a2, user('And?')], { system: 'New.' }), beta)).toContain(
      'bound to a different',
    );
    const skipped = (await reply(bound([...before, a2, user('/sim say three')]))).message;
    expect(await verdict(bound([summary, skipped, user('And?')]), beta)).toContain('bound to a different');
  });

  it('SIM-ANT-16: thinking that was made behind it is bound to it', async () => {
    const { a2, before, summary } = await conversation();
    const tail = [a2, user('/sim say three')];
    const { message: a3 } = await reply(bound([summary, ...tail]), beta);
    expect(await verdict(bound([summary, ...tail, a3, user('And?')]), beta)).toBe('200');
    expect(await verdict(bound([...before, ...tail, a3, user('And?')]), beta)).toContain('bound to a different');
  });

  it('SIM-ANT-16: an unfinished turn is not summarised', async () => {
    const { message } = await reply(request([user('/sim tools calculator')], { tools: [TOOL] }));
    const body = request([user('/sim tools calculator'), message], { tools: [TOOL], ...SUMMARISE });
    expect(await verdict(body, beta)).toContain('400 compaction_incomplete_turn');
  });
});

describe('a coding agent', () => {
  const headers = {
    'anthropic-beta':
      'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,' +
      'thinking-token-count-2026-05-13,advanced-tool-use-2025-11-20,effort-2025-11-24,' +
      'per-turn-control-2026-07-01,mid-conversation-tool-changes-2026-07-01',
  };
  const mark = { cache_control: { type: 'ephemeral' } };
  const tool = (name: string, change: Json = {}) => ({ ...TOOL, name, ...change });
  const tools = [tool('Bash'), tool('DeferredToolPlaceholder', { defer_loading: true }), tool('ToolSearch')];
  const ask = (messages: readonly unknown[], change: Json = {}) => ({
    model: 'claude-fable-5-2',
    messages,
    system: [
      { type: 'text', text: 'x-billing: cc_version=2.1;' },
      { type: 'text', text: 'You are an agent.', ...mark },
    ],
    tools,
    metadata: { user_id: '{"session_id":"1"}' },
    max_tokens: 128_000,
    thinking: { type: 'adaptive', display: 'omitted' },
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    output_config: { effort: 'medium' },
    stream: false,
    ...change,
  });
  const environment = 'The environment is a simulator.';

  it('SIM-ANT-18: its marks move, its system message changes form, and a tool that it found joins the others', async () => {
    const effort = { output_config: { effort: 'medium' } };
    const question = user('/sim tools ToolSearch');
    const marked = { role: 'system', ...effort, content: [{ type: 'text', text: environment, ...mark }] };
    const plain = { role: 'system', ...effort, content: environment };
    const { message } = await reply(ask([question, marked]), headers);
    expect(typesOf(message)).toContain('thinking');
    const results = blocksOf(answersTo(message)).map((result) => ({
      ...result,
      content: [{ type: 'tool_reference', tool_name: 'Later' }],
    }));
    const found = {
      role: 'user',
      content: [...results, { type: 'text', text: 'Tool loaded. /sim tools Later', ...mark }],
    };
    const grown = [...tools.slice(0, 2), tool('Later', { defer_loading: true }), ...tools.slice(2)];
    const second = await reply(ask([question, plain, message, found], { tools: grown }), headers);
    expect(blocksOf(second.message)).toContainEqual(expect.objectContaining({ type: 'tool_use', name: 'Later' }));
    const next = [question, plain, message, found, second.message, answersTo(second.message)];
    expect(await verdict(ask(next, { tools: grown }), headers)).toBe('200');
    expect(await verdict(ask(next), headers)).toBe("400 Tool reference 'Later' not found in available tools");
  });
});

describe('threads', () => {
  const client = () => new Anthropic({ apiKey: 'none', baseURL: simulator.url, maxRetries: 0 });

  it('SIM-ANT-17: the tool runner of the official client runs in a thread', async () => {
    const seen: unknown[] = [];
    const runner = client().beta.messages.toolRunner({
      model: 'claude-opus-5-5',
      max_tokens: 2000,
      messages: [{ role: 'user', content: '/sim tools calculator x1 steps 2' }],
      tools: [
        {
          type: 'custom',
          name: 'calculator',
          description: '',
          input_schema: { type: 'object' },
          run: (input) => {
            seen.push(input);
            return '42';
          },
          parse: (input) => input,
        },
      ],
    });
    const last = await runner;
    expect(last.stop_reason).toBe('end_turn');
    expect(seen).toHaveLength(2);
    expect(simulator.log().filter(({ kind }) => kind !== 'accepted')).toEqual([]);
  });

  it('SIM-ANT-17: a reply can be continued once; a lost, changed or unsuitable thread is refused with its code', async () => {
    const beta = { 'anthropic-beta': 'message-threads-2026-08-12' };
    const { json } = await reply(request([user('a')], { thread: { type: 'create' } }), beta);
    const next = (change: Json = {}, id = json['id']) =>
      request([user('b')], { thread: { type: 'continue', previous_message_id: id }, ...change });
    expect(await verdict(next({}, 'msg_none'), beta)).toContain('404 thread_not_found');
    expect(await verdict(next({ system: 'New.' }), beta)).toContain('400 thread_fingerprint_mismatch');
    expect(await verdict(next({ thinking: { type: 'adaptive' } }), beta)).toContain('400 thread_unsupported_request');
    expect(await verdict(next(), beta)).toBe('200');
    expect(await verdict(next(), beta)).toContain('400 thread_already_continued');
    expect(await verdict(next())).toMatch(/^400 thread: Extra inputs/);
  });
});
