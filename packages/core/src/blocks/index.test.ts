import { describe, expect, it } from 'vitest';
import type { ContentBlock } from './index.ts';
import {
  isKnownBlock,
  isRedactedThinkingBlock,
  isTextBlock,
  isThinkingBlock,
  isThinkingSignatureBlock,
  isToolUseBlock,
} from './index.ts';

describe('guards', () => {
  const known: [string, ContentBlock, (block: ContentBlock) => boolean][] = [
    ['text', { type: 'text', text: '' }, isTextBlock],
    ['thinking', { type: 'thinking', thinking: '', signature: 's' }, isThinkingBlock],
    ['thinking_signature', { type: 'thinking_signature', signature: 's' }, isThinkingSignatureBlock],
    ['redacted_thinking', { type: 'redacted_thinking', data: 'd' }, isRedactedThinkingBlock],
    ['tool-use', { type: 'tool-use', id: 'c', name: 'n', parameters: {} }, isToolUseBlock],
  ];

  it.each(known)('BL-1: %s is told from every other type', (_, block, guard) => {
    expect(known.filter(([, other]) => guard(other)).map(([, other]) => other)).toEqual([block]);
  });

  it.each<[string, ContentBlock]>([
    ['text without text', { type: 'text', value: 1 }],
    ['thinking with a signature that is no string', { type: 'thinking', thinking: 'x', signature: 5 }],
    ['tool-use without parameters', { type: 'tool-use', id: 'a', name: 'b' }],
    ['tool-use with a list of parameters', { type: 'tool-use', id: 'a', name: 'b', parameters: [] }],
    ['another type', { type: 'image', url: 'x' }],
  ])('BL-2: a block of a known name with another shape is custom: %s', (_, block) => {
    expect(isKnownBlock(block)).toBe(false);
  });
});
