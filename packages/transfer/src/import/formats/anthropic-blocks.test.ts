import { citationsOf, providerToolsOf } from '@bough/core';
import { describe, expect, it } from 'vitest';
import { Notes } from '../conversation.ts';
import { blocksOfAnthropic } from './anthropic-blocks.ts';

describe('blocks in the format of Anthropic', () => {
  it('IM-60: a text keeps what it cites, and what the provider did stays readable', () => {
    const url = 'https://a.example/';
    const blocks = blocksOfAnthropic(
      [
        { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'oaks' } },
        { type: 'web_search_tool_result', tool_use_id: 's', content: [{ url, title: 'A' }] },
        { type: 'text', text: 'Oaks.', citations: [{ type: 'web_search_result_location', url, title: 'A' }] },
        { type: 'text', text: 'Elms.', citations: [] },
      ],
      new Notes(),
    );
    expect(providerToolsOf(blocks)).toMatchObject([{ kind: 'web_search', queries: ['oaks'], state: 'done' }]);
    expect(citationsOf(blocks)).toMatchObject([{ start: 0, end: 5, source: { url, title: 'A' } }]);
    expect(blocks.map(({ type }) => type).slice(2)).toEqual(['text', 'citations', 'text']);
  });
});
