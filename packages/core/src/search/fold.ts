// Search compares folded texts: without case, accents, width and other forms of the same letter. Both sides are folded
// here, in one place, so that three back ends and every database locale find the same.

/** Left out when people type: accents, vowel points, joiners, soft hyphens, presentation and skin of emoji. */
const LEFT_OUT =
  /[\u0300-\u036f]|[\u0591-\u05bd\u05bf-\u05c7]|[\u064b-\u065f]|[\ufe00-\ufe0f]|\u0640|\u0670|\u00ad|\u200b|\u200c|\u200d|\u2060|\ud83c[\udffb-\udfff]/g;

/** Models and phones write these where a keyboard has only one of each. No index keeps any of them. */
const APOSTROPHE = /[\u2018\u2019\u201b]/g;
const HYPHEN = /[\u2010-\u2015]/g;

/** Letters that no decomposition takes apart. */
const SAME: Readonly<Record<string, string>> = {
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ς: 'σ',
};
const HAS_SAME = new RegExp(`[${Object.keys(SAME).join('')}]`, 'g');

const ASCII = /^[\0-\x7f]*$/;

export const isAscii = (text: string): boolean => ASCII.test(text);

/** Marks of scripts that write vowels as marks stay: without them Hindi and Thai words could not be told apart. */
export function foldText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return (
    text
      .normalize('NFKD')
      .replace(LEFT_OUT, '')
      .normalize('NFC')
      // By way of upper case, which writes the German sharp s as two letters.
      .toUpperCase()
      .toLowerCase()
      .replace(LEFT_OUT, '')
      .replace(HAS_SAME, (letter) => SAME[letter] ?? letter)
      .replace(APOSTROPHE, "'")
      .replace(HYPHEN, '-')
  );
}

/** A text as literals are looked up in it: line breaks in a phrase count as spaces. */
export const foldLine = (text: string): string => foldText(text).replace(/\s+/g, ' ');

/** A folded line that knows where in the text each of its characters comes from. */
export interface MappedLine {
  readonly line: string;
  /** For each character of the line, where its part of the text begins; one more than there are characters. */
  readonly starts: readonly number[];
}

/** Letters with their marks, and runs of spaces, are folded together. */
const CLUSTER = /\s+|[^\s]\p{M}*/gu;

export function foldMapped(text: string): MappedLine {
  const starts: number[] = [];
  let line = '';
  for (const { 0: cluster, index } of text.matchAll(CLUSTER)) {
    const folded = /\s/.test(cluster) ? ' ' : foldText(cluster);
    for (let at = 0; at < folded.length; at += 1) starts.push(index);
    line += folded;
  }
  starts.push(text.length);
  return { line, starts };
}
