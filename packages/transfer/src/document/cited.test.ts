import type { Citation, ProviderToolUse } from '@bough/core';
import { describe, expect, it } from 'vitest';
import { placeInMarkdown } from './cited.ts';
import type { DocumentGroup, DocumentItem } from './content.ts';
import { htmlOf } from './html.ts';
import { markdownOf } from './markdown.ts';

const use = (facts: Partial<ProviderToolUse>): DocumentItem => ({
  type: 'provider',
  use: {
    kind: 'web_search',
    name: null,
    queries: [],
    urls: [],
    code: null,
    sources: [],
    output: null,
    files: [],
    pictures: [],
    error: null,
    state: 'done',
    ...facts,
  },
});
const cite = (end: number, url: string, title = 'An *oak*'): Citation => ({
  start: 0,
  end,
  source: { url, title },
  quoted: null,
});
const input = (...items: readonly DocumentItem[]) => {
  const group: DocumentGroup = { user: null, reply: [], segments: [{ kind: 'reply', items }] };
  return { title: 'T', groups: [group], reasoning: 'none' } as const;
};
const cited: DocumentItem = {
  type: 'text',
  text: 'Oaks <b> are old. Really.',
  isError: false,
  citations: [cite(17, 'https://a.example/?x=1&y=2'), cite(25, 'https://b.example/', '"quoted" <i>')],
};

describe('citations in documents', () => {
  it('EX-30: Markdown has numbers that lead to the sources, and the sources below the reply', () => {
    const text = markdownOf(input(cited));
    expect(text).toContain(
      String.raw`Oaks <b> are old.[\[1\]](<https://a.example/?x=1&y=2>) Really.[\[2\]](<https://b.example/>)`,
    );
    expect(text).toContain(
      ['**Sources**', '', String.raw`1. [An \*oak\*](<https://a.example/?x=1&y=2>)`, ''].join('\n').trimEnd(),
    );
  });

  it('EX-31: a page has the same, and no word of a source becomes markup', () => {
    const html = htmlOf(input(cited));
    expect(html).toContain('Oaks &lt;b&gt; are old.<sup><a href="https://a.example/?x=1&amp;y=2" target="_blank"');
    expect(html).toContain('rel="noopener noreferrer nofollow" referrerpolicy="no-referrer">[1]</a></sup> Really.');
    expect(html).toContain('<h3>Sources</h3><ol><li>');
    expect(html).toContain('&quot;quoted&quot; &lt;i&gt;');
    expect(html).not.toContain('<i>');
  });

  it.each([
    ['a word', 'One two', 'One', 'One'],
    ['a link', 'See [it](https://a.example/x).', 'a.ex', 'See [it](https://a.example/x)'],
    ['an address', 'At https://a.example/x now', 'a.ex', 'At https://a.example/x'],
    ['code in a line', 'Run `npm i` now', 'npm', 'Run `npm i`'],
    ['a fence', '```\nlet a;\n```\nThen', 'let', '```\nlet a;\n```'],
    ['emphasis that ends', '**bold** next', '**bold', '**bold**'],
    ['emphasis that begins', 'next **bold**', 'next ', 'next '],
    ['emphasis in a text without blanks', '甲**粗体**乙', '粗体', '甲**粗体**'],
  ])('EX-30: a number behind %s breaks nothing', (_, text, words, expected) => {
    const end = text.indexOf(words) + words.length;
    expect(text.slice(0, placeInMarkdown(text, end))).toBe(expected);
  });
});

describe('what the provider did, in documents', () => {
  const items = [
    use({ queries: ['old oaks'], sources: [{ url: 'https://a.example/', title: 'A' }] }),
    use({ kind: 'code_execution', code: 'print("```")', output: '2', files: ['plot.png'] }),
    use({ kind: 'web_fetch', urls: ['https://b.example/'], error: 'not_found', state: 'failed' }),
  ];

  it('EX-32: Markdown names it, with what it asked, read, ran and made', () => {
    const text = markdownOf(input(...items));
    expect(text).toContain('**Searched the web: 1 query, 1 source**\n\n- old oaks\n\n1. [A](<https://a.example/>)');
    expect(text).toContain('**Ran code: 1 file**\n\n````\nprint("```")\n````\n\n```\n2\n```\n\n- plot.png');
    expect(text).toContain(String.raw`**Read the web: 1 page, failed**` + '\n\n' + String.raw`Error: not\_found`);
  });

  it('EX-33: a page names it, folded', () => {
    const html = htmlOf(input(...items));
    expect(html).toContain('<details><summary>Searched the web: 1 query, 1 source</summary><ul><li>old oaks</li></ul>');
    expect(html).toContain('<pre>print(&quot;```&quot;)</pre><pre>2</pre><ul><li>plot.png</li></ul>');
    expect(html).toContain('<div class="error">not_found</div>');
  });
});
