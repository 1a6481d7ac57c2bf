import { describe, expect, it } from 'vitest';
import { blobHash } from '../entities/index.ts';
import type { SearchedNode, SearchQuery } from './index.ts';
import {
  addLexemes,
  candidatesOf,
  foldText,
  isEmptySearch,
  matchTexts,
  nameLexemes,
  nodeLexemes,
  OVERFLOW,
  parseSearch,
  searchedTexts,
  SearchSyntaxError,
  snippetOf,
} from './index.ts';

const finds = (typed: string, ...texts: string[]): boolean => {
  const query = parseSearch(typed);
  const matched = matchTexts(texts, query.terms, query.without) !== null;
  // An index that leaves out what matches would lose it for good.
  if (matched) expect(isCandidate(query, texts)).toBe(true);
  return matched;
};

function isCandidate({ terms }: SearchQuery, texts: readonly string[]): boolean {
  const lexemes = new Set<string>();
  for (const text of texts) addLexemes(text, lexemes);
  const all = [...lexemes];
  return terms
    .flatMap((term) => term.lexemes)
    .every(({ text, prefix }) => (prefix ? all.some((lexeme) => lexeme.startsWith(text)) : lexemes.has(text)));
}

const marked = (text: string, typed: string): string =>
  snippetOf(text, parseSearch(typed).terms)
    .map(({ text: part, hit }) => (hit ? `[${part}]` : part))
    .join('');

describe('what a text matches', () => {
  it.each([
    ['English', 'granite', 'What is Granite?'],
    ['words in any order', 'rock granite', 'Granite is an igneous rock.'],
    ['German without its umlauts', 'uber baume', 'Über große Bäume'],
    ['German with them', 'GRÖSSE', 'die größe'],
    ['a sharp s as two letters', 'strasse ', 'Die Straße'],
    ['French', 'eleve cœur', 'Un élève a du coeur'],
    ['decomposed accents', 'élève', 'un e\u0301le\u0300ve'],
    ['Polish', 'lodz', 'Łódź'],
    ['Chinese', '模型', '大语言模型很有用'],
    ['one Chinese character', '语', '大语言模型'],
    ['the last character of a run', '型', '大语言模型'],
    ['Chinese in a sentence', '你好世界', '他说：你好世界。'],
    ['Japanese', 'ラーメン', '今日はラーメンを食べた'],
    ['half-width Japanese', 'ﾗｰﾒﾝ', 'ラーメン'],
    ['Korean with a particle', '학교', '학교에서 만나요'],
    ['decomposed Korean', '학교', '학교에서'.normalize('NFD')],
    ['Arabic without vowels', 'كتاب', 'هذا كِتَابٌ جديد'],
    ['Hindi', 'हिन्दी', 'मैं हिन्दी बोलता हूँ'],
    ['Russian', 'еще дерево', 'Ещё одно ДЕРЕВО'],
    ['Greek with its final sigma', 'λογοσ', 'ο λόγος'],
    ['Thai', 'ภาษา', 'ฉันพูดภาษาไทย'],
    ['an emoji', '🎉', 'done 🎉!'],
    ['an emoji of any skin', '👍', 'ok 👍🏽'],
    ['a joined emoji of any skin', '🧑‍🚀', 'a 🧑🏿‍🚀 in orbit'],
    ['an apostrophe as a keyboard has it', "don't ", 'I don’t know'],
    ['an apostrophe as a book has it', 'l’été ', "c'est l'été"],
    ['a hyphen as a keyboard has it', 'state-of-the-art', 'It is state‑of‑the‑art.'],
    ['a range', '10-20', 'pages 10–20'],
    ['a phrase in quotes that a phone makes', '“igneous rock”', 'an igneous rock'],
    ['a phrase in other quotes', '„igneous rock“ «an igneous»', 'an igneous rock'],
    ['a joined emoji', '👩‍💻', 'a 👩‍💻 at work'],
    ['one letter', 'x ', 'let x be 5'],
    ['two letters', 'go ', 'written in Go.'],
    ['a token with an underscore', 'foo_bar', 'call foo_bar() now'],
    ['a part of it', 'bar', 'call foo_bar() now'],
    ['an arrow', 'a->b', 'the field a->b is null'],
    ['only an arrow', '->', 'the field a->b is null'],
    ['a scope', 'std::vector', 'a std::vector<int>'],
    ['C++', 'C++', 'I like c++ a lot'],
    ['a path', '/usr/bin', 'look in /usr/bin/env'],
    ['an address', 'me@example.org', 'Mail me@example.org.'],
    ['a number with a sign', '100%', 'I am 100% sure'],
    ['a backslash', String.raw`C:\temp`, String.raw`in C:\temp\x`],
    ['the word that is being typed', 'gran', 'granite'],
    ['a beginning with a star', 'gran* rock ', 'granite rock'],
    ['code that is being typed', 'std::vec', 'std::vector'],
    ['an exact phrase', '"igneous rock"', 'an Igneous\n  rock'],
    ['a phrase that is being typed', '"igneous ro', 'an igneous rock'],
    ['punctuation around words', '(granite, rock)', 'rock and granite'],
    ['words of different texts of a message', 'granite budget', 'granite', 'the budget.pdf'],
    ['a very long word', 'a'.repeat(100), `x ${'a'.repeat(100)} y`],
  ])('SR-1: %s', (_, typed, ...texts) => {
    expect(finds(typed, ...texts)).toBe(true);
  });

  it.each([
    ['half a word, when a space follows', 'gran ', 'granite'],
    ['the middle of a word', 'nite', 'granite'],
    ['a word that is left out', 'granite -rock', 'granite rock'],
    ['a phrase that is left out', 'granite -"igneous rock"', 'granite, an igneous rock'],
    ['a phrase in another order', '"rock igneous"', 'igneous rock'],
    ['one in quotes that a phone makes', '“rock igneous”', 'igneous rock'],
    ['a phrase in quotes of a Chinese keyboard that is left out', '语言 -“大语言”', '大语言模型'],
    ['half a word of a phrase', '"he said"', 'she said, and he laughed'],
    ['other code', 'a->b', 'a.b and a - b'],
    ['a word that is missing', 'granite marble', 'granite'],
    ['Chinese in another order', '型模', '大语言模型'],
  ])('SR-2: not %s', (_, typed, text) => {
    expect(finds(typed, text)).toBe(false);
  });

  it('SR-1: folding does not depend on how a letter was written', () => {
    for (const text of ['É', 'é', 'e\u0301', 'Ｅ\u0301', 'ｅ\u0301']) expect(foldText(text)).toBe('e');
  });
});

