import { describe, expect, it } from 'vitest';
import { deepseek } from '../../../deployments/deepseek.ts';
import { mistral } from '../../../deployments/mistral.ts';
import { moonshot } from '../../../deployments/moonshot.ts';
import { openai } from '../../../deployments/openai.ts';
import type { RenderInput } from '../../../protocol.ts';
import { openaiChat } from '../index.ts';
import {
  bodyOf,
  FOREIGN_CALL,
  FOREIGN_RESULT,
  inputOf,
  loop,
  messagesOf,
  serverWith,
  told,
  TOOL,
  user,
} from '../testing.ts';

describe('the body', () => {
  it('OAC-10: what may change from request to request stands behind the messages', () => {
    const { body } = openaiChat.prepare(loop(deepseek, { systemPrompt: 'Be brief.' }));
    expect(Object.keys(JSON.parse(body))).toEqual([
      'model',
      'tools',
      'messages',
      'max_tokens',
      'thinking',
      'reasoning_effort',
      'stream',
      'stream_options',
    ]);
  });

  it('OAC-10: the same input gives the same bytes, and the next request begins with them', () => {
    const first = openaiChat.prepare(loop(deepseek));
    expect(openaiChat.prepare(loop(deepseek)).body).toBe(first.body);
    const input = loop(deepseek);
    const next = openaiChat.prepare({
      ...input,
      items: [...input.items, told('c', [{ type: 'text', text: 'Ok.' }]), user('w', 'More')],
      maxTokens: 7,
    });
    const shared = first.body.slice(0, first.body.indexOf(']', first.body.indexOf('And now?')));
    expect(next.body.startsWith(shared)).toBe(true);
  });

  it('OAC-22: a model that refuses system messages gets the prompt as a user message, and any other as before', () => {
    const asked = (model: string) =>
      openaiChat.prepare({
        ...inputOf(openai, [user('u', 'Hi')], {}, { systemPrompt: 'Be brief.', tools: [TOOL] }),
        model: openai.modelInfo(model),
      });
    expect(asked('o1-mini').violations).toEqual([]);
    expect(messagesOf(asked('o1-mini'))).toEqual([
      { role: 'user', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ]);
    expect(JSON.parse(asked('o1-mini').body)).not.toHaveProperty('tools');
    expect(messagesOf(asked('o3-mini'))[0]).toEqual({ role: 'system', content: 'Be brief.' });
  });

  it('OAC-10: tools are switched off by choice, and stay in the request', () => {
    const body = bodyOf(loop(deepseek, { toolChoice: 'none' }));
    expect(body).toMatchObject({ tool_choice: 'none', tools: [{ type: 'function', function: { name: 'weather' } }] });
    expect(bodyOf(inputOf(deepseek, [user('u', 'Hi')], {}, { toolChoice: 'none' }))).not.toHaveProperty('tool_choice');
  });

  it('OAC-10: the token limit goes under the server’s name, and no sampling parameter is ever sent', () => {
    const items = [user('u', 'Hi')];
    expect(bodyOf(inputOf(openai, items))).toMatchObject({ max_completion_tokens: 1_000 });
    expect(bodyOf(inputOf(mistral, items))).toMatchObject({ max_tokens: 1_000 });
    expect(bodyOf(inputOf(mistral, items))).not.toHaveProperty('stream_options');
    expect(bodyOf(inputOf(openai, items, {}, { stream: false }))).not.toHaveProperty('stream');
  });

  it('OAC-10: the request holds no secret and says where it goes', () => {
    expect(openaiChat.prepare(loop(deepseek))).toMatchObject({
      method: 'POST',
      url: 'https://api.deepseek.com/v1/chat/completions',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      issuer: { provider: 'deepseek', deployment: 'deepseek@api.deepseek.com/v1', model: 'deepseek-v4-flash' },
      violations: [],
    });
  });
});

describe('characters', () => {
  it('OAC-10: half of a character never leaves, and its replacement is noted; text about one is left alone', () => {
    const cut = user('u', 'cut \ud83d here 👍 \\ud83d');
    const request = openaiChat.prepare(
      inputOf(openai, [cut], {}, { systemPrompt: '\udc00', tools: [{ ...TOOL, description: '\ud800' }] }),
    );
    expect(request.body).not.toMatch(/[^\\]\\ud/);
    expect(messagesOf(request)).toEqual([
      { role: 'system', content: '\ufffd' },
      { role: 'user', content: 'cut \ufffd here 👍 \\ud83d' },
    ]);
    expect(request.notes).toMatchObject([{ nodeId: 'u', reason: 'repaired' }]);
    expect(request.violations).toEqual([]);
    const joined = { ...cut, nodeIds: [cut.nodeIds[0], user('v', '').nodeIds[0]] } as const;
    expect(openaiChat.prepare(inputOf(openai, [joined])).notes.map(({ nodeId }) => nodeId)).toEqual(['u', 'v']);
  });
});

describe('order', () => {
  const items = [user('u', 'Hi'), FOREIGN_CALL, FOREIGN_RESULT, user('v', 'Never mind.'), user('w', 'Something else.')];

  it('OAC-17: Mistral gets an assistant message between results and the next question', () => {
    const request = openaiChat.prepare(inputOf(mistral, items, {}, { tools: [TOOL], systemPrompt: 'Be brief.' }));
    expect(messagesOf(request).map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'user',
    ]);
    expect(request.violations).toEqual([]);
  });

  it('OAC-17: a server with strict alternation gets neighbours joined', () => {
    const plain = [
      user('u', 'One.'),
      user('v', 'Two.'),
      told('a', [{ type: 'text', text: 'Yes.' }]),
      user('w', 'Three.'),
    ];
    const request = openaiChat.prepare(inputOf(serverWith({ roleOrder: 'alternating' }), plain));
    expect(messagesOf(request).map(({ content }) => content)).toEqual(['One.\n\nTwo.', 'Yes.', 'Three.']);
    expect(request.violations).toEqual([]);
  });

  it('OAC-17: a conversation that ends with an assistant message is repaired where that is refused, and reported', () => {
    const request = openaiChat.prepare(
      inputOf(mistral, [user('u', 'Hi'), told('a', [{ type: 'text', text: 'Yes.' }])]),
    );
    expect(messagesOf(request).at(-1)).toMatchObject({ role: 'user' });
    expect(request.violations).toMatchObject([{ rule: 'OAC-ORDER-3', repaired: true }]);
  });
});

