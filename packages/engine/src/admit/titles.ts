export const UNTITLED = 'Untitled';
const MAX_CHARACTERS = 60;

/** A title from a first message: its first line, without Markdown, cut at a word boundary. */
export function titleFrom(text: string): string {
  const line = text
    .split('\n')
    .map((part) => part.replace(/^[#>*\-\s]+|[`*_]+/g, '').trim())
    .find((part) => part !== '');
  if (line === undefined) return UNTITLED;
  const characters = Array.from(line);
  if (characters.length <= MAX_CHARACTERS) return line;
  const cut = characters.slice(0, MAX_CHARACTERS).join('');
  const atWord = cut.lastIndexOf(' ');
  return `${(atWord > MAX_CHARACTERS / 2 ? cut.slice(0, atWord) : cut).trimEnd()}…`;
}
