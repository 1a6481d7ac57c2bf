import { describe, expect, test } from 'vitest';
import { call, message, rawEvent, rawOf, reasoning, responseOf, streamOf } from '../testing.ts';
import { finalReply } from './final-items.ts';

const ITEMS = [
  reasoning('a', ['Think.']),
  message('b', 'Say this.', { phase: 'final_answer' }),
  call('c', 'add', '{"a":1}'),
];

describe('finalReply', () => {
  test('OAR-Q3: the items of a reply are those of its final events, fields of tomorrow included', () => {
    const items = ITEMS.map((item) => ({ ...item, tomorrow: { kept: [1] } }));
    expect(finalReply(rawOf(streamOf(items)))).toEqual({
      responseId: 'resp_1',
      items: items.map((item) => ({ item, complete: true, final: true })),
    });
  });

  test('OAR-Q3: a reply that was not streamed has the same items', () => {
    const raw = rawOf([]);
    const body = JSON.stringify(responseOf(ITEMS));
    expect(finalReply({ ...raw, payload: { events: [], response: body } })).toEqual(finalReply(rawOf(streamOf(ITEMS))));
  });

  test('OAR-Q3: encrypted content is taken from the final item, or from the finished response where only that has it', () => {
    const announced = streamOf([reasoning('a', [], 'gAAAA-final'), message('b', 'x')]);
    expect(finalReply(rawOf(announced)).items[0]?.item['encrypted_content']).toBe('gAAAA-final');
    const response = responseOf([reasoning('a', [], 'gAAAA-late'), message('b', 'x')]);
    const azure = streamOf([reasoning('a', [], null), message('b', 'x')], { response });
    expect(finalReply(rawOf(azure)).items[0]?.item['encrypted_content']).toBe('gAAAA-late');
  });

  test('OAR-Q6: after a cut, what was not finished is not complete; a message keeps the text that came', () => {
    const events = streamOf(ITEMS);
    const secondDelta = events.findIndex(({ data }) => data.includes('"delta":" this."'));
    expect(finalReply(rawOf(events.slice(0, secondDelta))).items).toEqual([
      { item: reasoning('a', ['Think.']), complete: true, final: true },
      {
        item: {
          ...message('b', '', { phase: 'final_answer' }),
          status: 'in_progress',
          content: [{ type: 'output_text', text: 'Say' }],
        },
        complete: false,
        final: false,
      },
    ]);
  });

  test('OAR-Q6: an item that says that it is incomplete, is', () => {
    const items = [message('a', 'Half', { status: 'incomplete' })];
    const response = responseOf(items, { status: 'incomplete' });
    expect(finalReply(rawOf(streamOf(items, { response }))).items[0]?.complete).toBe(false);
  });

  test('OAR-F9: garbage is an empty reply', () => {
    for (const data of ['', 'null', '{', '{"type":"response.completed","response":[]}', '"response.completed"']) {
      expect(finalReply(rawOf([{ data }]))).toEqual({ responseId: null, items: [] });
    }
    expect(finalReply(rawOf([rawEvent({ type: 'response.output_item.done', item: 7 })])).items).toEqual([]);
  });
});
