import type { ContextItem, NodeId, RawResponse } from '@bough/core';
import { isToolUseBlock, messageOf, nodeId } from '@bough/core';
import { deploymentKey, PROTOCOLS } from '@bough/providers';
import { beforeEach, describe, expect, test } from 'vitest';
import type { LogEntry } from '../../log/index.ts';
import { createLog } from '../../log/index.ts';
import { planReply } from '../../plan/index.ts';
import type { Answer } from '../../simulated-protocol.ts';
import type { World } from '../../world.ts';
import { createWorld } from '../../world/index.ts';
import { ask, deploymentUnderTest } from './testing.ts';
import type { Json } from './wire.ts';
import { records } from './wire.ts';

// Items beyond messages, reasoning and functions: every kind of call, programs, tools inside the input, compactions.

let world: World;
let log: ReturnType<typeof createLog>;
beforeEach(() => {
  log = createLog();
  world = createWorld({
    seed: 'items',
    plan: planReply,
    note: (entry) => log.add({ path: '', model: null, ...entry }),
    now: () => 1_790_000_000_000,
  });
});

const complaints = (): readonly LogEntry[] => log.entries().filter(({ kind }) => kind !== 'accepted');
const parsed = (answer: Answer): Json => JSON.parse(answer.type === 'body' ? answer.body : '{}') as Json;
const outputOf = (answer: Answer): readonly Json[] => records(parsed(answer)['output']);
const messageIn = (answer: Answer): unknown => Object(parsed(answer)['error'])['message'];
const user = (content: string): Json => ({ role: 'user', content });
const typesOf = (items: readonly Json[]): readonly unknown[] => items.map(({ type }) => type);

const SETTINGS = { model: 'sim-summary', store: false, reasoning: { effort: 'medium', summary: 'auto' } };
const adder = { type: 'function', name: 'adder', parameters: { type: 'object', properties: {} } };
const SHOT = { type: 'computer_screenshot', image_url: 'data:image/png;base64,AA==' };

/** Every kind of tool that a client runs, and what the client answers with. */
const KINDS: readonly (readonly [call: string, tool: Json, output: (call: Json) => Json])[] = [
  ['custom_tool_call', { type: 'custom', name: 'tool' }, () => ({ type: 'custom_tool_call_output', output: 'x' })],
  ['shell_call', { type: 'shell' }, () => ({ type: 'shell_call_output', output: [] })],
  ['apply_patch_call', { type: 'apply_patch' }, () => ({ type: 'apply_patch_call_output', status: 'completed' })],
  ['local_shell_call', { type: 'local_shell' }, ({ id }) => ({ type: 'local_shell_call_output', id, output: 'x' })],
  [
    'computer_call',
    { type: 'computer' },
    ({ pending_safety_checks: acknowledged_safety_checks }) => ({
      type: 'computer_call_output',
      output: SHOT,
      acknowledged_safety_checks,
    }),
  ],
];
const nameOf = (tool: Json): string => String(tool['name'] ?? tool['type']);

