import type { ProtocolId } from '@bough/core';
import { callId, projectId } from '@bough/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBody } from '../dialects/index.ts';
import { leftOut } from './left-out.ts';
import { toolNames, withSentNames } from './names.ts';
import { findRoute } from './rules.ts';
import { createTokens, isToken } from './token.ts';

describe('rules', () => {
  const to = { provider: 'p', model: 'm' };
  const first = (pattern: string, model: string): boolean =>
    findRoute([{ from: 'a', model: pattern, to }], 'a', model) !== null;

  it('GW-81: the first rule of the provider whose pattern fits the model decides', () => {
    const rules = [
      { from: 'b', model: '*', to: { provider: 'x', model: '0' } },
      { from: 'a', model: 'claude-*-4*', to: { provider: 'x', model: '1' } },
      { from: 'a', model: '*', to: { provider: 'x', model: '2' } },
    ];
    expect(findRoute(rules, 'a', 'claude-opus-4-6')?.to.model).toBe('1');
    expect(findRoute(rules, 'a', 'gpt')?.to.model).toBe('2');
    expect(findRoute(rules, 'c', 'gpt')).toBeNull();
  });

  it('GW-81: a star stands for any characters, everything else for itself', () => {
    expect([first('a.c', 'abc'), first('a*a', 'a'), first('a*', 'a'), first('*b*', 'abc')]).toEqual([
      false,
      false,
      true,
      true,
    ]);
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[ab.]{0,2}$/), { minLength: 1, maxLength: 4 }),
        fc.stringMatching(/^[ab.]{0,8}$/),
        (pieces, model) => {
          const expression = new RegExp(`^${pieces.map((piece) => piece.replaceAll('.', '[.]')).join('.*')}$`);
          expect(first(pieces.join('*'), model)).toBe(expression.test(model));
        },
      ),
    );
  });
});

describe('tokens', () => {
  const named = { project: projectId('gateway-1'), call: callId('c-1') };
  const tokens = createTokens('secret');

  it('GW-82: a token names its reply, is base64, and only its maker can make it', () => {
    const token = tokens.write(named);
    expect(tokens.read(token)).toEqual(named);
    expect(Buffer.from(token, 'base64').toString('base64')).toBe(token);
    expect(isToken(token)).toBe(true);
    expect(createTokens('another').read(token)).toBeNull();
    const bytes = Buffer.from(token, 'base64');
    for (const at of bytes.keys()) {
      const forged = Buffer.from(bytes);
      forged[at] = (forged[at] ?? 0) ^ 1;
      expect(tokens.read(forged.toString('base64'))).toBeNull();
    }
  });

  it('GW-82: anything else is no token', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect([tokens.read(text), tokens.read(`Ym91Z2gx${text}`)]).toEqual([null, null]);
      }),
    );
  });
});

describe('what is left out', () => {
  it.each<[ProtocolId, string, object, readonly string[]]>([
    [
      'anthropic-messages',
      'messages',
      { temperature: 0.2, stop_sequences: ['x'], top_p: 1, output_config: { format: { type: 'json_schema' } } },
      ['temperature', 'stop_sequences', 'output_config.format'],
    ],
    ['anthropic-messages', 'messages', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, ['tools']],
    [
      'openai-responses',
      'input',
      { parallel_tool_calls: false, text: { format: { type: 'json_schema', schema: {} } }, temperature: null },
      ['text.format.type', 'parallel_tool_calls'],
    ],
    ['openai-responses', 'input', { parallel_tool_calls: true, text: { format: { type: 'text' } } }, []],
    [
      'openai-chat',
      'messages',
      { stop: 'x', n: 1, seed: 7, response_format: { type: 'text' }, logit_bias: {} },
      ['stop', 'seed'],
    ],
    ['gemini', 'contents', { model: 'm', generationConfig: { temperature: 1, topK: 64 } }, ['generationConfig.topK']],
  ])('GW-303: of a request of %s with %s: %j', (protocol, list, settings, expected) => {
    const body = readBody(
      protocol,
      JSON.stringify({ model: 'm', [list]: [{ role: 'user', content: 'x' }], ...settings }),
    );
    if (body === null) throw new Error('not understood');
    expect(leftOut(body)).toEqual(expected);
  });
});

describe('names of tools', () => {
  it('GW-83: every provider takes them, no two are alike, and a call comes back under the name that the client knows', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ minLength: 1, maxLength: 90 }), { minLength: 1, maxLength: 5 }),
        (names) => {
          const tools = names.map((name) => ({ name, input_schema: { type: 'object' } }));
          const content = names.map((name, at) => ({ type: 'tool_use', id: `t${at}`, name, input: {} }));
          const text = JSON.stringify({ model: 'm', tools, messages: [{ role: 'assistant', content }] });
          const body = readBody('anthropic-messages', text);
          if (body === null) throw new Error('not understood');
          const known = toolNames(body);
          const sent = known.definitions.map(({ name }) => name);
          expect(new Set(sent).size).toBe(names.length);
          for (const name of sent) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
          expect(sent.map((name) => known.toolOf(name).name)).toEqual(names);
          const [message] = withSentNames(body, known).messages;
          expect(message?.parts[0]?.blocks.map((block) => (block as { name: string }).name)).toEqual(sent);
        },
      ),
    );
  });
});
