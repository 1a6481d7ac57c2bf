import type { ProtocolId, RawResponse } from '@bough/core';
import { createNode, nodeId, projectId } from '@bough/core';
import { buildContentBlocksForProvider } from '@bough/providers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClientBody } from '../dialect.ts';
import { anyConversation, bodyOf, MANNER } from '../testing/conversations.ts';
import { readBody, replyLikeness } from './index.ts';
import { reversedKeys, spaced } from '../testing/json.ts';

const PROTOCOLS: readonly ProtocolId[] = ['anthropic-messages', 'openai-responses', 'openai-chat', 'gemini'];

function read(protocol: ProtocolId, body: unknown): ClientBody {
  const read = readBody(protocol, typeof body === 'string' ? body : JSON.stringify(body), 'gemini-3');
  if (read === null) throw new Error('not understood');
  return read;
}

const likenesses = ({ messages }: ClientBody): readonly string[] =>
  messages.flatMap(({ parts }) => parts.map(({ role, likeness }) => `${role} ${likeness}`));

describe.each(PROTOCOLS)('a body of %s', (protocol) => {
  it('GW-61: spans are the elements as they were written, in order, and leave none out', () => {
    fc.assert(
      fc.property(anyConversation, fc.infiniteStream(fc.constantFrom('', ' ', '\n  ')), (said, space) => {
        const text = spaced(bodyOf(protocol, said), space);
        const body = JSON.parse(text) as Record<string, unknown>;
        const { messages } = read(protocol, text);
        const elements = messages.flatMap(({ from, to }) => JSON.parse(`[${text.slice(from, to)}]`) as unknown[]);
        expect(elements).toEqual(body['messages'] ?? body['input'] ?? body['contents']);
        let end = 0;
        for (const { from, to } of messages) {
          expect(from).toBeGreaterThanOrEqual(end);
          end = to;
        }
      }),
    );
  });

  it('GW-62: every part makes a node', () => {
    fc.assert(
      fc.property(anyConversation, (said) => {
        const parts = read(protocol, bodyOf(protocol, said)).messages.flatMap((message) => message.parts);
        const expected = said.flatMap((one) =>
          one.who === 'user' ? ['user'] : ['assistant', ...one.calls.map(() => 'tool')],
        );
        expect(parts.map(({ role }) => role)).toEqual(expected);
        for (const { role, blocks, toolCallId } of parts) {
          createNode({
            id: nodeId('n'),
            projectId: projectId('p'),
            parentId: null,
            createdAt: '',
            role,
            contentBlocks: blocks,
            toolCallId: toolCallId ?? null,
          });
        }
        const calls = parts.flatMap(({ blocks }) =>
          blocks.flatMap((block) => (block.type === 'tool-use' ? [block] : [])),
        );
        const results = parts.filter(({ role }) => role === 'tool').map(({ toolCallId }) => toolCallId);
        expect(results).toEqual(calls.map((call) => (call as { id: string }).id));
      }),
    );
  });

  it('GW-63: what a client changes without meaning it leaves the likeness of each part as it is', () => {
    const ids = protocol === 'gemini' ? ['b', ''] : ['b'];
    const manners = fc.record({
      plain: fc.boolean(),
      marks: fc.boolean(),
      thoughts: fc.boolean(),
      ids: fc.constantFrom(...ids),
      around: protocol === 'gemini' ? fc.constant('') : fc.constantFrom('', '\n', '  '),
    });
    fc.assert(
      fc.property(anyConversation, manners, (said, manner) => {
        const other = reversedKeys(bodyOf(protocol, said, manner));
        expect(likenesses(read(protocol, other))).toEqual(likenesses(read(protocol, bodyOf(protocol, said, MANNER))));
      }),
    );
  });

  it('GW-63: what a person means changes it, and only there', () => {
    fc.assert(
      fc.property(anyConversation, fc.nat(), fc.nat(), (said, place, what) => {
        const at = place % said.length;
        const one = said[at];
        if (one === undefined) return;
        const changes =
          one.who === 'user'
            ? [
                { ...one, text: `${one.text}!` },
                { ...one, picture: one.picture === 'AAAA' ? 'BBBB' : 'AAAA' },
              ]
            : [
                { ...one, text: `${one.text}!` },
                { ...one, calls: [...one.calls, { name: 'shell', args: {}, result: 'x' }] },
                ...one.calls.map((call, index) => ({
                  ...one,
                  calls: one.calls.with(index, { ...call, result: `${call.result}!` }),
                })),
                ...one.calls.map((call, index) => ({
                  ...one,
                  calls: one.calls.with(index, { ...call, args: { other: 1 } }),
                })),
              ];
        const change = changes[what % changes.length];
        if (change === undefined) return;
        const before = likenesses(read(protocol, bodyOf(protocol, said)));
        const after = likenesses(read(protocol, bodyOf(protocol, said.with(at, change))));
        expect(after).not.toEqual(before);
        const head = likenesses(read(protocol, bodyOf(protocol, said.slice(0, at)))).length;
        expect(after.slice(0, head)).toEqual(before.slice(0, head));
      }),
    );
  });

  it('GW-66: anything at all is read or not understood; nothing throws', () => {
    const list = protocol === 'gemini' ? 'contents' : protocol === 'openai-responses' ? 'input' : 'messages';
    const part = fc.dictionary(
      fc.constantFrom(
        'type',
        'role',
        'content',
        'parts',
        'text',
        'functionCall',
        'tool_calls',
        'summary',
        'output',
        'id',
      ),
      fc.oneof(
        fc.jsonValue(),
        fc.constantFrom('user', 'assistant', 'tool', 'model', 'tool_result', 'message', 'reasoning'),
      ),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.array(part).map((messages) => JSON.stringify({ model: 'm', [list]: messages })),
        ),
        (text) => {
          const body = readBody(protocol, text, 'm');
          for (const { parts } of body?.messages ?? [])
            for (const { blocks, files } of parts) expect(blocks.length + files.length).toBeGreaterThan(0);
        },
      ),
    );
    expect(readBody(protocol, '{"messages":', 'm')).toBeNull();
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    for (const text of [
      deep,
      `{"model":"m","${list}":[{"role":"user","content":[{"type":"x","v":${deep}}],"parts":[{"x":${deep}}]}]}`,
    ]) {
      expect(readBody(protocol, text, 'm')).toBeNull();
    }
  });
});

