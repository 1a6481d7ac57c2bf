import { describe, expect, it } from 'vitest';
import { lastLineOf, thoughtMsOf } from './thought-time.ts';

describe('the time of thinking', () => {
  it('WEB-81: is the sum over the replies that thought, and unknown if none of them says', () => {
    const calls = [
      { nodeId: 'a', usage: { reasoningMs: 1_000 } },
      { nodeId: 'b', usage: { reasoningMs: 500 } },
      { nodeId: 'c', usage: { outputTokens: 3 } },
      { nodeId: null, usage: { reasoningMs: 7 } },
    ];
    expect(thoughtMsOf(calls, new Set(['a', 'b', 'c', null]))).toBe(1_500);
    expect(thoughtMsOf(calls, new Set(['c']))).toBeNull();
  });

  it('WEB-81: the preview is the last line with words in it, without its marks', () => {
    expect(lastLineOf('First.\n\n- so **that** is `it`\n\n---\n')).toBe('- so that is it');
    expect(lastLineOf('')).toBe('');
  });
});
