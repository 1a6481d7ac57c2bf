import type { AttachedBlock, ProviderToolUse, Source } from '@bough/core';
import { citedPieces, sourcesIn } from './cited.ts';
import type { DocumentInput, DocumentItem, Reasoning } from './content.ts';
import { authorOf, factsOf, fileIn, filesOf, instructionsIn, thoughtText, writtenBy } from './content.ts';
import { pagesOf, sourceName, useTitle } from './provider-use.ts';

const STYLE = `body{font:16px/1.6 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#1c1c1c;background:#fff}
h3{font-size:.85rem;margin:1rem 0 .25rem}li{overflow-wrap:anywhere}h2{font-size:1rem;margin:2rem 0 .25rem}.text,.thought,pre{white-space:pre-wrap;overflow-wrap:anywhere}
.thought{color:#555;border-left:3px solid #ccc;padding-left:.75rem}.error{color:#a40000}pre{background:#f4f4f4;padding:.5rem;border-radius:4px}
figure{margin:1rem 0}img{display:block;max-width:100%;height:auto}figcaption,.file{font-size:.875rem;color:#555}
@media (prefers-color-scheme:dark){body{color:#e6e6e6;background:#161616}.thought{color:#aaa;border-color:#444}figcaption,.file{color:#aaa}pre{background:#222}.error{color:#ff8080}}`;

/** A branch as one self-contained page that runs nothing: every word of a model is text, never markup. */
export function htmlOf({ title, groups, reasoning, addressOf = () => undefined }: DocumentInput): string {
  const body = groups.flatMap((group) => {
    const { before, after } = instructionsIn(group);
    const files = filesOf(group);
    const shown = (block: AttachedBlock): string => fileOf(block, addressOf(block.file));
    const sources = sourcesIn(group);
    const written = group.user === null ? null : writtenBy(group.user);
    return [
      ...(written === null ? [] : [`<h2>${escaped(written.heading)}</h2>`, block('text', written.text)]),
      ...files.user.map(shown),
      ...before.flatMap(instruction),
      ...(group.segments.length === 0 ? [] : [`<h2>${escaped(authorOf(group))}</h2>`]),
      ...group.segments
        .flatMap((segment) => segment.items)
        .flatMap((item) => itemParts(item, reasoning, sources, shown)),
      ...files.tools.map(shown),
      ...(sources.length === 0 ? [] : [`<h3>Sources</h3>${listOf(sources)}`]),
      ...after.flatMap(instruction),
    ];
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
${body.join('\n')}
</body>
</html>
`;
}

const instruction = (text: string): readonly string[] => ['<h2>System</h2>', block('text', text)];

function itemParts(
  item: DocumentItem,
  reasoning: Reasoning,
  sources: readonly Source[],
  shown: (block: AttachedBlock) => string,
): readonly string[] {
  switch (item.type) {
    case 'text':
      return [item.isError ? block('text error', item.text) : citedText(item, sources)];
    case 'provider':
      return [useDetails(item.use)];
    case 'file': {
      const file = fileIn(item, reasoning);
      return file === null ? [] : [shown(file)];
    }
    case 'think': {
      if (reasoning === 'none') return [];
      const thought = block('thought', thoughtText(item));
      return reasoning === 'included' ? [thought] : [`<details><summary>Reasoning</summary>${thought}</details>`];
    }
    case 'tool':
      return [
        `<details><summary>${escaped(item.name)}</summary><pre>${escaped(JSON.stringify(item.parameters, null, 2))}</pre>${
          item.result === null ? '' : `<pre>${escaped(item.result.content)}</pre>`
        }</details>`,
      ];
  }
}

function fileOf(file: AttachedBlock, address: string | undefined): string {
  const caption = `${escaped(file.name)} <span class="facts">(${escaped(factsOf(file))})</span>`;
  if (file.type !== 'image' || address === undefined) return `<p class="file">${caption}</p>`;
  const picture = `<img src="${escaped(address)}" alt="${escaped(file.alt ?? file.name)}" width="${file.width}" height="${file.height}">`;
  return `<figure>${picture}<figcaption>${caption}</figcaption></figure>`;
}

function citedText(item: Extract<DocumentItem, { type: 'text' }>, sources: readonly Source[]): string {
  const pieces = citedPieces(item, sources).map(({ text, numbers }) => {
    const marks = numbers.map((number) => linked(sources[number - 1], `[${number}]`)).join('');
    return `${escaped(text)}${marks === '' ? '' : `<sup>${marks}</sup>`}`;
  });
  return `<div class="text">${pieces.join('')}</div>`;
}

function useDetails(use: ProviderToolUse): string {
  const pages = pagesOf(use);
  const listed = (texts: readonly string[]): string =>
    texts.length === 0 ? '' : `<ul>${texts.map((text) => `<li>${escaped(text)}</li>`).join('')}</ul>`;
  const parts = [
    use.error === null ? '' : block('error', use.error),
    listed(use.queries),
    pages.length === 0 ? '' : listOf(pages),
    use.code === null ? '' : `<pre>${escaped(use.code)}</pre>`,
    use.output === null ? '' : `<pre>${escaped(use.output)}</pre>`,
    listed(use.files),
  ];
  return `<details><summary>${escaped(useTitle(use))}</summary>${parts.join('')}</details>`;
}

function listOf(sources: readonly Source[]): string {
  return `<ol>${sources.map((source) => `<li>${linked(source, sourceName(source))}</li>`).join('')}</ol>`;
}

/** Opens beside the document, and is told nothing of it. */
function linked(source: Source | undefined, text: string): string {
  if (source?.url == null) return escaped(text);
  const attributes = 'target="_blank" rel="noopener noreferrer nofollow" referrerpolicy="no-referrer"';
  return `<a href="${escaped(source.url)}" ${attributes}>${escaped(text)}</a>`;
}

const block = (name: string, text: string): string => `<div class="${name}">${escaped(text)}</div>`;

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
