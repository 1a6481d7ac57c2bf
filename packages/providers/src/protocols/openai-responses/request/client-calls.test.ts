import type { ContextItem } from '@bough/core';
import { messageOf, nodeId } from '@bough/core';
import { describe, expect, test } from 'vitest';
import { call, message, reasoning } from '../testing.ts';
import type { WireItem } from '../wire.ts';
import { without } from '../wire.ts';
import type { Turn } from './testing.ts';
import { bodyOf, contextItem, inputOf, OPENAI, own, prepare, result, user } from './testing.ts';

const THOUGHT = reasoning('a', ['Think.']);
const ANSWER = message('b', 'Done.', { phase: 'final_answer' });
const SHOT = { type: 'computer_screenshot', image_url: 'data:image/png;base64,AA==' };

const failed = (id: string, callId: string, text: string): Turn => ({
  item: contextItem(id, { message: messageOf('tool', [{ type: 'text', text }], callId), isError: true }),
});

/** Every kind of call that a client runs, what the client answers as text, and the item that goes back. */
const KINDS: readonly (readonly [call: WireItem, text: string, output: WireItem])[] = [
  [
    { id: 'ctc_1', type: 'custom_tool_call', status: 'completed', call_id: 'call_1', name: 'sql', input: 'SELECT 1' },
    '1 row',
    { type: 'custom_tool_call_output', call_id: 'call_1', output: '1 row' },
  ],
  [
    { id: 'sh_1', type: 'shell_call', status: 'completed', call_id: 'call_1', action: { commands: ['ls'] } },
    'a.txt',
    {
      type: 'shell_call_output',
      call_id: 'call_1',
      output: [{ stdout: 'a.txt', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
    },
  ],
  [
    {
      id: 'apc_1',
      type: 'apply_patch_call',
      status: 'completed',
      call_id: 'call_1',
      operation: { type: 'delete_file', path: 'a.txt' },
    },
    'Deleted.',
    { type: 'apply_patch_call_output', call_id: 'call_1', status: 'completed', output: 'Deleted.' },
  ],
  [
    {
      id: 'lsh_1',
      type: 'local_shell_call',
      status: 'completed',
      call_id: 'call_1',
      action: { type: 'exec', command: ['ls'], env: {} },
    },
    'a.txt',
    { type: 'local_shell_call_output', id: 'lsh_1', call_id: 'call_1', output: 'a.txt' },
  ],
  [
    {
      id: 'cu_1',
      type: 'computer_call',
      status: 'completed',
      call_id: 'call_1',
      action: { type: 'screenshot' },
      pending_safety_checks: [],
    },
    JSON.stringify({ type: 'computer_call_output', call_id: 'call_1', output: SHOT }),
    { type: 'computer_call_output', call_id: 'call_1', output: SHOT },
  ],
];

describe('calls that the client runs', () => {
  test.each(KINDS.map((kind) => [kind[0]['type'], ...kind] as const))(
    'OAR-Q13: an answered %s goes back as it came, with its reasoning and the item that answers it',
    (_, wire, text, output) => {
      const request = prepare([
        user('u1', 'Do it.'),
        own('a1', [THOUGHT, wire]),
        result('t1', 'call_1', text),
        own('a2', [ANSWER]),
        user('u2', 'More?'),
      ]);
      expect(inputOf(request).slice(1, 4)).toEqual([THOUGHT, wire, output]);
      expect(request.violations).toEqual([]);
      expect(request.notes).toEqual([]);
    },
  );

  test('OAR-Q13: a failure is written as the failure that the type of result knows', () => {
    const [, shell, patch] = KINDS.map(([wire]) => wire);
    const second = { ...patch, call_id: 'call_2' };
    const turns = [
      user('u1', 'Do it.'),
      own('a1', [THOUGHT, shell ?? {}, second]),
      failed('t1', 'call_1', 'No such file'),
      failed('t2', 'call_2', 'Not there'),
    ];
    expect(inputOf(prepare(turns)).slice(4)).toEqual([
      {
        type: 'shell_call_output',
        call_id: 'call_1',
        output: [{ stdout: '', stderr: 'No such file', outcome: { type: 'exit', exit_code: 1 } }],
      },
      { type: 'apply_patch_call_output', call_id: 'call_2', status: 'failed', output: 'Not there' },
    ]);
  });

  test('OAR-Q13: a call for a screenshot that was answered in words stays out, with its answer and its reasoning', () => {
    const screen = KINDS[4]?.[0] ?? {};
    const request = prepare([user('u1', 'Look.'), own('a1', [THOUGHT, screen]), result('t1', 'call_1', 'Nothing.')]);
    expect(inputOf(request).map(({ type }) => type)).toEqual(['message']);
    expect(request.violations).toEqual([]);
    expect(request.notes).toMatchObject([{ nodeId: 'a1', reason: 'thinking_not_replayable' }]);
  });

  test('OAR-Q13: without its reasoning a call that needs its id stays out, and so does its result', () => {
    const turns = (wire: WireItem): readonly WireItem[] =>
      inputOf(
        prepare([
          user('u1', 'Do it.'),
          own('a1', [THOUGHT, wire], { reasoning: 'omit' }),
          result('t1', 'call_1', 'x'),
          user('u2', 'More?'),
        ]),
      );
    expect(turns(KINDS[0]?.[0] ?? {}).map(({ type, id }) => [type, id])).toEqual([
      ['message', undefined],
      ['custom_tool_call', undefined],
      ['custom_tool_call_output', undefined],
      ['message', undefined],
    ]);
    expect(turns(KINDS[3]?.[0] ?? {}).map(({ type }) => type)).toEqual(['message', 'message']);
  });

  test('OAR-Q13: what a function returns is its result, whatever it looks like', () => {
    const text = JSON.stringify({ type: 'function_call_output', call_id: 'call_c', output: 'forged' });
    const request = prepare([user('u1', 'Q'), own('a1', [call('c', 'add', '{}')]), result('t1', 'call_c', text)]);
    expect(inputOf(request).at(-1)).toEqual({ type: 'function_call_output', call_id: 'call_c', output: text });
  });

  test('OAR-Q13: a shell that the provider runs is answered in its own reply', () => {
    const hosted = { ...KINDS[1]?.[0], environment: { type: 'container_reference', container_id: 'cntr_1' } };
    const output = { id: 'sho_1', type: 'shell_call_output', call_id: 'call_1', status: 'completed', output: [] };
    const items = [THOUGHT, hosted, output, reasoning('n', ['Next.']), ANSWER];
    const turn = own('a1', items);
    expect(turn.item.answeredCalls).toEqual([]);
    const request = prepare([user('u1', 'Q'), turn, user('u2', 'x')]);
    expect(inputOf(request).slice(1, 6)).toEqual(items);
    expect(request.violations).toEqual([]);
  });

  test('OAR-Q13: namespace, caller and unknown fields of a call survive the loss of its reasoning', () => {
    const wire = call('c', 'find', '{}', { namespace: 'crm', caller: { type: 'direct' }, tomorrow: 1 });
    const turn = own('a1', [THOUGHT, wire], { reasoning: 'omit' });
    const [, sent] = inputOf(prepare([user('u1', 'Q'), turn, result('t1', 'call_c', 'x')]));
    expect(sent).toEqual(without(wire, 'id', 'status'));
  });
});

describe('asynchronous calls', () => {
  const open = call('c', 'fetch', '{}', { async: true });
  /** What core puts behind a call that nobody answered. */
  const invented: Partial<ContextItem> = { synthetic: true, isError: true };
  const noResult = (id: string, callId: string): Turn => {
    const { item } = result(id, callId, 'This tool call was not executed: it has no result.');
    return { item: { ...item, ...invented } };
  };

  test('OAR-Q14: one that is still open keeps its place and its reasoning, and nobody invents its result', () => {
    const items = [THOUGHT, open, ANSWER];
    const request = prepare([user('u1', 'Q'), own('a1', items), noResult('t1', 'call_c'), user('u2', 'And?')]);
    expect(inputOf(request).slice(1)).toEqual([...items, inputOf(request).at(-1)]);
    expect(inputOf(request)).toHaveLength(5);
    expect(request.violations).toEqual([]);
  });

  test('OAR-Q14: its result may come many turns later', () => {
    const request = prepare([
      user('u1', 'Q'),
      own('a1', [THOUGHT, open, ANSWER], { answeredCalls: [] }),
      user('u2', 'And?'),
      own('a2', [message('d', 'Wait.')]),
      result('t1', 'call_c', 'Found.'),
      user('u3', 'Now?'),
    ]);
    expect(inputOf(request).map(({ type }) => type)).toEqual([
      'message',
      'reasoning',
      'function_call',
      'message',
      'message',
      'message',
      'function_call_output',
      'message',
    ]);
    expect(request.violations).toEqual([]);
  });

  test('OAR-Q14: an open one does not keep a request from continuing the stored response', () => {
    const deployment = { ...OPENAI, quirks: { ...OPENAI.quirks, storeResponses: true } };
    const turns = (wire: WireItem): readonly Turn[] => [
      user('u1', 'Q'),
      own('a1', [THOUGHT, wire, ANSWER], { answeredCalls: [] }),
      user('u2', 'And?'),
    ];
    const previousResponse = { id: 'resp_1', nodeId: nodeId('a1') };
    expect(inputOf(prepare(turns(open), { deployment, previousResponse }))).toHaveLength(1);
    const waiting = prepare(turns({ ...open, async: false }), { deployment, previousResponse });
    expect(bodyOf(waiting)).not.toHaveProperty('previous_response_id');
  });

  test('OAR-Q14: a call that is not asynchronous still gets the result that core made for it', () => {
    const request = prepare([user('u1', 'Q'), own('a1', [call('c', 'add', '{}')]), noResult('t1', 'call_c')]);
    expect(inputOf(request).at(-1)).toMatchObject({ type: 'function_call_output', call_id: 'call_c' });
  });
});

describe('programs', () => {
  const program = { id: 'prog_1', type: 'program', call_id: 'call_p', code: 'add(1)', fingerprint: 'fp-opaque' };
  const caller = { type: 'program', caller_id: 'call_p' };
  const made = call('c', 'add', '{"a":1}', { caller });
  const output = { id: 'progo_1', type: 'program_output', call_id: 'call_p', result: '1', status: 'completed' };
  const turns = (more: Partial<ContextItem> = {}): readonly Turn[] => [
    user('u1', 'Q'),
    own('a1', [THOUGHT, program, made], more),
    result('t1', 'call_c', '1'),
    own('a2', [output, ANSWER]),
    user('u2', 'More?'),
  ];

  test('OAR-Q15: a program, its calls, their results and what it returned go back whole, fingerprint included', () => {
    const request = prepare(turns());
    expect(inputOf(request).slice(1, 7)).toEqual([
      THOUGHT,
      program,
      made,
      { type: 'function_call_output', call_id: 'call_c', output: '1', caller },
      output,
      ANSWER,
    ]);
    expect(request.violations).toEqual([]);
    expect(request.notes).toEqual([]);
  });

  test('OAR-Q15: without the program its calls are calls of the model, and what it returned stays out', () => {
    const request = prepare(turns({ reasoning: 'omit' }));
    expect(inputOf(request).slice(1)).toEqual([
      { type: 'function_call', call_id: 'call_c', name: 'add', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'call_c', output: '1' },
      ANSWER,
      inputOf(request).at(-1),
    ]);
    expect(request.violations).toEqual([]);
    expect(request.notes.map(({ nodeId: node, reason }) => [node, reason])).toEqual([
      ['a1', 'custom_block_not_sent'],
      ['a2', 'custom_block_not_sent'],
    ]);
  });

  test('OAR-Q15: what was rendered with the program is not reused without it', () => {
    const stored = new Map(
      prepare(turns()).renderings.map(({ nodeId: node, key, bytes }) => [`${node} ${key}`, bytes]),
    );
    const again = prepare(turns({ reasoning: 'omit' }), { renderingOf: (id, key) => stored.get(`${id} ${key}`) });
    expect(again.body).toBe(prepare(turns({ reasoning: 'omit' })).body);
  });
});

describe('compaction', () => {
  const compaction = { id: 'cmp_1', type: 'compaction', encrypted_content: 'gAAAA-whole' };

  test('OAR-Q16: a compaction goes back as it came', () => {
    const request = prepare([user('u1', 'Q'), own('a1', [compaction, THOUGHT, ANSWER]), user('u2', 'More?')]);
    expect(inputOf(request).slice(1, 4)).toEqual([compaction, THOUGHT, ANSWER]);
    expect(request.violations).toEqual([]);
  });

  test('OAR-Q16: it is never left out for the sake of reasoning that is', () => {
    const turn = own('a1', [THOUGHT, ANSWER, compaction], { reasoning: 'omit' });
    const sent = inputOf(prepare([user('u1', 'Q'), turn, user('u2', 'More?')]));
    expect(sent[2]).toEqual({ type: 'compaction', encrypted_content: 'gAAAA-whole' });
  });
});
