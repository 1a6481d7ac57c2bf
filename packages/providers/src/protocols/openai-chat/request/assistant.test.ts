import { describe, expect, it } from 'vitest';
import { deepseek } from '../../../deployments/deepseek.ts';
import { mistral } from '../../../deployments/mistral.ts';
import { moonshot } from '../../../deployments/moonshot.ts';
import { openai } from '../../../deployments/openai.ts';
import { openrouter } from '../../../deployments/openrouter.ts';
import type { RenderInput } from '../../../protocol.ts';
import { openaiChat } from '../index.ts';
import type { Json } from '../response/json.ts';
import {
  ANSWER,
  ARGUMENTS,
  CALL,
  callDelta,
  FOREIGN_CALL,
  FOREIGN_RESULT,
  inputOf,
  issuerOf,
  loop,
  messagesOf,
  rawOf,
  serverWith,
  streamOf,
  told,
  TOOL,
  tool,
  user,
  verbatim,
} from '../testing.ts';

describe('replies from raw', () => {
  it('OAC-11: go back with their reasoning and the exact arguments', () => {
    const request = openaiChat.prepare(loop(deepseek));
    expect(messagesOf(request)).toEqual([
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'Look it up.',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: ARGUMENTS } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'Rain.' },
      { role: 'assistant', content: 'Rain.', reasoning_content: 'Easy.' },
      { role: 'user', content: 'And now?' },
    ]);
    expect(request.notes).toEqual([]);
  });

  it('OAC-11: reasoning details go back merged, in order, nulls and all, and only from a whole stream', () => {
    const stream = streamOf([
      { reasoning: 'a', reasoning_details: [{ type: 'reasoning.text', text: 'a', format: null, index: 0 }] },
      { reasoning: 'b', reasoning_details: [{ type: 'reasoning.text', text: 'b', format: null, index: 0 }] },
      { reasoning_details: [{ type: 'reasoning.text', signature: 'sig', format: null, index: 0 }] },
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'xx', id: null, index: 1 }] },
      { content: 'Yes.' },
    ]);
    const input = (complete: boolean): RenderInput =>
      inputOf(openrouter, [user('u', 'Hi'), verbatim('a', stream), user('v', 'And?')], {
        a: rawOf(stream, issuerOf(openrouter), complete),
      });
    expect(messagesOf(openaiChat.prepare(input(true)))[1]).toEqual({
      role: 'assistant',
      content: 'Yes.',
      reasoning_details: [
        { type: 'reasoning.text', text: 'ab', format: null, index: 0, signature: 'sig' },
        { type: 'reasoning.encrypted', data: 'xx', id: null, index: 1 },
      ],
    });
    const broken = openaiChat.prepare(input(false));
    expect(messagesOf(broken)[1]).toEqual({ role: 'assistant', content: 'Yes.' });
    expect(broken.notes).toMatchObject([{ nodeId: 'a', reason: 'thinking_not_replayable' }]);
  });

  it('OAC-11: Mistral gets one thinking part and its text; two thoughts stay out', () => {
    const part = (text: string) => ({ content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] });
    const one = streamOf([part('Hm '), part('hm.'), { content: 'Yes.' }]);
    const two = streamOf([part('Hm.'), { content: 'Yes' }, part('No?'), { content: '.' }]);
    const sent = (stream: readonly string[]): Json | undefined =>
      messagesOf(
        openaiChat.prepare(
          inputOf(mistral, [user('u', 'Hi'), verbatim('a', stream), user('v', 'And?')], {
            a: rawOf(stream, issuerOf(mistral)),
          }),
        ),
      )[1];
    expect(sent(one)).toEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'Hm hm.' }] },
        { type: 'text', text: 'Yes.' },
      ],
    });
    expect(sent(two)).toEqual({ role: 'assistant', content: 'Yes.' });
  });

  it('OAC-11: think tags go back to a server that wants them, and are cut out for any other', () => {
    const stream = streamOf([{ content: '<think>Hm.</think>\n\nYes.' }]);
    const sent = (reasoning: 'think_tags' | 'reasoning_content' | 'none') => {
      const server = serverWith({ reasoning });
      const raws = { a: rawOf(stream, issuerOf(server)) };
      return messagesOf(
        openaiChat.prepare(inputOf(server, [user('u', 'Hi'), verbatim('a', stream), user('v', '?')], raws)),
      )[1];
    };
    expect(sent('think_tags')).toEqual({ role: 'assistant', content: '<think>Hm.</think>\n\nYes.' });
    expect(sent('reasoning_content')).toEqual({ role: 'assistant', content: '\n\nYes.' });
    expect(sent('none')).toEqual({ role: 'assistant', content: '\n\nYes.' });
  });

  it('OAC-11: Google’s signature goes back on its call, to its issuer only', () => {
    const call = {
      index: 0,
      id: 'a',
      function: { name: 'weather', arguments: '{}' },
      extra_content: { google: { thought_signature: 's' } },
    };
    const stream = streamOf([{ tool_calls: [call] }], 'tool_calls');
    const sent = (callSignatures: 'demanded' | 'none') => {
      const server = serverWith({ callSignatures });
      const items = [user('u', 'Hi'), verbatim('a', stream), tool('t', 'a', 'Sun.')];
      return messagesOf(openaiChat.prepare(inputOf(server, items, { a: rawOf(stream, issuerOf(server)) })))[1];
    };
    expect(sent('demanded')).toMatchObject({ tool_calls: [{ extra_content: call.extra_content }] });
    expect(JSON.stringify(sent('none'))).not.toContain('extra_content');
  });

  it('OAC-12: another issuer’s reasoning stays out and its ids are made to fit', () => {
    const elsewhere = rawOf(CALL, { ...issuerOf(mistral), deployment: 'mistral@10.0.0.1/v1' });
    const request = openaiChat.prepare(
      inputOf(mistral, [user('u', 'Hi'), verbatim('a', CALL), tool('t', 'call_1', 'Rain.')], { a: elsewhere }),
    );
    const [, reply, result] = messagesOf(request);
    expect(reply).toEqual({
      role: 'assistant',
      content: '',
      tool_calls: [
        {
          id: expect.stringMatching(/^[A-Za-z0-9]{9}$/),
          type: 'function',
          function: { name: 'weather', arguments: ARGUMENTS },
        },
      ],
    });
    expect(result?.['tool_call_id']).toBe(Object(reply).tool_calls[0].id);
    expect(request.notes).toMatchObject([
      { nodeId: 'a', reason: 'foreign_issuer' },
      { nodeId: 'a', reason: 'tool_id_rewritten' },
    ]);
    // Built correctly in the first place, not repaired afterwards.
    expect(request.violations).toEqual([]);
  });

  it('OAC-12: reasoning that assembly wants out stays out', () => {
    const items = [user('u', 'Hi'), verbatim('b', ANSWER, { reasoning: 'omit' }), user('v', '?')];
    const request = openaiChat.prepare(inputOf(deepseek, items, { b: rawOf(ANSWER, issuerOf(deepseek)) }));
    expect(messagesOf(request)[1]).toEqual({ role: 'assistant', content: 'Rain.' });
    expect(request.notes).toEqual([]);
  });

  it('OAC-15: of a reply that broke off, only answered whole calls and text go back', () => {
    const stream = [...CALL.slice(0, -2), ...streamOf([callDelta(1, 'call_2', 'weather', '{"ci')]).slice(0, 1)];
    const items = [
      user('u', 'Hi'),
      verbatim('a', CALL, { partial: true, answeredCalls: ['call_1', 'call_2'] }),
      tool('t', 'call_1', 'Rain.'),
    ];
    const [, reply] = messagesOf(
      openaiChat.prepare(inputOf(deepseek, items, { a: rawOf(stream, issuerOf(deepseek), false) }, { tools: [TOOL] })),
    );
    expect(reply).toMatchObject({ reasoning_content: 'Look it up.', tool_calls: [{ id: 'call_1' }] });
    expect(Object(reply).tool_calls).toHaveLength(1);
  });

  it('OAC-15: a reply with nothing to send is left out and reported', () => {
    const stream = streamOf([{ reasoning_content: 'Hm' }], 'length');
    const request = openaiChat.prepare(
      inputOf(deepseek, [user('u', 'Hi'), verbatim('a', stream), user('v', '?')], {
        a: rawOf(stream, issuerOf(deepseek)),
      }),
    );
    expect(messagesOf(request).map(({ role }) => role)).toEqual(['user', 'user']);
    expect(request.notes).toMatchObject([{ nodeId: 'a', reason: 'repaired' }]);
  });

  it('OAC-15: a lost raw falls back to text and calls, and says so', () => {
    const request = openaiChat.prepare({ ...loop(deepseek), rawOf: () => undefined });
    expect(messagesOf(request)[1]).toEqual({
      role: 'assistant',
      content: null,
      reasoning_content: ' ',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Köln"}' } }],
    });
    expect(request.notes.map(({ nodeId, reason }) => [nodeId, reason])).toEqual([
      ['a', 'raw_missing'],
      ['a', 'thinking_not_replayable'],
      ['b', 'raw_missing'],
      ['b', 'thinking_not_replayable'],
    ]);
  });

  it('OAC-15: a reply that came over another protocol goes as text and calls', () => {
    const items = [user('u', 'Hi'), verbatim('b', ANSWER), user('v', '?')];
    const raw = { ...rawOf([], issuerOf(openai)), api: 'gemini' } as const;
    const request = openaiChat.prepare(inputOf(openai, items, { b: raw }));
    expect(messagesOf(request)[1]).toEqual({ role: 'assistant', content: 'Rain.' });
    expect(request.notes).toMatchObject([{ nodeId: 'b', reason: 'foreign_issuer' }]);
  });

  it('OAC-7: a refusal goes back as what was said, other blocks are reported as not sent', () => {
    const stream = streamOf([{ content: 'Hm.' }, { refusal: 'No.' }, { hologram: { x: 1 } }]);
    const request = openaiChat.prepare(
      inputOf(openai, [user('u', 'Hi'), verbatim('a', stream), user('v', '?')], { a: rawOf(stream, issuerOf(openai)) }),
    );
    expect(messagesOf(request)[1]).toEqual({ role: 'assistant', content: 'Hm.\n\nNo.' });
    expect(request.notes).toMatchObject([
      { reason: 'custom_block_not_sent', detail: expect.stringContaining('hologram') },
    ]);
  });
});

