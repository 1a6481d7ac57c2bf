import { describe, expect, it } from 'vitest';
import type { ContentBlock } from '../blocks/index.ts';
import {
  deriveTextFromBlocks,
  deriveThinkingFromBlocks,
  getContentBlocksWithLegacyFallback,
  stripThinkingTextIfSignature,
} from './index.ts';

const text = (value: string): ContentBlock => ({ type: 'text', text: value });
const thinking = (value: string, signature?: string): ContentBlock =>
  signature === undefined ? { type: 'thinking', thinking: value } : { type: 'thinking', thinking: value, signature };
const signature = (value: string): ContentBlock => ({ type: 'thinking_signature', signature: value });
const toolUse: ContentBlock = { type: 'tool-use', id: 'c', name: 'n', parameters: {} };

describe('deriveTextFromBlocks', () => {
  it.each<[string, ContentBlock[], string]>([
    ['DR-1: texts that follow each other are one text', [text('A '), text('claim.')], 'A claim.'],
    ['DR-1: a signature between two parts does not cut the text', [text('Hel'), signature('s'), text('lo')], 'Hello'],
    ['DR-1: a custom block does not cut the text', [text('a'), { type: 'citation' }, text('b')], 'ab'],
    ['DR-2: a thought between them makes paragraphs', [text('a'), thinking('hm'), text('b')], 'a\n\nb'],
    ['DR-2: a tool call between them makes paragraphs', [text('a'), toolUse, text('b')], 'a\n\nb'],
    ['DR-2: no paragraph before the first text or after the last', [thinking('hm'), text('a'), toolUse], 'a'],
    ['DR-2: empty texts make no paragraphs', [text('a'), toolUse, text(''), thinking('x'), text('b')], 'a\n\nb'],
    ['DR-1: no text gives an empty text', [toolUse, signature('s')], ''],
  ])('%s', (_, blocks, expected) => {
    expect(deriveTextFromBlocks(blocks)).toBe(expected);
  });
});

describe('deriveThinkingFromBlocks', () => {
  it('DR-3: one paragraph per readable thought, in order, nothing for hidden or redacted ones', () => {
    const blocks = [
      thinking('one'),
      text('x'),
      { type: 'redacted_thinking', data: 'd' },
      thinking('', 's'),
      thinking('two', 's'),
    ];
    expect(deriveThinkingFromBlocks(blocks)).toBe('one\n\ntwo');
  });
});

describe('getContentBlocksWithLegacyFallback', () => {
  it('DR-4: blocks win over the older fields', () => {
    const contentBlocks = [text('new')];
    expect(getContentBlocksWithLegacyFallback({ contentBlocks, content: 'old' })).toBe(contentBlocks);
  });

  it('DR-4: without blocks, the thinking trace and the text are used', () => {
    const stored = { contentBlocks: [], content: 'old', thinking: { content: [thinking('hm', 's'), signature('t')] } };
    expect(getContentBlocksWithLegacyFallback(stored)).toEqual([thinking('hm', 's'), signature('t'), text('old')]);
    expect(getContentBlocksWithLegacyFallback({ content: null })).toEqual([]);
  });
});

describe('stripThinkingTextIfSignature', () => {
  it('DR-5: takes the text of a signed thought away and leaves everything else in place', () => {
    const custom = { type: 'x-future', payload: 1 };
    const blocks = [thinking('hm', 's'), custom, thinking('part'), signature('t'), thinking('unsigned'), text('x')];
    expect(stripThinkingTextIfSignature(blocks)).toEqual([
      signature('s'),
      custom,
      signature('t'),
      thinking('unsigned'),
      text('x'),
    ]);
  });
});
