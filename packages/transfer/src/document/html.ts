import type { DocumentInput, DocumentItem, Reasoning } from './content.ts';
import { authorOf, instructionsIn, thoughtText } from './content.ts';

const STYLE = `body{font:16px/1.6 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#1c1c1c;background:#fff}
h2{font-size:1rem;margin:2rem 0 .25rem}.text,.thought,pre{white-space:pre-wrap;overflow-wrap:anywhere}
.thought{color:#555;border-left:3px solid #ccc;padding-left:.75rem}.error{color:#a40000}pre{background:#f4f4f4;padding:.5rem;border-radius:4px}
@media (prefers-color-scheme:dark){body{color:#e6e6e6;background:#161616}.thought{color:#aaa;border-color:#444}pre{background:#222}.error{color:#ff8080}}`;

/** A branch as one self-contained page that runs nothing: every word of a model is text, never markup. */
export function htmlOf({ title, groups, reasoning }: DocumentInput): string {
  const body = groups.flatMap((group) => {
    const { before, after } = instructionsIn(group);
    return [
      ...(group.user === null ? [] : ['<h2>You</h2>', block('text', group.user.content)]),
      ...before.flatMap(instruction),
      ...(group.segments.length === 0 ? [] : [`<h2>${escaped(authorOf(group))}</h2>`]),
      ...group.segments.flatMap((segment) => segment.items).flatMap((item) => itemParts(item, reasoning)),
      ...after.flatMap(instruction),
    ];
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
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

function itemParts(item: DocumentItem, reasoning: Reasoning): readonly string[] {
  switch (item.type) {
    case 'text':
      return [block(item.isError ? 'text error' : 'text', item.text)];
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

const block = (name: string, text: string): string => `<div class="${name}">${escaped(text)}</div>`;

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
