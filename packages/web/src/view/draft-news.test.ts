import { describe, expect, it } from 'vitest';
import type { DraftNews, SharedDraft } from './draft-news.ts';
import { hearDraft, swapDraft } from './draft-news.ts';

const shared = (text: string): SharedDraft => ({ text, other: null, isApart: false });
const apart = (text: string, other: string | null = null): SharedDraft => ({
  text,
  other: other === null ? null : { tab: 'b', text: other },
  isApart: true,
});
const news = (from: string, text: string): DraftNews => ({ tab: 'b', from, text });

describe('one draft in two tabs', () => {
  it.each<[string, SharedDraft, DraftNews, SharedDraft]>([
    ['an untouched tab follows', shared(''), news('', 'h'), shared('h')],
    ['so does one that shows what the other went on from', shared('he'), news('he', 'hel'), shared('hel')],
    ['one with other words keeps them and offers the new ones', shared('my'), news('y', 'yours'), apart('my', 'yours')],
    ['what was sent elsewhere is cleared here if it is the same', shared('hello'), news('hello', ''), shared('')],
    ['and stays, kept on its own, if it is not', shared('hello, you'), news('hello', ''), apart('hello, you')],
    ['an offer disappears with what it offered', apart('my', 'yours'), news('yours', ''), apart('my')],
    ['and when both have become the same', apart('mine', 'min'), news('min', 'mine'), shared('mine')],
  ])('WEB-134: %s', (_, before, heard, after) => {
    expect(hearDraft(before, heard)).toEqual(after);
  });

  it('WEB-134: taking the other text offers the own one instead', () => {
    expect(swapDraft(apart('mine', 'yours'))).toEqual(apart('yours', 'mine'));
    expect(swapDraft(apart('', 'yours'))).toEqual(apart('yours'));
  });
});
