import { sketch } from '@bough/testkit';
import { describe, expect, it } from 'vitest';
import type { ContentBlock } from '../blocks/index.ts';
import { blobHash } from '../entities/index.ts';
import { segmentTimeline } from './segments.ts';
import { timelineOf, timelineOfParts } from './timeline.ts';

const reply = (...nodes: (readonly ContentBlock[])[]) =>
  timelineOf(
    nodes.map((contentBlocks, index) => {
      const [node] = sketch(`a${index} assistant claude/opus: x`);
      if (node === undefined) throw new Error('There is one node.');
      return { ...node, contentBlocks };
    }),
  );
const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const asked = (id: string, query: string): ContentBlock => ({
  type: 'server_tool_use',
  id,
  name: 'web_search',
  input: { query },
});
const found = (id: string, url: string): ContentBlock => ({
  type: 'web_search_tool_result',
  tool_use_id: id,
  content: [{ type: 'web_search_result', url, title: 'T' }],
});
const cites = (url: string): ContentBlock => ({ type: 'citations', citations: [{ url, title: 'T' }] });

describe('what the provider did, among what a reply does', () => {
  it('TU-8: searches in a row are one, and stay outside the reasoning', () => {
    const items = reply([
      { type: 'thinking', thinking: 'hm' },
      asked('1', 'one'),
      found('1', 'https://a.example/'),
      asked('2', 'two'),
      found('2', 'https://b.example/'),
      text('So.'),
    ]);
    expect(items).toMatchObject([
      { type: 'think' },
      { type: 'provider', nodeId: 'a0', use: { queries: ['one', 'two'], state: 'done' } },
      { type: 'text', text: 'So.' },
    ]);
    expect(segmentTimeline(items, true).map(({ kind }) => kind)).toEqual(['reasoning', 'reply']);
  });

  it('TU-8: one search that failed does not spoil the others', () => {
    const failed = { type: 'web_search_tool_result', tool_use_id: '2', content: { type: 'x_error', error_code: 'no' } };
    const [item] = reply([asked('1', 'one'), found('1', 'https://a.example/'), asked('2', 'two'), failed]);
    expect(item).toMatchObject({ use: { state: 'done', error: 'no' } });
  });

  it('TU-9: a text that was cut for its citations is one text, and knows them', () => {
    const items = reply([text('It is '), text('tall'), cites('https://a.example/'), text('.')]);
    expect(items).toEqual([
      {
        type: 'text',
        nodeId: 'a0',
        text: 'It is tall.',
        isError: false,
        citations: [{ start: 6, end: 10, source: { url: 'https://a.example/', title: 'T' }, quoted: null }],
      },
    ]);
  });

  it('TU-9: a block of another kind ends a text', () => {
    const items = reply([text('First.'), { type: 'message_phase', phase: 'commentary' }, text('Then.')]);
    expect(items.map((item) => item.type === 'text' && item.text)).toEqual(['First.', 'Then.']);
  });

  it('TU-8: code that called tools of the client ends in a later part of the reply', () => {
    const code = { type: 'server_tool_use', id: 's', name: 'code_execution', input: { code: 'f()' } };
    const call = { type: 'tool-use', id: 'c', name: 'f', parameters: {} };
    const result = { type: 'code_execution_result', stdout: 'ok', stderr: '', return_code: 0, content: [] };
    const items = reply([code, call], [{ type: 'code_execution_tool_result', tool_use_id: 's', content: result }]);
    expect(items).toMatchObject([
      { type: 'provider', use: { code: 'f()', output: 'ok', state: 'done' } },
      { type: 'tool', id: 'c' },
    ]);
  });

  it('TU-10: a file of the reply has its place among its words', () => {
    const hash = blobHash('a'.repeat(64));
    const file = { type: 'image', name: 'a.png', file: { hash, mediaType: 'image/png', size: 3 }, width: 8, height: 8 };
    const items = reply([{ type: 'thinking', thinking: 'hm' }, text('Look:'), file, text('So.')]);
    expect(items.slice(1)).toMatchObject([{ text: 'Look:' }, { type: 'file', nodeId: 'a0', file }, { text: 'So.' }]);
    expect(segmentTimeline(items, true).map(({ kind }) => kind)).toEqual(['reasoning', 'reply']);
  });

  it('TU-8: while its result is missing, it is running', () => {
    const part = { nodeId: null, blocks: [asked('1', 'one')], isError: false, hasThought: false };
    expect(timelineOfParts([part], new Map())).toMatchObject([{ type: 'provider', use: { state: 'running' } }]);
  });
});
