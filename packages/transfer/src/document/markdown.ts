import type { DocumentInput, DocumentItem, Reasoning } from './content.ts';
import { authorOf, instructionsIn, thoughtText } from './content.ts';

/**
 * A branch as Markdown. Texts are Markdown already and stay as they are; anything that could break the document is
 * fenced.
 */
export function markdownOf({ title, groups, reasoning }: DocumentInput): string {
  const parts = [`# ${title.replaceAll('\n', ' ')}`];
  for (const group of groups) {
    if (group.user !== null) parts.push('## You', group.user.content);
    const { before, after } = instructionsIn(group);
    for (const text of before) parts.push('## System', text);
    if (group.segments.length > 0) parts.push(`## ${authorOf(group)}`);
    for (const item of group.segments.flatMap((segment) => segment.items)) parts.push(...itemParts(item, reasoning));
    for (const text of after) parts.push('## System', text);
  }
  return `${parts.join('\n\n')}\n`;
}

function itemParts(item: DocumentItem, reasoning: Reasoning): readonly string[] {
  switch (item.type) {
    case 'text':
      return [item.isError ? `**Error:** ${item.text}` : item.text];
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

/** A fence longer than any inside, so that nothing can end it early. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
