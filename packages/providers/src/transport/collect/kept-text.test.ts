import fc from 'fast-check';
import { expect, it } from 'vitest';
import { KeptText } from './kept-text.ts';

it('TRN-1: what is kept of a stream is its text, character by character, however it was cut and however long it is', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.constantFrom('\uFEFF', '\0', '漢字', '😀', '\u2028', ''),
    fc.nat(20_000).map((length) => 'é'.repeat(length)),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const kept = new KeptText();
      for (const each of pieces) kept.push(each);
      expect([...kept.pieces()].join('')).toBe(pieces.join(''));
      // Read twice: a commit that is retried asks for it again.
      expect([...kept.pieces()].join('')).toBe(pieces.join(''));
    }),
  );
});