describe('calls of every kind', () => {
  test.each(KINDS)(
    'SIM-OAR-11: a %s is made, demands its own type of result, and is taken back',
    (kind, tool, answer) => {
      const question = user(`/sim tools ${nameOf(tool)}`);
      const body = { ...SETTINGS, tools: [tool], input: [question] };
      const output = outputOf(ask(world, body));
      const call = output.at(-1) ?? {};
      expect(call['type']).toBe(kind);
      const again = (...items: readonly Json[]): Answer =>
        ask(world, { ...body, input: [question, ...output, ...items] });
      const name = kind.replaceAll('_', ' ');
      expect(messageIn(again())).toBe(`No tool output found for ${name} ${String(call['call_id'])}.`);
      const wrong = kind === 'custom_tool_call' ? 'function_call_output' : 'custom_tool_call_output';
      expect(messageIn(again({ type: wrong, call_id: call['call_id'], output: 'x' }))).toMatch(
        /^No tool call found for/,
      );
      log.clear();
      const result = { call_id: call['call_id'], ...answer(call) };
      expect(typesOf(outputOf(again(result)))).toContain('message');
      expect(complaints()).toEqual([]);
    },
  );

  test('SIM-OAR-11: a safety check that nobody acknowledged is refused', () => {
    const question = user('/sim tools computer');
    const output = outputOf(ask(world, { ...SETTINGS, tools: [{ type: 'computer' }], input: [question] }));
    const result = { type: 'computer_call_output', call_id: output.at(-1)?.['call_id'], output: SHOT };
    const answer = ask(world, { ...SETTINGS, tools: [{ type: 'computer' }], input: [question, ...output, result] });
    expect(messageIn(answer)).toMatch(/^Computer tool has unacknowledged safety check for \['cu_sc_/);
  });

  test('SIM-OAR-11: an asynchronous call may stay open, and its result may come in any later request', () => {
    const tools = [{ ...adder, async: true }];
    const input: Json[] = [user('/sim tools adder')];
    const output = outputOf(ask(world, { ...SETTINGS, tools, input }));
    const call = output.at(-1) ?? {};
    expect(call).toMatchObject({ type: 'function_call', async: true });
    input.push(...output, user('And meanwhile?'));
    input.push(...outputOf(ask(world, { ...SETTINGS, tools, input })));
    input.push({ type: 'function_call_output', call_id: call['call_id'], output: '7' }, user('Now?'));
    expect(outputOf(ask(world, { ...SETTINGS, tools, input }))).not.toEqual([]);
    expect(complaints()).toEqual([]);
    const { async: _, ...sync } = call;
    const open = ask(world, { ...SETTINGS, tools, input: [...output.slice(0, -1), sync, user('And?')] });
    expect(messageIn(open)).toMatch(/^No tool output found for function call/);
  });

  test('SIM-OAR-11: tools may stand in the input and in namespaces, and a call names its namespace', () => {
    const tools = [{ type: 'namespace', name: 'crm', description: 'Customers.', tools: [adder] }];
    const input: Json[] = [{ type: 'additional_tools', role: 'developer', tools }, user('/sim tools adder')];
    const output = outputOf(ask(world, { ...SETTINGS, input }));
    const call = output.at(-1) ?? {};
    expect(call).toMatchObject({ name: 'adder', namespace: 'crm' });
    const result = { type: 'function_call_output', call_id: call['call_id'], output: '7' };
    ask(world, { ...SETTINGS, input: [...input, ...output, result] });
    expect(complaints()).toEqual([]);
    const { namespace: _, ...bare } = call;
    ask(world, { ...SETTINGS, input: [...input, ...output.slice(0, -1), bare, result] });
    expect(complaints().map(({ kind, rule }) => [kind, rule])).toEqual([
      ['silent_drop', 'OAR-LOSS-4'],
      ['silent_drop', 'SIM-OAR-LOST'],
    ]);
  });
});

describe('programs', () => {
  const tools = [{ type: 'programmatic_tool_calling' }, { ...adder, allowed_callers: ['programmatic'] }];
  const question = user('/sim tools adder x2');

  function run(): { readonly output: readonly Json[]; readonly results: readonly Json[] } {
    const output = outputOf(ask(world, { ...SETTINGS, tools, input: [question] }));
    const results = output
      .filter(({ type }) => type === 'function_call')
      .map(({ call_id, caller }) => ({ type: 'function_call_output', call_id, output: '7', caller }));
    return { output, results };
  }

  test('SIM-OAR-12: a program makes calls, and returns when they are answered', () => {
    const { output, results } = run();
    expect(typesOf(output).slice(-3)).toEqual(['program', 'function_call', 'function_call']);
    const next = outputOf(ask(world, { ...SETTINGS, tools, input: [question, ...output, ...results] }));
    expect(next[0]).toMatchObject({ type: 'program_output', result: '["7","7"]', status: 'completed' });
    const input = [question, ...output, ...results, ...next, user('Thanks.')];
    expect(typesOf(outputOf(ask(world, { ...SETTINGS, tools, input })))).not.toContain('program_output');
    expect(complaints()).toEqual([]);
  });

  test('SIM-OAR-12: its fingerprint comes back unchanged, and its calls come back with it', () => {
    const { output, results } = run();
    const changed = output.map((item) => (item['type'] === 'program' ? { ...item, fingerprint: 'gAAAAABx' } : item));
    expect(messageIn(ask(world, { ...SETTINGS, tools, input: [question, ...changed, ...results] }))).toMatch(
      /^The fingerprint of program/,
    );
    const alone = output.filter(({ type }) => type === 'function_call').map((call) => ({ ...call, id: undefined }));
    expect(messageIn(ask(world, { ...SETTINGS, tools, input: [question, ...alone, ...results] }))).toMatch(
      /^No program found for function call with caller_id/,
    );
  });
});

describe('tools of the provider', () => {
  const HOSTED: readonly (readonly [item: string, tool: Json])[] = [
    ['web_search_call', { type: 'web_search' }],
    ['file_search_call', { type: 'file_search', vector_store_ids: ['vs_1'] }],
    ['code_interpreter_call', { type: 'code_interpreter', container: { type: 'auto' } }],
    ['mcp_call', { type: 'mcp', server_label: 'wiki', server_url: 'https://example.com', require_approval: 'never' }],
  ];

  test.each(HOSTED)(
    'SIM-OAR-16: a %s comes whole beside its reasoning, and goes back whole or not at all',
    (type, tool) => {
      const input: Json[] = [user('Look it up.')];
      const body = { ...SETTINGS, tools: [tool] };
      const output = outputOf(ask(world, { ...body, input }));
      expect(typesOf(output)).toContain(type);
      expect(typesOf(output).slice(0, 1)).toEqual(['reasoning']);
      expect(outputOf(ask(world, { ...body, input: [...input, ...output, user('Thanks.')] }))).not.toEqual([]);
      expect(complaints()).toEqual([]);
      const reduced = output.map((item) =>
        item['type'] === type ? { type, id: item['id'], status: 'completed' } : item,
      );
      const refused = ask(world, { ...body, input: [...input, ...reduced, user('Thanks.')] });
      expect(refused).toMatchObject({ status: 404 });
      expect(messageIn(refused)).toMatch(/^Item with id '.*' not found\. Items are not persisted/);
    },
  );

  test('SIM-OAR-16: results are in an item only if the request asks for them', () => {
    const tool = HOSTED[1]?.[1] ?? {};
    const find = (more: Json): Json | undefined =>
      outputOf(ask(world, { ...SETTINGS, tools: [tool], input: 'Look.', ...more })).find(
        ({ type }) => type === 'file_search_call',
      );
    expect(find({})?.['results']).toBeNull();
    expect(find({ include: ['file_search_call.results'] })?.['results']).toHaveLength(1);
  });

  test('SIM-OAR-16: a container lives as long as it is remembered', () => {
    const tool = { type: 'code_interpreter', container: { type: 'auto' } };
    const output = outputOf(ask(world, { ...SETTINGS, tools: [tool], input: 'Count.' }));
    const container = output.find(({ type }) => type === 'code_interpreter_call')?.['container_id'];
    const again = (id: unknown): Answer =>
      ask(world, { ...SETTINGS, tools: [{ ...tool, container: id }], input: 'Count again.' });
    expect(messageIn(again(container))).toBeUndefined();
    expect(messageIn(again('cntr_gone'))).toBe('Container is expired.');
  });

  test('SIM-OAR-16: a call of a server that asks first waits for the approval, named by its id', () => {
    const tools = [
      { type: 'mcp', server_label: 'wiki', server_url: 'https://example.com', require_approval: 'always' },
    ];
    const input: Json[] = [user('Look it up.')];
    const output = outputOf(ask(world, { ...SETTINGS, tools, input }));
    const request = output.find(({ type }) => type === 'mcp_approval_request');
    const approval = { type: 'mcp_approval_response', approval_request_id: request?.['id'], approve: true };
    const next = outputOf(ask(world, { ...SETTINGS, tools, input: [...input, ...output, approval] }));
    expect(typesOf(next)).toContain('mcp_call');
    expect(typesOf(next)).not.toContain('mcp_list_tools');
    expect(complaints()).toEqual([]);
    const stray = ask(world, { ...SETTINGS, tools, input: [...input, { ...approval, approval_request_id: 'mcpr_x' }] });
    expect(messageIn(stray)).toMatch(/^No approval request found/);
  });

  test('SIM-OAR-16: a tool that is loaded late is searched for once', () => {
    const tools = [{ type: 'tool_search' }, { ...adder, defer_loading: true }];
    const input: Json[] = [user('/sim tools adder')];
    const output = outputOf(ask(world, { ...SETTINGS, tools, input }));
    expect(typesOf(output).slice(-3)).toEqual(['tool_search_call', 'tool_search_output', 'function_call']);
    const result = { type: 'function_call_output', call_id: output.at(-1)?.['call_id'], output: '7' };
    input.push(...output, result, user('/sim tools adder'));
    expect(typesOf(outputOf(ask(world, { ...SETTINGS, tools, input })))).not.toContain('tool_search_call');
    expect(complaints()).toEqual([]);
  });
});

describe('compaction', () => {
  const talk = [user('Hello.'), { role: 'assistant', content: 'Hello.' }, user('What did I say?')];

  test('SIM-OAR-13: a trigger gets nothing but a compaction; a threshold gets one before the answer', () => {
    const triggered = outputOf(ask(world, { ...SETTINGS, input: [...talk, { type: 'compaction_trigger' }] }));
    expect(typesOf(triggered)).toEqual(['compaction']);
    const context_management = [{ type: 'compaction', compact_threshold: 10 }];
    const output = outputOf(ask(world, { ...SETTINGS, context_management, input: talk }));
    expect(typesOf(output)).toEqual(['compaction', 'reasoning', 'message']);
    const input = [...output, user('And then?')];
    expect(typesOf(outputOf(ask(world, { ...SETTINGS, input })))).toEqual(['reasoning', 'message']);
    expect(complaints()).toEqual([]);
  });

  test('SIM-OAR-13: one that was altered, or made by somebody else, is refused', () => {
    const [compaction = {}] = outputOf(ask(world, { ...SETTINGS, input: [...talk, { type: 'compaction_trigger' }] }));
    const altered = { ...compaction, encrypted_content: `${String(compaction['encrypted_content'])}A` };
    const answer = ask(world, { ...SETTINGS, input: [altered, user('Go on.')] });
    expect(parsed(answer)['error']).toMatchObject({ code: 'invalid_encrypted_content' });
  });
});

describe('parameters', () => {
  test('SIM-OAR-14: what real clients send is known, and anything else is refused by name', () => {
    const more = {
      client_metadata: { session: 'x' },
      access_programs: { cyber: true },
      image: {},
      prompt_cache_key: 'k',
    };
    expect(outputOf(ask(world, { ...SETTINGS, ...more, input: 'Hello.' }))).not.toEqual([]);
    const error = parsed(ask(world, { ...SETTINGS, input: 'Hello.', hologram: 1 }))['error'];
    expect(error).toMatchObject({
      message: "Unknown parameter: 'hologram'.",
      param: 'hologram',
      code: 'unknown_parameter',
    });
  });

  test('SIM-OAR-14: settings change inside the conversation, but not in pro mode', () => {
    const update = { type: 'configuration_update', reasoning: { effort: 'none' } };
    const body = { model: 'gpt-6-sol', store: false, input: [user('Hello.'), update] };
    expect(typesOf(outputOf(ask(world, body)))).toEqual(['message']);
    expect(messageIn(ask(world, { ...body, reasoning: { mode: 'pro' } }))).toBe(
      "The 'configuration_update' item type is not supported with pro or tournament models.",
    );
  });

  test('SIM-OAR-14: it proves whether a request only adds to an earlier one', () => {
    const input: Json[] = [user('Hello.')];
    const first = ask(world, { ...SETTINGS, input });
    const body = {
      ...SETTINGS,
      prompt_cache_options: { comparison_response_id: parsed(first)['id'] },
      input: [...input, ...outputOf(first), user('More.')],
    };
    const diagnostics = (more: Json = {}): unknown =>
      parsed(ask(world, { ...body, ...more }))['prompt_cache_diagnostics'];
    expect(diagnostics()).toEqual({ type: 'cache_hit' });
    expect(diagnostics({ tools: [adder] })).toMatchObject({ type: 'cache_miss', reason: 'tools_changed' });
    expect(diagnostics({ input: [user('Hi.'), ...outputOf(first), user('More.')] })).toMatchObject({
      type: 'cache_miss',
      reason: 'input_changed',
    });
    const unknown = { prompt_cache_options: { comparison_response_id: 'resp_never' } };
    expect(diagnostics(unknown)).toEqual({ type: 'comparison_response_not_found' });
  });
});

describe('Bough', () => {
  const deployment = deploymentUnderTest({ encryptsByDefault: true });
  const model = 'sim-summary';

  /**
   * What Bough makes of a conversation in which the model called the last of these tools and the client answered; null
   * stands for the result that core puts behind a call that has none.
   */
  function replayed(tools: readonly Json[], calls: number, text: (call: Json) => string | null): Answer {
    const items: ContextItem[] = [];
    const raws = new Map<NodeId, RawResponse>();
    const add = (item: Partial<ContextItem> & Pick<ContextItem, 'message'>): NodeId => {
      const id = nodeId(`n${items.length}`);
      const blank = {
        source: 'canonical',
        reasoning: 'omit',
        partial: false,
        answeredCalls: [],
        synthetic: false,
      } as const;
      items.push({ nodeIds: [id], ...blank, ...item });
      return id;
    };
    const prepare = (): Json => ({
      ...(JSON.parse(
        PROTOCOLS['openai-responses'].prepare({
          items,
          systemPrompt: null,
          tools: [],
          toolChoice: 'auto',
          thinking: 'medium',
          maxTokens: 4000,
          stream: false,
          model: deployment.modelInfo(model),
          deployment,
          rawOf: (id) => raws.get(id),
        }).body,
      ) as Json),
      tools,
    });
    add({ message: messageOf('user', [{ type: 'text', text: `/sim tools ${nameOf(tools.at(-1) ?? {})}` }]) });
    const answer = ask(world, prepare());
    const call = outputOf(answer).at(-1) ?? {};
    const raw: RawResponse = {
      provider: deployment.id,
      deployment: deploymentKey(deployment),
      model,
      api: 'openai-responses',
      version: 1,
      capturedAt: '2026-11-15T00:00:00.000Z',
      complete: true,
      payload: { events: [], response: answer.type === 'body' ? answer.body : null },
    };
    const blocks = PROTOCOLS['openai-responses'].toContentBlocks(raw);
    const answeredCalls = blocks.filter(isToolUseBlock).map(({ id }) => id);
    expect(answeredCalls).toHaveLength(calls);
    const message = messageOf('assistant', blocks);
    raws.set(add({ message, source: 'raw', reasoning: 'verbatim', answeredCalls }), raw);
    const result = text(call);
    for (const id of answeredCalls) {
      const missing = { synthetic: true, isError: true };
      add({
        message: messageOf('tool', [{ type: 'text', text: result ?? 'No result.' }], id),
        ...(result === null && missing),
      });
    }
    add({ message: messageOf('user', [{ type: 'text', text: 'Thanks.' }]) });
    return ask(world, prepare());
  }

  test.each(KINDS)('SIM-OAR-15: sends a %s back so that it is taken and nothing is lost', (kind, tool, output) => {
    const answer = replayed([tool], 1, (call) =>
      kind === 'computer_call' ? JSON.stringify({ call_id: call['call_id'], ...output(call) }) : 'Done.',
    );
    expect(messageIn(answer)).toBeUndefined();
    expect(complaints()).toEqual([]);
  });

  test.each([
    ['web_search', {}],
    ['file_search', { vector_store_ids: ['vs_1'] }],
    ['code_interpreter', { container: { type: 'auto' } }],
    ['mcp', { server_label: 'wiki', require_approval: 'never' }],
  ])(
    'SIM-OAR-15: sends what the provider’s own %s did back so that it is taken and nothing is lost',
    (type, settings) => {
      const answer = replayed([{ type, ...settings }], 0, () => '');
      expect(messageIn(answer)).toBeUndefined();
      expect(complaints()).toEqual([]);
    },
  );

  test('SIM-OAR-15: sends a program back with its calls, so that it can return', () => {
    const tools = [{ type: 'programmatic_tool_calling' }, { ...adder, allowed_callers: ['programmatic'] }];
    const answer = replayed(tools, 1, () => '7');
    expect(outputOf(answer)[0]).toMatchObject({ type: 'program_output', result: '["7"]' });
    expect(complaints()).toEqual([]);
  });

  test('SIM-OAR-15: leaves an asynchronous call open until there is a result', () => {
    const answer = replayed([{ ...adder, async: true }], 1, () => null);
    expect(messageIn(answer)).toBeUndefined();
    expect(complaints()).toEqual([]);
  });
});
