import type { RawEvent } from '@bough/core';
import { isPlainObject } from '@bough/core';
import { describe, expect, it } from 'vitest';
import { anthropic } from '../../../deployments/anthropic.ts';
import type { PreparedRequest } from '../../../protocol.ts';
import { input, item, rawOf } from '../testing.ts';
import { messagesOf } from '../wire.ts';
import { writeRepaired } from './body.ts';
import { prepare } from './index.ts';

const PROGRAM = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'code_execution', input: { code: 'tide()' } };
const RAN = { type: 'code_execution_tool_result', tool_use_id: 'srvtoolu_1', content: { stdout: 'six' } };
const call = (id: string) => ({
  type: 'tool_use',
  id,
  name: 'tide_at',
  input: {},
  caller: { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' },
});
const words = (text: string) => ({ type: 'text', text });

/** A stored reply of these blocks; its container is named where the provider names it. */
function reply(blocks: readonly object[], { stop = 'tool_use', container = 'container_1' } = {}) {
  const events = blocks.flatMap((block, index): RawEvent[] => [
    { data: JSON.stringify({ type: 'content_block_start', index, content_block: block }) },
    { data: `{"type":"content_block_stop","index":${index}}` },
  ]);
  const delta = { stop_reason: stop, ...(container !== '' && { container: { id: container, expires_at: 'later' } }) };
  return rawOf([...events, { data: JSON.stringify({ type: 'message_delta', delta }) }]);
}

const body = (request: PreparedRequest): Record<string, unknown> => {
  const parsed: unknown = JSON.parse(request.body);
  return isPlainObject(parsed) ? parsed : {};
};
const roles = (request: PreparedRequest) =>
  messagesOf(body(request)).map(({ role, blocks }) => `${role}: ${blocks.map(({ type }) => type).join(' ')}`);

const STEPS = [
  item.user('u1', 'When is high water?'),
  item.raw('a1', { answeredCalls: ['toolu_a'] }),
  item.result('t1', 'toolu_a', 'five'),
  item.raw('a2', { answeredCalls: ['toolu_b'] }),
  item.result('t2', 'toolu_b', 'six'),
];
const RAWS = { a1: reply([words('I run it.'), PROGRAM, call('toolu_a')]), a2: reply([call('toolu_b')]) };

describe('anthropic-messages: code that calls tools', () => {
  it('ANT-Q24: stays open over several exchanges, and the request names its container', () => {
    const request = prepare(input(STEPS, { raws: RAWS }));
    expect(roles(request)).toEqual([
      'user: text',
      'assistant: text server_tool_use tool_use',
      'user: tool_result',
      'assistant: tool_use',
      'user: tool_result',
    ]);
    expect(body(request)['container']).toBe('container_1');
    expect(request.violations).toEqual([]);
    expect(request.notes).toEqual([]);
    // A message with a program means nothing without the others: it is not put together from cached ones.
    expect(request.text).toBeNull();
  });

  it('ANT-Q24: the container is that of the newest reply, whether streamed or whole', () => {
    const whole = JSON.stringify({ id: 'm', content: [call('toolu_b')], container: { id: 'container_2' } });
    const raws = { ...RAWS, a2: rawOf([], { payload: { response: whole } }) };
    expect(body(prepare(input(STEPS, { raws })))['container']).toBe('container_2');
  });

  it('ANT-Q24: once its result has come, no container is named and the code stays in the history', () => {
    const items = [...STEPS, item.raw('a3'), item.user('u2', 'Thanks.')];
    const request = prepare(
      input(items, { raws: { ...RAWS, a3: reply([RAN, words('At six.')], { stop: 'end_turn' }) } }),
    );
    expect(roles(request).slice(1, 2)).toEqual(['assistant: text server_tool_use tool_use']);
    expect(body(request)['container']).toBeUndefined();
    expect(request.violations).toEqual([]);
    expect(request.body).toContain('"tool_id":"srvtoolu_1"');
  });

  it('ANT-Q25: code that will never go on is left out, and its calls no longer name it', () => {
    const request = prepare(input([...STEPS, item.user('u2', 'Never mind.')], { raws: RAWS }));
    expect(roles(request)).toEqual([
      'user: text',
      'assistant: text tool_use',
      'user: tool_result',
      'assistant: tool_use',
      'user: tool_result text',
    ]);
    expect(request.body).not.toContain('srvtoolu_1');
    expect(body(request)['container']).toBeUndefined();
    expect(request.violations).toEqual([]);
    expect(request.notes.map(({ nodeId, reason }) => `${nodeId} ${reason}`)).toEqual(['a1 repaired']);
  });

  it('ANT-Q25: a call is rendered under another name with its code than without it', () => {
    const keys = (request: PreparedRequest) => request.renderings.filter(({ nodeId }) => nodeId === 'a2');
    const [running] = keys(prepare(input(STEPS, { raws: RAWS })));
    const [left] = keys(prepare(input([...STEPS, item.user('u2', 'Never mind.')], { raws: RAWS })));
    expect(running?.bytes).toContain('caller');
    expect(left?.bytes).not.toContain('caller');
    expect(left?.key).not.toBe(running?.key);
  });
});

describe('anthropic-messages: betas', () => {
  const ADVICE = [
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'advisor', input: {} },
    { type: 'advisor_tool_result', tool_use_id: 'srvtoolu_1', content: { type: 'advisor_result', text: 'Wait.' } },
    words('I wait.'),
  ];
  const items = [item.user('u1', 'a'), item.raw('a1'), item.user('u2', 'b')];

  it('ANT-Q26: what a beta brought into the history brings its name into the header', () => {
    const request = prepare(input(items, { raws: { a1: reply(ADVICE, { stop: 'end_turn' }) } }));
    expect(request.headers['anthropic-beta']).toBe('advisor-tool-2026-03-01');
    expect(request.violations).toEqual([]);
  });

  it('ANT-Q26: names that the deployment sends stay in front, and nothing is named without need', () => {
    const deployment = { ...anthropic, headers: { ...anthropic.headers, 'Anthropic-Beta': 'context-1m-2025-08-07' } };
    const raws = { a1: reply(ADVICE, { stop: 'end_turn' }) };
    const { headers } = prepare(input(items, { raws, deployment }));
    expect(headers['anthropic-beta']).toBe('context-1m-2025-08-07,advisor-tool-2026-03-01');
    expect(headers['Anthropic-Beta']).toBeUndefined();
    expect(prepare(input(items, { raws: { a1: reply([words('x')]) } })).headers).not.toHaveProperty('anthropic-beta');
  });
});

