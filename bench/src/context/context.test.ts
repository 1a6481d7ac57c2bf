import { createRecall } from '@bough/providers';
import { expect, it } from 'vitest';
import { StoredConversation } from './bough.ts';
import { asked, conversationalist } from './conversation.ts';
import { check, context, HERE } from './index.ts';

it('builds the same conversation into a request with everybody, in every form', async () => {
  const results = await context.run({ quick: true, scratch: '', progress: () => undefined });
  expect(results.map(({ size }) => size)).toEqual([
    '3 turns',
    '3 turns, first request',
    '3 turns, after a break',
    '10 turns',
    '10 turns, first request',
    '10 turns, after a break',
  ]);
  for (const { figures } of results) {
    expect(figures.map(({ contestant }) => contestant)).toEqual(['Bough', 'JSON.stringify', 'AI SDK', 'LangChain']);
    for (const { median } of figures) expect(median).toBeGreaterThan(0);
  }
});

it('notices a request that says less, more or something else', async () => {
  const history = (await conversationalist(HERE))(2);
  const conversation = new StoredConversation(history, HERE.provider(globalThis.fetch), HERE.model);
  const loaded = conversation.readAll(asked({ path: [], raws: new Map() }, 'Is there more?'));
  const { body } = conversation.prepare(loaded, createRecall()).request;
  expect(() => check('Bough', body, loaded.path, true)).not.toThrow();
  for (const wrong of [
    body.replace('Is there more?', 'Is there less?'),
    body.replace(/"signature":"./, '"signature":"'),
    body.replace(/\{"type":"tool_result"[^}]*\}\]\},?/, ''),
  ]) {
    expect(wrong).not.toBe(body);
    expect(() => check('Bough', wrong, loaded.path, true)).toThrow('does not say');
  }
  expect(() => check('Bough', body.replace('Is there more?', ''), loaded.path, false)).toThrow('does not say');
});
