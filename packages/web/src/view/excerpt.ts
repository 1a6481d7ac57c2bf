const LENGTH = 60;
/** Marks that say how something looks, not what it says. */
const MARKS: readonly (readonly [RegExp, string])[] = [
  [/^\s*(```|~~~).*$/gm, ' '],
  [/!?\[([^\]]*)\]\([^)]*\)/g, '$1'],
  [/^\s{0,3}(#{1,6}|>|[-*+]|\d+[.)])\s+/gm, ''],
  [/^[\s|:-]+$/gm, ' '],
  [/(\*\*|__|~~|`+|\$\$|\|)/g, ' '],
  [/(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)/g, ''],
];

/** A text on one line and without its Markdown. */
export function withoutMarks(content: string): string {
  const plain = MARKS.reduce((text, [mark, instead]) => text.replaceAll(mark, instead), content);
  return plain
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ (?=[,.;:!?])/g, '')
    .trim();
}

/** The first words of a message. */
export function excerptOf(content: string): string {
  // Marks take characters, too; a long message is not read to its end for sixty of them.
  const line = withoutMarks(content.slice(0, LENGTH * 6));
  return line.length > LENGTH ? `${line.slice(0, LENGTH).trimEnd()}…` : line;
}
