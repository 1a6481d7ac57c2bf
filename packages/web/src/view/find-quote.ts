import type { Words } from '@bough/core';
import { findWords } from '@bough/core';

/** Marks of Markdown: whoever copied words from the source copied them, too, and nobody sees them. */
const MARKUP = /[*_`~#>|[\]()!\\]/g;

/**
 * Where words stand in a text as it is shown; null where they do not. Marks become spaces, which do not count, so that
 * places stay what they are.
 */
export function findQuote(text: string, words: Words): { readonly start: number; readonly end: number } | null {
  const found = findWords(text, words);
  if (found !== null) return found;
  const bare = (part: string): string => part.replaceAll(MARKUP, ' ');
  return findWords(bare(text), {
    ...words,
    quote: bare(words.quote),
    before: bare(words.before),
    after: bare(words.after),
  });
}