describe('reasoning that is demanded and unknown', () => {
  const turn = [
    user('u', 'Hi'),
    FOREIGN_CALL,
    FOREIGN_RESULT,
    told('g', [{ type: 'text', text: 'Sun.' }]),
    user('v', '?'),
  ];

  it('OAC-13: DeepSeek gets a blank on every message, only while it thinks and tools are offered', () => {
    const fields = (more: Partial<RenderInput>) =>
      messagesOf(openaiChat.prepare(inputOf(deepseek, turn, {}, { tools: [TOOL], ...more })))
        .filter(({ role }) => role === 'assistant')
        .map((message) => message['reasoning_content']);
    expect(fields({})).toEqual([' ', ' ']);
    expect(fields({ thinking: 'off' })).toEqual([undefined, undefined]);
    expect(fields({ tools: [] })).toEqual([undefined, undefined]);
  });

  it('OAC-13: Kimi gets an empty one: K2.5 on tool calls, K2.6 on every message', () => {
    const fields = (model: string) =>
      messagesOf(openaiChat.prepare(inputOf(moonshot, turn, {}, { tools: [TOOL], model: moonshot.modelInfo(model) })))
        .filter(({ role }) => role === 'assistant')
        .map((message) => message['reasoning_content']);
    expect(fields('kimi-k2.5')).toEqual(['', undefined]);
    expect(fields('kimi-k2.6')).toEqual(['', '']);
  });

  it('OAC-13: where no blank is taken, the calls are told with their results', () => {
    const request = openaiChat.prepare(
      inputOf(openrouter, turn, {}, { tools: [TOOL], model: openrouter.modelInfo('google/gemini-3.5-flash') }),
    );
    expect(messagesOf(request)).toEqual([
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: 'Let me see.\n\n[Used the tool "weather" with {"city":"Bonn"}. It answered: Sun.]',
      },
      { role: 'assistant', content: 'Sun.' },
      { role: 'user', content: '?' },
    ]);
    expect(request.violations).toEqual([]);
    expect(request.notes).toMatchObject([{ reason: 'repaired' }]);
  });

  it('OAC-13: an empty reasoning of the server’s own is replaced by the blank that it takes', () => {
    const stream = streamOf([{ reasoning_content: '' }, { content: 'Yes.' }]);
    const request = openaiChat.prepare(
      inputOf(
        deepseek,
        [user('u', 'Hi'), verbatim('a', stream), user('v', '?')],
        { a: rawOf(stream, issuerOf(deepseek)) },
        { tools: [TOOL] },
      ),
    );
    expect(messagesOf(request)[1]).toEqual({ role: 'assistant', content: 'Yes.', reasoning_content: ' ' });
  });
});