it('GW-65: a screenshot that answers a call is a file, not a text of its bytes', () => {
  const picture = Buffer.from('a picture');
  const output = { type: 'computer_screenshot', image_url: `data:image/png;base64,${picture.toString('base64')}` };
  const input = [{ type: 'computer_call_output', call_id: 'c', output }];
  const part = readBody('openai-responses', JSON.stringify({ model: 'm', input }))?.messages[0]?.parts[0];
  expect(part).toMatchObject({ role: 'tool', toolCallId: 'c', blocks: [] });
  expect(part?.files.map(({ mediaType, bytes }) => [mediaType, Buffer.from(bytes())])).toEqual([
    ['image/png', picture],
  ]);
});

describe('a reply that comes back', () => {
  const issuer = { provider: 'p', deployment: 'p', model: 'm', version: 1, capturedAt: '', complete: true } as const;
  const call = { name: 'shell', arguments: '{"b": 1.0, "a":"x"}' };
  const cases: readonly [ProtocolId, unknown, (reply: never) => unknown][] = [
    [
      'anthropic-messages',
      {
        content: [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'text', text: 'One ', citations: [] },
          { type: 'server_tool_use', id: 'srv', name: 'web_search', input: {} },
          { type: 'text', text: 'two.\n' },
          { type: 'tool_use', id: 'toolu_1', name: 'shell', input: { b: 1, a: 'x' } },
        ],
        stop_reason: 'tool_use',
      },
      ({ content }: { content: readonly { type: string }[] }) => ({
        messages: [
          {
            role: 'assistant',
            content: content.filter(({ type }) => type !== 'thinking' && type !== 'server_tool_use'),
          },
        ],
      }),
    ],
    [
      'openai-responses',
      {
        status: 'completed',
        output: [
          { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'e' },
          {
            type: 'message',
            id: 'msg_1',
            role: 'assistant',
            phase: 'commentary',
            content: [{ type: 'output_text', text: 'Hm. ', annotations: [] }],
          },
          { type: 'function_call', id: 'fc_1', call_id: 'call_1', status: 'completed', namespace: 'files', ...call },
          { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_2', name: 'apply_patch', input: '*** Begin' },
          {
            type: 'local_shell_call',
            id: 'lsh_1',
            call_id: 'call_3',
            status: 'completed',
            action: { type: 'exec', command: ['ls'] },
          },
          { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
        ],
      },
      ({ output }: { output: readonly object[] }) => ({
        input: output.map((item) => ({ ...item, id: undefined })),
      }),
    ],
    [
      'openai-chat',
      {
        choices: [
          {
            finish_reason: 'tool_calls',
            message: {
              role: 'assistant',
              reasoning_content: 'hm',
              content: 'Text.',
              tool_calls: [{ id: 'call_1', type: 'function', function: call }],
            },
          },
        ],
      },
      ({ choices: [{ message }] }: { choices: [{ message: object }] }) => ({
        messages: [{ ...message, reasoning_content: undefined }],
      }),
    ],
    [
      'openai-chat',
      { choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: '<think>hm</think>\n\nText.' } }] },
      () => ({ messages: [{ role: 'assistant', content: '<think>hm</think>\n\nText.' }] }),
    ],
    [
      'gemini',
      {
        candidates: [
          {
            finishReason: 'STOP',
            content: {
              role: 'model',
              parts: [
                { text: 'hm', thought: true },
                { text: 'One ' },
                { text: 'two.', thoughtSignature: 'g' },
                { functionCall: { name: 'shell', args: { b: 1, a: 'x' } }, thoughtSignature: 'h' },
                { executableCode: { language: 'PYTHON', code: '1' } },
              ],
            },
          },
        ],
      },
      ({ candidates: [{ content }] }: { candidates: [{ content: { parts: readonly { thought?: true }[] } }] }) => ({
        contents: [{ ...content, parts: content.parts.filter(({ thought }) => thought !== true) }],
      }),
    ],
  ];

  it.each(cases)(
    'GW-64: from %s it is like the stored one, whatever of it the client left out',
    (api, reply, history) => {
      const response = JSON.stringify(reply);
      const payload =
        api === 'openai-responses'
          ? { events: [], response }
          : api === 'gemini'
            ? { stream: [], response }
            : { response };
      const raw: RawResponse = { ...issuer, api, payload };
      const stored = buildContentBlocksForProvider(raw);
      expect(stored.length).toBeGreaterThan(0);
      const [message] = read(api, { model: 'm', ...(history(reply as never) as object) }).messages;
      expect(message?.parts).toHaveLength(1);
      expect(message?.parts[0]?.likeness).toBe(replyLikeness(stored));
    },
  );
});

