import type { ContentBlock } from '@bough/core';
import { isPlainObject } from '@bough/core';
import type { Notes } from '../../conversation.ts';
import type { Fields } from '../../fields.ts';
import { objectIn, textForm, textOrNull } from '../../fields.ts';

interface Source {
  readonly url: string | null;
  readonly title: string | null;
}

/** What ChatGPT puts into a text where a reference is shown, between two characters for private use. */
const MARK = /\ue200[^\ue201]*\ue201/g;

/**
 * A text with its citations. The marks that stand for references become citations at their places: nobody was ever
 * shown the marks themselves. What is known of a mark is told in the metadata of the message.
 */
export function citedText(marked: string, metadata: Fields, notes: Notes): readonly ContentBlock[] {
  const references = objectsIn(metadata, 'content_references');
  const annotations: Fields[] = [];
  const found: Source[] = objectsIn(metadata, 'search_result_groups').flatMap((group) =>
    objectsIn(group, 'entries').flatMap(sourceOf),
  );
  const byMark = new Map(references.map((reference) => [textOrNull(reference['matched_text']) ?? '', reference]));
  let text = '';
  let from = 0;
  for (const { 0: mark, index } of marked.matchAll(MARK)) {
    text += marked.slice(from, index);
    from = index + mark.length;
    const reference = byMark.get(mark);
    const cited = reference === undefined ? [] : citationsOf(reference, charactersIn(text), charactersIn(text));
    annotations.push(...cited);
    if (cited.length > 0) continue;
    // A name or a link that is shown in place of the mark.
    const shown = reference === undefined ? null : textOrNull(reference['alt']);
    if (shown === null) notes.leftOut.push('reference');
    else text += shown;
  }
  text += marked.slice(from);
  for (const reference of references) {
    const words = textOrNull(reference['matched_text']) ?? '';
    if (words.startsWith('\ue200')) continue;
    found.push(...objectsIn(reference, 'sources').flatMap(sourceOf));
    const start = words.trim() === '' ? -1 : text.indexOf(words);
    if (start >= 0)
      annotations.push(
        ...citationsOf(
          reference,
          charactersIn(text.slice(0, start)),
          charactersIn(text.slice(0, start + words.length)),
        ),
      );
  }
  if (references.length === 0) annotations.push(...oldCitations(metadata));
  return [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...(annotations.length === 0 ? [] : [{ type: 'annotations', annotations }]),
    ...(found.length === 0 ? [] : [{ type: 'search_results', search_results: found }]),
  ];
}

/** Offsets of citations count characters. */
const charactersIn = (text: string): number => Array.from(text).length;

function objectsIn(fields: Fields, name: string): readonly Fields[] {
  const value = fields[name];
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}

function sourceOf(fields: Fields): readonly Source[] {
  const url = textOrNull(fields['url']);
  const title = textOrNull(fields['title']) ?? textOrNull(fields['attribution']);
  return url === null && title === null ? [] : [{ url, title }];
}

function citationsOf(reference: Fields, start: number, end: number): readonly Fields[] {
  if (reference['type'] === 'file') {
    const filename = textOrNull(reference['name']);
    return filename === null ? [] : [{ type: 'file_citation', filename, index: end }];
  }
  const items = objectsIn(reference, 'items');
  const cited = [reference, ...items, ...items.flatMap((item) => objectsIn(item, 'supporting_websites'))];
  return cited
    .flatMap(sourceOf)
    .filter(({ url }) => url !== null)
    .map(({ url, title }) => ({ type: 'url_citation', url, title: title ?? '', start_index: start, end_index: end }));
}

/** Before 2025: a list of places in the text, each with what it is from. */
function oldCitations(metadata: Fields): readonly Fields[] {
  return objectsIn(metadata, 'citations').flatMap((citation): readonly Fields[] => {
    const about = objectIn(citation, 'metadata');
    const [start, end] = [citation['start_ix'], citation['end_ix']];
    const url = textOrNull(about['url']);
    const title = textOrNull(about['title']) ?? textOrNull(about['name']) ?? '';
    if (url === null) return title === '' ? [] : [{ type: 'file_citation', filename: title, index: end }];
    return [
      { type: 'url_citation', url, title, start_index: start, end_index: end, content: textForm(about['text'] ?? '') },
    ];
  });
}
