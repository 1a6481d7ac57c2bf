import type { AttachedBlock, ProviderToolUse, Source } from '@bough/core';
import { citedPieces, placeInMarkdown, sourcesIn } from './cited.ts';
import type { DocumentInput, DocumentItem, Reasoning } from './content.ts';
import { authorOf, factsOf, fileIn, filesOf, instructionsIn, thoughtText, writtenBy } from './content.ts';
import { pagesOf, sourceName, useTitle } from './provider-use.ts';

/**
 * A branch as Markdown. Texts are Markdown already and stay as they are; anything that could break the document is
 * fenced.
 */
export function markdownOf({ title, groups, reasoning, addressOf = () => undefined }: DocumentInput): string {
  const parts = [`# ${title.replaceAll('\n', ' ')}`];
  for (const group of groups) {
    const files = filesOf(group);
    const shown = (block: AttachedBlock): string => fileOf(block, addressOf(block.file));
    const named = (block: AttachedBlock): string => `Attached: ${shown(block)}`;
    if (group.user !== null) {
      const { heading, text } = writtenBy(group.user);
      parts.push(`## ${escaped(heading)}`, text, ...files.user.map(named));
    }
    const { before, after } = instructionsIn(group);
    for (const text of before) parts.push('## System', text);
    if (group.segments.length > 0) parts.push(`## ${authorOf(group)}`);
    const sources = sourcesIn(group);
    for (const item of group.segments.flatMap((segment) => segment.items)) {
      parts.push(...itemParts(item, reasoning, sources, shown));
    }
    parts.push(...files.tools.map(named));
    if (sources.length > 0) parts.push('**Sources**', listOf(sources));
    for (const text of after) parts.push('## System', text);
  }
  return `${parts.join('\n\n')}\n`;
}

function itemParts(
  item: DocumentItem,
  reasoning: Reasoning,
  sources: readonly Source[],
  shown: (block: AttachedBlock) => string,
): readonly string[] {
  switch (item.type) {
    case 'text':
      return [item.isError ? `**Error:** ${item.text}` : citedText(item, sources)];
    case 'provider':
      return useParts(item.use);
    case 'file': {
      const file = fileIn(item, reasoning);
      return file === null ? [] : [shown(file)];
    }
    case 'think': {
      if (reasoning === 'none') return [];
      const quoted = thoughtText(item)
        .split('\n')
        .map((line) => `> ${line}`.trimEnd())
        .join('\n');
      return reasoning === 'included' ? [quoted] : [`<details><summary>Reasoning</summary>\n\n${quoted}\n\n</details>`];
    }
    case 'tool': {
      const called = `**${item.name}**\n\n${fenced(JSON.stringify(item.parameters, null, 2), 'json')}`;
      return item.result === null
        ? [called]
        : [called, fenced(item.result.content, item.result.isError ? 'error' : '')];
    }
  }
}

function fileOf(file: AttachedBlock, address: string | undefined): string {
  const facts = ` (${escaped(factsOf(file))})`;
  const name = escaped(file.name);
  if (address === undefined) return `${name}${facts}`;
  return `${file.type === 'image' ? '!' : ''}[${name}](${address})${facts}`;
}

function citedText(item: Extract<DocumentItem, { type: 'text' }>, sources: readonly Source[]): string {
  return citedPieces(item, sources, placeInMarkdown)
    .map(({ text, numbers }) => {
      const marks = numbers.map((number) => linked(sources[number - 1], `\\[${number}\\]`)).join('');
      // Behind code, a number is a paragraph of its own.
      return marks !== '' && /(^|\n) {0,3}(`{3,}|~{3,})[^\n]*$/.test(text) ? `${text}\n\n${marks}` : `${text}${marks}`;
    })
    .join('');
}

function useParts(use: ProviderToolUse): readonly string[] {
  const pages = pagesOf(use);
  return [
    `**${escaped(useTitle(use))}**`,
    ...(use.error === null ? [] : [`Error: ${escaped(use.error)}`]),
    ...(use.queries.length === 0 ? [] : [use.queries.map((query) => `- ${escaped(query)}`).join('\n')]),
    ...(pages.length === 0 ? [] : [listOf(pages)]),
    ...(use.code === null ? [] : [fenced(use.code, '')]),
    ...(use.output === null ? [] : [fenced(use.output, '')]),
    ...(use.files.length === 0 ? [] : [use.files.map((name) => `- ${escaped(name)}`).join('\n')]),
  ];
}

function listOf(sources: readonly Source[]): string {
  return sources.map((source, index) => `${index + 1}. ${linked(source, escaped(sourceName(source)))}`).join('\n');
}

/** Addresses hold neither blanks nor angle brackets. */
const linked = (source: Source | undefined, text: string): string =>
  source?.url == null ? text : `[${text}](<${source.url}>)`;

/** A name that somebody else chose, as words and nothing else. */
const escaped = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_[\]<>&!|~#]/g, String.raw`\$&`);

/** A fence longer than any inside, so that nothing can end it early. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