describe('what clients send', () => {
  it('GW-65: Claude Code: system in blocks, instructions between, results with errors, references and pictures', () => {
    const body = read('anthropic-messages', {
      model: 'claude-fable-5-2',
      messages: [
        { role: 'user', content: 'Hello' },
        {
          role: 'system',
          output_config: { effort: 'medium' },
          content: [{ type: 'text', text: 'Env', cache_control: {} }],
        },
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 't1', name: 'ToolSearch', input: {} },
            { type: 'tool_use', id: 't2', name: 'Read', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { tool_use_id: 't1', type: 'tool_result', content: [{ type: 'tool_reference', tool_name: 'Grep' }] },
            {
              type: 'tool_result',
              content: [
                { type: 'text', text: 'no' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
              ],
              is_error: true,
              tool_use_id: 't2',
            },
            { type: 'text', text: 'Tool loaded.' },
          ],
        },
      ],
      system: [
        { type: 'text', text: 'x-anthropic-billing-header: a' },
        { type: 'text', text: 'You are' },
      ],
      tools: [
        { name: 'Read', description: 'Reads', input_schema: { type: 'object' } },
        { type: 'web_search_20250305', name: 'web_search' },
      ],
      max_tokens: 64_000,
      thinking: { type: 'adaptive', display: 'omitted' },
      output_config: { effort: 'medium' },
      stream: true,
    });
    expect(body).toMatchObject({
      model: 'claude-fable-5-2',
      stream: true,
      system: ['x-anthropic-billing-header: a', 'You are'],
      tools: [{ name: 'Read', description: 'Reads', inputSchema: { type: 'object' } }],
      providerTools: [{ type: 'web_search_20250305' }],
      thinking: 'medium',
      maxTokens: 64_000,
      toolChoice: 'auto',
    });
    const [, system, , results] = body.messages;
    expect(system?.parts).toMatchObject([{ role: 'system', blocks: [{ type: 'text', text: 'Env' }] }]);
    expect(results?.parts).toMatchObject([
      { role: 'tool', toolCallId: 't1', blocks: [{ type: 'text', text: '[tool_reference Grep]' }] },
      {
        role: 'tool',
        toolCallId: 't2',
        isError: true,
        blocks: [{ type: 'text', text: 'no' }],
        files: [{ mediaType: 'image/png', at: 1 }],
      },
      { role: 'user', blocks: [{ type: 'text', text: 'Tool loaded.' }] },
    ]);
    expect(results?.parts[1]?.files[0]?.bytes()).toEqual(Buffer.from([0, 0, 0]));
  });

  it('GW-65: Codex: tools in an item, instructions of a developer, a reply of several items, a custom tool, a summary', () => {
    const body = read('openai-responses', {
      model: 'gpt-5.6-sol',
      input: [
        {
          type: 'additional_tools',
          id: 'at_1',
          role: 'developer',
          tools: [
            { type: 'namespace', name: 'files', tools: [{ type: 'function', name: 'find', parameters: {} }] },
            { type: 'custom', name: 'apply_patch', format: {} },
            { type: 'web_search' },
          ],
        },
        { type: 'message', id: 'msg_1', role: 'developer', content: [{ type: 'input_text', text: 'Rules' }] },
        { type: 'compaction', encrypted_content: 'x' },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go' }] },
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }], content: null, encrypted_content: 'e' },
        { type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input: 'p' },
        { type: 'custom_tool_call_output', call_id: 'c1', output: 'done' },
        { role: 'developer', content: 'More rules' },
        { type: 'item_reference', id: 'rs_9' },
      ],
      reasoning: { effort: 'xhigh' },
      stream: true,
      store: false,
    });
    expect(body.system).toEqual(['Rules']);
    expect(body.tools.map(({ name }) => name)).toEqual(['find', 'apply_patch']);
    expect(body.providerTools).toEqual([{ type: 'web_search' }]);
    expect(body.thinking).toBe('high');
    expect(body.messages.map(({ parts }) => parts.map(({ role, blocks }) => [role, blocks]))).toEqual([
      [['assistant', [{ type: 'compaction', encrypted_content: 'x' }]]],
      [['user', [{ type: 'text', text: 'Go' }]]],
      [
        [
          'assistant',
          [
            { type: 'thinking', thinking: 'hm', signature: 'e' },
            { type: 'tool-use', id: 'c1', name: 'apply_patch', parameters: { input: 'p' } },
          ],
        ],
      ],
      [['tool', [{ type: 'text', text: 'done' }]]],
      [['system', [{ type: 'text', text: 'More rules' }]]],
      [['assistant', [{ type: 'item_reference', id: 'rs_9' }]]],
    ]);
  });

  it('GW-65: an input that is a string is one message, and its span is the string', () => {
    const body = read('openai-responses', '{"model":"m", "input" : "Hi \\"you\\"" }');
    expect(body.messages).toMatchObject([{ parts: [{ role: 'user', blocks: [{ type: 'text', text: 'Hi "you"' }] }] }]);
    expect(body.text.slice(body.messages[0]?.from, body.messages[0]?.to)).toBe('"Hi \\"you\\""');
  });

  it('GW-65: tools of the same name in two namespaces keep both names', () => {
    const space = (name: string): object => ({ type: 'namespace', name, tools: [{ type: 'function', name: 'find' }] });
    const { tools } = read('openai-responses', { model: 'm', input: [], tools: [space('crm'), space('files')] });
    expect(tools.map(({ name }) => name)).toEqual(['crm__find', 'files__find']);
  });

  it('GW-65: chat: instructions first and between, content that is null, results', () => {
    const body = read('openai-chat', {
      model: 'm',
      messages: [
        { role: 'developer', content: 'A' },
        { role: 'system', content: [{ type: 'text', text: 'B' }] },
        { role: 'user', content: 'Hi' },
        { role: 'system', content: 'Be short.' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: '' },
      ],
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
      tool_choice: { type: 'function', function: { name: 'f' } },
      reasoning_effort: 'minimal',
      max_completion_tokens: 7,
    });
    expect(body).toMatchObject({
      system: ['A', 'B'],
      toolChoice: { name: 'f' },
      thinking: 'low',
      maxTokens: 7,
      stream: false,
    });
    expect(body.messages.map(({ parts: [part] }) => [part?.role, part?.blocks])).toEqual([
      ['user', [{ type: 'text', text: 'Hi' }]],
      ['system', [{ type: 'text', text: 'Be short.' }]],
      ['assistant', [{ type: 'tool-use', id: 'c', name: 'f', parameters: {} }]],
      ['tool', [{ type: 'text', text: '' }]],
    ]);
  });

  it('GW-63: Gemini CLI: what it resumes is what was said, with another date, and results that it says twice', () => {
    const context = (date: string, folder: string) => ({
      text:
        `<session_context>\nThis is the Gemini CLI.\nToday's date is ${date}.\n` +
        `The project's temporary directory is: /tmp/${date}\n- **Workspace Directories:**\n  - ${folder}\n` +
        `- **Directory Structure:**\n\n${folder}/\n└───${date}.txt\n</session_context>`,
    });
    const result = { functionResponse: { id: 'look_1_0', name: 'look', response: { output: 'x' } } };
    const body = (surroundings: unknown, results: readonly unknown[], question = 'Look.') => ({
      contents: [
        { role: 'user', parts: [surroundings, { text: question }] },
        { role: 'model', parts: [{ functionCall: { id: 'look_1_0', name: 'look', args: {} } }] },
        { role: 'user', parts: results },
      ],
    });
    const first = likenesses(read('gemini', body(context('Monday', '/home/a'), [result])));
    const resumed = read('gemini', body(context('Tuesday', '/home/a'), [result, result]));
    expect(likenesses(resumed)).toEqual(first);
    expect(resumed.messages[0]?.parts[0]?.blocks).toContainEqual({ type: 'text', ...context('Tuesday', '/home/a') });
    expect(likenesses(read('gemini', body(context('Monday', '/home/b'), [result])))[0]).not.toBe(first[0]);
    expect(likenesses(read('gemini', body(context('Monday', '/home/a'), [result], 'Go.')))[0]).not.toBe(first[0]);
    // Two calls may have the same result.
    const other = { functionResponse: { ...result.functionResponse, id: 'look_1_1' } };
    const unnamed = { functionResponse: { name: 'look', response: { output: 'x' } } };
    for (const results of [
      [result, other],
      [unnamed, unnamed],
    ])
      expect(read('gemini', body(context('Monday', '/home/a'), results)).messages[2]?.parts).toHaveLength(2);
  });

  it('GW-65: Gemini: the model and the stream are in the path, fields in either spelling, results without ids by name', () => {
    const body = readBody(
      'gemini',
      JSON.stringify({
        contents: [
          { parts: [{ text: 'Go' }] },
          { role: 'model', parts: [{ function_call: { name: 'a', args: { x: 1 } } }, { functionCall: { name: 'b' } }] },
          {
            role: 'user',
            parts: [
              { functionResponse: { name: 'b', response: { error: 'no' } } },
              { function_response: { name: 'a', response: { x: 1 } } },
            ],
          },
        ],
        system_instruction: { parts: [{ text: 'S' }] },
        tools: [
          {
            function_declarations: [
              { name: 'a', parameters: { type: 'OBJECT', properties: { type: { type: 'STRING', nullable: true } } } },
            ],
          },
          { googleSearch: {} },
        ],
        generationConfig: { maxOutputTokens: 9, thinkingConfig: { thinkingLevel: 'HIGH' } },
        toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['a'] } },
      }),
      'models/gemini-3-pro:streamGenerateContent',
    );
    expect(body).toMatchObject({
      model: 'gemini-3-pro',
      stream: true,
      system: ['S'],
      tools: [{ name: 'a', inputSchema: { type: 'object', properties: { type: { type: ['string', 'null'] } } } }],
      providerTools: [{ googleSearch: {} }],
      thinking: 'high',
      maxTokens: 9,
      toolChoice: { name: 'a' },
    });
    const [, reply, results] = body?.messages ?? [];
    const ids = reply?.parts[0]?.blocks.map((block) => (block as { id: string }).id);
    expect(results?.parts).toMatchObject([
      { toolCallId: ids?.[1], isError: true, blocks: [{ text: 'no' }] },
      { toolCallId: ids?.[0], blocks: [{ text: '{"x":1}' }] },
    ]);
  });
});
