import { createHash } from 'node:crypto';
import { anyText } from '@bough/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { portableSha256, sha256 } from './index.ts';

describe('sha256', () => {
  it('HS-1: equals the platform’s own for every text', () => {
    const lengths = Array.from({ length: 200 }, (_, length) => 'a'.repeat(length));
    for (const text of [
      ...lengths,
      'é'.repeat(5000),
      '😀'.repeat(3_000),
      `a${'😀'.repeat(3_000)}`,
      '\ud83d'.repeat(5_000),
    ]) {
      const expected = createHash('sha256').update(text).digest('hex');
      expect([sha256(text), portableSha256(text)]).toEqual([expected, expected]);
    }
    fc.assert(
      fc.property(anyText, (text) => {
        expect(portableSha256(text)).toBe(createHash('sha256').update(text).digest('hex'));
      }),
    );
  });
});