describe('anthropic-messages: summaries of the provider', () => {
  const SUMMARY =
    '{"type":"compaction","content":"They spoke of tides.","encrypted_content":"ZQ==","signature":"c2ln"}';
  const parsed: unknown = JSON.parse(SUMMARY);
  const summary = reply([isPlainObject(parsed) ? parsed : {}], { stop: 'compaction', container: '' });
  const items = [
    item.user('u1', 'When is high water?'),
    item.reply('a1', [{ type: 'text', text: 'At six.' }]),
    item.raw('s1'),
    item.user('u2', 'And tomorrow?'),
  ];

  it('ANT-Q27: a signed one goes back first, byte for byte, in place of what came before it', () => {
    const request = prepare(input(items, { raws: { s1: summary } }));
    expect(request.body).toContain(`"messages":[{"role":"assistant","content":[${SUMMARY}]},{"role":"user"`);
    expect(request.body).not.toContain('At six.');
    expect(request.headers['anthropic-beta']).toBe('compact-2026-09-04');
    expect(request.violations).toEqual([]);
    expect(request.notes.map(({ nodeId, reason }) => `${nodeId} ${reason}`)).toEqual(['u1 repaired', 'a1 repaired']);
  });

  it('ANT-Q27: of several, only the newest is sent', () => {
    const again = [...items, item.raw('s2'), item.user('u3', 'And then?')];
    const request = prepare(input(again, { raws: { s1: summary, s2: summary } }));
    expect(roles(request)).toEqual(['assistant: compaction', 'user: text']);
    expect(request.violations).toEqual([]);
  });

  it('ANT-Q27: one that failed goes back, an empty one does not', () => {
    const summarised = (content: string | null) =>
      prepare(
        input([item.user('u1', 'a'), item.raw('a1'), item.user('u2', 'b')], {
          raws: { a1: reply([{ type: 'compaction', content }, words('x')], { stop: 'end_turn' }) },
        }),
      );
    expect(roles(summarised(null))[1]).toBe('assistant: compaction text');
    expect(roles(summarised(''))[1]).toBe('assistant: text');
    expect(summarised('').violations).toEqual([]);
  });
});

