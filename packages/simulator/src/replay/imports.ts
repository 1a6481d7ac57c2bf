import type { ContentBlock } from '@bough/core';

/** A message from another program: what it knows about its maker, and blocks that no signature covers. */
export interface ForeignMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly contentBlocks: readonly ContentBlock[];
  readonly provider?: string;
  readonly modelUsed?: string;
  readonly toolCallId?: string;
}

const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const call = (id: string, name = 'search'): ContentBlock => ({ type: 'tool-use', id, name, parameters: { q: 'ü' } });

const LONG_ID = `call_${'x'.repeat(90)}`;

/**
 * Pieces of conversations as other programs leave them: odd ids, unsigned thoughts, results that answer nothing,
 * silence.
 */
export const IMPORTS: readonly (readonly ForeignMessage[])[] = [
  [
    { role: 'user', contentBlocks: [text('Imported question')] },
    {
      role: 'assistant',
      provider: 'chatgpt',
      modelUsed: 'o3',
      contentBlocks: [{ type: 'thinking', thinking: 'An old thought.' }, text('Imported answer')],
    },
  ],
  [
    { role: 'user', contentBlocks: [text('Look it up')] },
    { role: 'assistant', contentBlocks: [call('functions.search:0'), call(LONG_ID, 'Weird name!')] },
    { role: 'tool', toolCallId: 'functions.search:0', contentBlocks: [text('found')] },
    { role: 'tool', toolCallId: LONG_ID, contentBlocks: [text('')] },
    { role: 'assistant', contentBlocks: [text('Found it.')] },
  ],
  [
    {
      role: 'assistant',
      provider: 'anthropic',
      modelUsed: 'claude-sonnet-5',
      contentBlocks: [call('toolu_1'), call('toolu_1')],
    },
    { role: 'tool', toolCallId: 'nobody', contentBlocks: [text('a stray result')] },
    { role: 'tool', toolCallId: 'toolu_1', contentBlocks: [text('one')] },
  ],
  [
    { role: 'system', contentBlocks: [text('Be brief.')] },
    { role: 'user', contentBlocks: [text('One'), text(''), text('Two')] },
    { role: 'user', contentBlocks: [text('Three')] },
  ],
  [
    {
      role: 'assistant',
      provider: 'gemini',
      modelUsed: 'gemini-3-pro',
      contentBlocks: [
        { type: 'thinking_signature', signature: 'c2lnbmVkIGVsc2V3aGVyZQ==' },
        { type: 'redacted_thinking', data: 'ZW5jcnlwdGVkIGVsc2V3aGVyZQ==' },
        { type: 'image', url: 'https://example.org/tree.png' },
      ],
    },
    { role: 'assistant', contentBlocks: [text('   ')] },
  ],
];
