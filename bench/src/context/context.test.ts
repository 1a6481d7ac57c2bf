import { expect, it } from 'vitest';
import { StoredConversation } from './bough.ts';
import { asked, conversationalist } from './conversation.ts';
import { check, context, HERE } from './index.ts';

it('builds the same conversation into a request with everybody, in every form', async () => {
  const results = await context.run({ quick: true, install: false, scratch: '', progress: () => undefined });
  expect(results.map(({ size }) => size)).toEqual([
    '3 turns',
    '3 turns, nothing cached',
    '3 turns, after a break',
    '10 turns',
    '10 turns, nothing cached',
    '10 turns, after a break',
    '10 turns, openai-responses',
    '10 turns, openai-chat',
    '10 turns, gemini',
  ]);
  for (const { figures } of results) {
    const peers = figures.length === 2 ? [] : ['AI SDK', 'LangChain'];
    expect(figures.map(({ contestant }) => contestant)).toEqual(['Bough', 'JSON.stringify', ...peers]);
    for (const { median } of figures) expect(median).toBeGreaterThan(0);
  }
});

it('notices a request that says less, more or something else', async () => {
  const history = (await conversationalist(HERE))(2);
  const conversation = new StoredConversation(history, HERE.provider(globalThis.fetch), HERE.model);
  const loaded = conversation.read(asked({ path: [], raws: new Map() }, 'Is there more?'));
  const { body } = conversation.prepare(loaded).request;
  expect(() => check('Bough', body, loaded.nodes, true)).not.toThrow();
  for (const wrong of [
    body.replace('Is there more?', 'Is there less?'),
    body.replace(/"signature":"./, '"signature":"'),
    body.replace(/\{"type":"tool_result"[^}]*\}\]\},?/, ''),
  ]) {
    expect(wrong).not.toBe(body);
    expect(() => check('Bough', wrong, loaded.nodes, true)).toThrow('does not say');
  }
  expect(() => check('Bough', body.replace('Is there more?', ''), loaded.nodes, false)).toThrow('does not say');
});