describe('renderings', () => {
  it('OAC-16: every message is given out once, and its bytes are used again as they are', () => {
    const input = loop(deepseek);
    const first = openaiChat.prepare(input);
    expect(first.renderings.map(({ nodeId }) => nodeId)).toEqual(['u', 'a', 't', 'b', 'v']);
    const stored = new Map(first.renderings.map(({ nodeId, key, bytes }) => [`${nodeId} ${key}`, bytes]));
    // Different bytes for the same message, as an older version may have written them.
    const key = first.renderings.find(({ nodeId }) => nodeId === 'a')?.key ?? '';
    const old = (stored.get(`a ${key}`) ?? '').replace('"content":null,', '"content": null, ');
    stored.set(`a ${key}`, old);
    const again = openaiChat.prepare({ ...input, renderingOf: (id, name) => stored.get(`${id} ${name}`) });
    expect(again.renderings).toEqual([]);
    expect(again.body).toContain(old);
  });

  it('OAC-16: a rendering with other calls, or one that cannot be read, is not used', () => {
    const input = loop(deepseek);
    const { body } = openaiChat.prepare(input);
    for (const bytes of ['{"role":"assistant","content":"x"}', 'garbage']) {
      expect(openaiChat.prepare({ ...input, renderingOf: (id) => (id === 'a' ? bytes : undefined) }).body).toBe(body);
    }
  });

  it('OAC-16: another server, model, form or content is another key', () => {
    const key = (input: RenderInput, id: string) =>
      openaiChat.prepare(input).renderings.find(({ nodeId }) => nodeId === id)?.key;
    const keys = [
      key(loop(deepseek), 'a'),
      key(loop(moonshot), 'a'),
      key(loop(deepseek, { model: deepseek.modelInfo('deepseek-v4-pro') }), 'a'),
      key({ ...loop(deepseek), rawOf: () => undefined }, 'a'),
      key(inputOf(deepseek, [user('a', 'x')]), 'a'),
      key(inputOf(deepseek, [user('a', 'y')]), 'a'),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});
