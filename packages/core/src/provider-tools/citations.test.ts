import { describe, expect, it } from 'vitest';
import type { ContentBlock } from '../blocks/index.ts';
import { citationsOf, citedPlaces, sourcesOf } from './index.ts';

const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const cited = (blocks: readonly ContentBlock[]): readonly string[] => {
  const whole = blocks
    .map((block) => (block.type === 'text' ? (block as { readonly text: string }).text : ''))
    .join('');
  return citationsOf(blocks).map(
    ({ start, end, source }) => `${whole.slice(start, end)} <${source.url ?? source.title}>`,
  );
};
const note = (url: string, start_index: number, end_index: number) => ({
  type: 'url_citation',
  url,
  title: 'T',
  start_index,
  end_index,
});

describe('citations', () => {
  it('PV-10: those of Claude are about the text before them', () => {
    const citation = { type: 'web_search_result_location', url: 'https://a.example/', title: 'A', cited_text: 'tall' };
    const page = { type: 'page_location', document_title: 'b.pdf', cited_text: 'old', start_page_number: 1 };
    const blocks = [
      text('It is '),
      text('very tall'),
      { type: 'citations', citations: [citation] },
      text(' and '),
      text('old.'),
      { type: 'citations', citations: [page] },
    ];
    expect(cited(blocks)).toEqual(['very tall <https://a.example/>', 'old. <b.pdf>']);
    expect(citationsOf(blocks).map(({ quoted }) => quoted)).toEqual(['tall', 'old']);
  });

  it('PV-11: those of OpenAI count characters of their own text', () => {
    const blocks = [
      text('One. '),
      text('Two three.'),
      { type: 'annotations', annotations: [note('https://a.example/', 0, 3)] },
    ];
    expect(cited(blocks)).toEqual(['Two <https://a.example/>']);
  });

  it('PV-11: a character outside the first plane counts as one', () => {
    const annotations = [note('https://a.example/', 2, 5)];
    expect(cited([text('🌳 oak tree'), { type: 'annotations', annotations }])).toEqual(['oak <https://a.example/>']);
    // Unless the range proves that units were counted.
    const linked = '🌳 ([a](https://a.example/)) yes';
    const units = [note('https://a.example/', 3, linked.indexOf(' yes'))];
    expect(cited([text(linked), { type: 'annotations', annotations: units }])).toEqual([
      '([a](https://a.example/)) <https://a.example/>',
    ]);
  });

  it('PV-11: those of chats are one level deeper, and files have no address', () => {
    const { type, ...fields } = note('https://a.example/', 0, 3);
    const annotations = [
      { type, url_citation: fields },
      { type: 'file_citation', filename: 'a.md', index: 3 },
    ];
    expect(cited([text('Oak.'), { type: 'annotations', annotations }])).toEqual([
      'Oak <https://a.example/>',
      ' <a.md>',
    ]);
  });

  it('PV-12: those of Gemini count bytes, and the words that it repeats decide', () => {
    const grounding = (segment: unknown, indices: unknown = [1]): ContentBlock => ({
      type: 'gemini:groundingMetadata',
      data: {
        groundingChunks: [null, { web: { uri: 'https://a.example/', title: 'A' } }],
        groundingSupports: [{ segment, groundingChunkIndices: indices }],
      },
    });
    const words = text('Über Eichen — alt.');
    expect(cited([words, grounding({ startIndex: 6, endIndex: 12 })])).toEqual(['Eichen <https://a.example/>']);
    expect(cited([words, grounding({ startIndex: 0, endIndex: 3, text: 'alt' })])).toEqual([
      'alt <https://a.example/>',
    ]);
    // The text was cut where the grounding came.
    expect(cited([text('Über '), grounding({ startIndex: 6, endIndex: 12, text: 'Eichen' }), text('Eichen.')])).toEqual(
      ['Eichen <https://a.example/>'],
    );
    expect(cited([words, grounding({ startIndex: 0, endIndex: 4 }, [0, 7, 'x'])])).toEqual([]);
  });

  it.each([
    ['an end before its beginning', note('https://a.example/', 3, 1)],
    ['an end behind the text', note('https://a.example/', 0, 99)],
    ['a place that is none', { ...note('https://a.example/', 0, 1), start_index: 'x' }],
    ['a fraction', note('https://a.example/', 0.5, 1)],
    ['an address that would run', { ...note('javascript:alert(1)', 0, 1), title: 7 }],
  ])('PV-13: a citation with %s is left out', (_, annotation) => {
    expect(citationsOf([text('Oaks'), { type: 'annotations', annotations: [annotation, 7, null] }])).toEqual([]);
  });

  it('PV-14: a source has one number in a reply; sources of one place stand together', () => {
    const annotations = [
      note('https://b.example/', 0, 3),
      note('https://a.example/', 0, 3),
      note('https://b.example/', 0, 8),
    ];
    const citations = citationsOf([text('Oaks are old.'), { type: 'annotations', annotations }]);
    const sources = sourcesOf(citations);
    expect(sources.map(({ url }) => url)).toEqual(['https://b.example/', 'https://a.example/']);
    expect(citedPlaces(citations, sources)).toEqual([
      { end: 3, numbers: [1, 2] },
      { end: 8, numbers: [1] },
    ]);
  });
});