describe('anthropic-messages: repaired bodies', () => {
  it('ANT-Q28: every key of a message is written again, known or not', () => {
    const messages = [
      { role: 'system', output_config: { effort: 'high' } },
      { role: 'user', content: 'Hello.' },
      { role: 'system', clear_at: 'next_user_message', content: [{ type: 'text', text: 'Hurry.' }], mood: 1 },
    ];
    expect(JSON.parse(writeRepaired({ max_tokens: 1, messages }))).toEqual({ max_tokens: 1, messages });
  });
});

describe('anthropic-messages: files for a new container', () => {
  const code = { providerTools: [{ tool: 'code_execution' as const }] };
  const BASH = { type: 'server_tool_use', id: 'srvtoolu_9', name: 'bash_code_execution', input: { command: 'ls' } };
  const LISTED = { type: 'bash_code_execution_tool_result', tool_use_id: 'srvtoolu_9', content: {} };
  const first = [item.user('u1', 'One?'), item.raw('a1'), item.user('u2', 'Two?')];
  const raws = { a1: reply([BASH, LISTED, words('One.')], { stop: 'end_turn' }) };
  const stored = new Map<string, string>();
  const renderingOf = (id: string, key: string) => stored.get(`${id} ${key}`);
  const made = (...given: Parameters<typeof input>) => prepare({ ...input(...given), renderingOf });
  const keep = ({ renderings, withReply }: PreparedRequest, replyId: string): void => {
    for (const { nodeId, key, bytes } of renderings) stored.set(`${nodeId} ${key}`, bytes);
    if (withReply !== undefined) stored.set(`${replyId} ${withReply.key}`, withReply.bytes);
  };

  it('PT-161: come with the newest message, and stay in the message that brought them', () => {
    const gone = { raws, ...code, mayUseContainers: false, containerFiles: ['file_1'] };
    const request = made(first, gone);
    expect(roles(request)).toEqual([
      'user: text',
      'assistant: server_tool_use bash_code_execution_tool_result text',
      'user: text container_upload',
    ]);
    expect(request.headers['anthropic-beta']).toContain('files-api-2025-04-14');
    expect(request.violations).toEqual([]);
    keep(request, 'a2');
    const more = { raws: { ...raws, a2: reply([words('Two.')], { stop: 'end_turn', container: '' }) }, ...code };
    const later = made([...first, item.raw('a2'), item.user('u3', 'Three?')], more);
    expect(roles(later).slice(2)).toEqual(['user: text container_upload', 'assistant: text', 'user: text']);
    expect(later.body.slice(later.body.indexOf('"messages"'))).toContain(
      request.body.slice(request.body.indexOf('"messages"'), -2),
    );
  });

  it('PT-162: a reply that was made before they came is sent behind an unchanged message', () => {
    const older = { raws: { ...raws, b2: reply([words('Two.')], { stop: 'end_turn', container: '' }) }, ...code };
    const request = made([...first, item.raw('b2'), item.user('b3', 'Three?')], older);
    expect(roles(request).slice(2)).toEqual(['user: text', 'assistant: text', 'user: text container_upload']);
  });

  it('PT-163: where no code may run, none is named', () => {
    expect(made(first, { raws }).body).not.toContain('container_upload');
  });
});