describe('canonical messages', () => {
  it('OAC-14: ids that do not fit are rewritten, the same on call and result, every time', () => {
    const ids = (deployment: typeof mistral) => {
      const request = openaiChat.prepare(
        inputOf(deployment, [user('u', 'Hi'), FOREIGN_CALL, FOREIGN_RESULT], {}, { tools: [TOOL] }),
      );
      const [, reply, result] = messagesOf(request);
      expect(result?.['tool_call_id']).toBe(Object(reply).tool_calls[0].id);
      expect(request.violations).toEqual([]);
      return result?.['tool_call_id'];
    };
    expect(ids(mistral)).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(ids(mistral)).toBe(ids(mistral));
    expect(ids(openai)).toMatch(/^call_[0-9a-f]{24}$/);
  });

  it('OAC-14: calls without a result are not sent, and results without a call are reported', () => {
    const items = [user('u', 'Hi'), { ...FOREIGN_CALL, answeredCalls: [] }, FOREIGN_RESULT, user('v', '?')];
    const request = openaiChat.prepare(inputOf(openai, items));
    expect(messagesOf(request).map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(request.notes).toMatchObject([{ nodeId: 'r', reason: 'repaired' }]);
  });

  it('OAC-10: messages that were joined stay paragraphs', () => {
    const [first] = user('u', 'One.').nodeIds;
    const [second] = user('v', 'Two.').nodeIds;
    const joined = {
      ...user('u', 'One.'),
      nodeIds: [first, second] as const,
      message: {
        role: 'user',
        content: [
          { type: 'text', text: 'One.' },
          { type: 'text', text: 'Two.' },
        ],
      } as const,
    };
    expect(messagesOf(openaiChat.prepare(inputOf(openai, [joined])))).toEqual([
      { role: 'user', content: 'One.\n\nTwo.' },
    ]);
  });
});
