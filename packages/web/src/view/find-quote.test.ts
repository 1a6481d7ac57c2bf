import { expect, it } from 'vitest';
import { findQuote } from './find-quote.ts';

const words = (quote: string, before = '', after = '') => ({ quote, before, after, offset: null });

it('WEB-722: words that were copied with their Markdown are found where it is not shown', () => {
  const shown = 'Oaks grow to forty metres. Use `sqrt(2)` here.';
  const at = (quote: string) => {
    const found = findQuote(shown, words(quote));
    return found === null ? null : shown.slice(found.start, found.end);
  };
  expect(at('**forty** _metres_')).toBe('forty metres');
  expect(at('sqrt(2)')).toBe('sqrt(2)');
  expect(at('forty miles')).toBe(null);
  expect(at('**')).toBe(null);
});

it('WEB-722: of several places it is the one with the same surroundings, also between marks', () => {
  const shown = 'an oak, an ash, an oak again';
  expect(findQuote(shown, words('oak', 'an ash, an ', ' again'))?.start).toBe(19);
  expect(findQuote(shown, words('**oak**', 'ash, an ', ''))?.start).toBe(19);
});