describe('the query', () => {
  it('SR-3: filters are words with a colon, and words with other colons are words', () => {
    const query = parseSearch(
      'tree role:user,tool model:claude in:"My project" branch:main after:2026-01 before:2026-02-01 has:file std::map',
    );
    expect(query.terms.map(({ literal }) => literal)).toEqual(['tree', 'std::map']);
    expect(query.filters).toEqual({
      roles: ['user', 'tool'],
      models: ['claude'],
      projects: ['My project'],
      branch: 'main',
      from: '2026-01',
      to: '2026-02-01',
      hasFile: true,
    });
  });

  it.each([
    ['role:robot', 'no role "robot"'],
    ['before:tomorrow', 'not a date'],
    ['is:shiny', 'There are has:file, is:starred'],
    ['has:sound', 'There are has:file'],
    ['-role:user', '"-" is for words'],
    ['-granite', 'add a word to look for'],
    ['x'.repeat(1_001), 'at most 1000 characters'],
    ['x '.repeat(40), 'at most 32 words'],
  ])('SR-4: %s is refused, and the error says what to do', (typed, told) => {
    expect(() => parseSearch(typed)).toThrow(SearchSyntaxError);
    expect(() => parseSearch(typed)).toThrow(told);
  });

  it('SR-3: nothing, or a filter that is being typed, is an empty search', () => {
    for (const typed of ['', '   ', 'role:', '""']) expect(isEmptySearch(parseSearch(typed))).toBe(true);
    expect(isEmptySearch(parseSearch('has:file'))).toBe(false);
  });
});

describe('snippets', () => {
  it.each([
    ['Über große Bäume', 'baume', 'Über große [Bäume]'],
    ['ein Straßenfest', 'strass', 'ein [Straß]enfest'],
    ['大语言模型', '模型', '大语言[模型]'],
    ['x\n\ny granite\tz', 'granite', 'x y [granite] z'],
    ['done 🎉🎉', '🎉', 'done [🎉🎉]'],
    ['no hits here', 'role:user', 'no hits here'],
    ['a->b and a.b', 'a->b', '[a->b] and a.b'],
  ])('SR-5: %s for %s', (text, typed, expected) => {
    expect(marked(text, typed)).toBe(expected);
  });

  it('SR-5: a place deep in a long text is shown with what is around it', () => {
    for (const filler of ['word ', 'wörd ', '字', '🎉 ']) {
      const text = `${filler.repeat(20_000)} needle ${filler.repeat(20_000)}`;
      const snippet = marked(text, 'needle');
      expect(snippet).toContain('[needle]');
      expect(snippet.startsWith('…')).toBe(true);
      expect(snippet.endsWith('…')).toBe(true);
      expect(snippet.length).toBeLessThan(300);
      expect(snippet.isWellFormed()).toBe(true);
    }
  });
});

describe('nodes', () => {
  const hash = blobHash('a'.repeat(64));
  const node: SearchedNode = {
    role: 'assistant',
    content: 'The answer.',
    modelUsed: 'claude-opus-5',
    contentBlocks: [
      { type: 'thinking', thinking: 'Pondering.', signature: 'c2lnbmVk' },
      { type: 'text', text: 'The answer.' },
      { type: 'tool-use', id: 'call-1', name: 'read_file', parameters: { path: 'a\nb', deep: [{ lines: 12 }] } },
      { type: 'file', name: 'budget.csv', file: { hash, mediaType: 'text/csv', size: 3 } },
      { type: 'redacted_thinking', data: 'c2VjcmV0' },
    ],
  };

  it('SR-6: text, reasoning, arguments of tools and names of files are searched; signatures are not', () => {
    expect(searchedTexts(node)).toEqual([
      { where: 'text', text: 'The answer.' },
      { where: 'reasoning', text: 'Pondering.' },
      { where: 'tool', text: 'read_file\npath\na\nb\ndeep\nlines\n12' },
      { where: 'file', text: 'budget.csv', file: 'budget.csv' },
    ]);
    expect(searchedTexts({ ...node, role: 'tool' })[0]?.where).toBe('tool');
  });

  it('SR-7: an index knows role, model and files apart from words, and a text with too many words as such', () => {
    const lexemes = nodeLexemes(node, ['Pages of it']);
    expect(lexemes).toContain('pages');
    for (const typed of ['role:assistant', 'model:claude', 'model:opus-5', 'has:file']) {
      for (const group of candidatesOf(parseSearch(typed)).told)
        expect(group.some(({ text, prefix }) => lexemes.some((l) => (prefix ? l.startsWith(text) : l === text)))).toBe(
          true,
        );
    }
    expect(nameLexemes('claude')).toEqual(['claude']);
    const words = Array.from({ length: 200_000 }, (_, at) => `word${at}`).join(' ');
    expect(nodeLexemes({ ...node, content: words })).toContain(OVERFLOW);
  });
});
