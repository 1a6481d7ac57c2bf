// Texts that show one thing each. They are long on purpose: a page must cope with all of it.

const code = (point: number): string => String.fromCodePoint(point);
const ZWJ = code(0x200d);
const RIGHT_TO_LEFT_MARK = code(0x200f);

/** Characters that break programs that cut strings by code unit, by byte or by code point. */
export function unicodeText(): string {
  const family = [0x1f469, 0x1f469, 0x1f467, 0x1f466].map(code).join(ZWJ);
  const pilot = [code(0x1f9d1) + code(0x1f3fd), code(0x2708) + code(0xfe0f)].join(ZWJ);
  const flag = code(0x1f1fa) + code(0x1f1e6);
  const stacked = `Z${[0x0351, 0x036b, 0x0343, 0x036a, 0x0302, 0x036b].map(code).join('')}algo`;
  return [
    'Here is text that breaks careless programs. Every line must come out exactly as it went in.',
    `- Emoji of many parts: ${family} ${pilot} ${flag} ${code(0x1f3f4)}${code(0x200d)}${code(0x2620)}${code(0xfe0f)}`,
    `- Right to left: שלום עולם, مرحبا بالعالم${RIGHT_TO_LEFT_MARK}, and back again (123).`,
    `- Combining marks: e${code(0x0301)} against é, ${stacked}, เก็บน้ำไว้ใช้, हिन्दी क्षत्रिय`,
    `- CJK: 漢字かな交じり文、繁體中文，简体中文, 한국어 조합형 ${code(0x1112)}${code(0x1161)}${code(0x11ab)}`,
    `- Beyond the first plane: ${code(0x1d49c)}${code(0x1d4b7)} ${code(0x20bb7)}野家 ${code(0x10330)}${code(0x1f600)}`,
    `- Spaces that are none: [${code(0x00a0)}] [${code(0x3000)}] [${code(0x200b)}] [${code(0x2028)}] [${code(0x2060)}]`,
    '- Things that look like syntax: "quotes" \\ backslash \\u0041 \\n </script> <!-- --> ${x} %s \t tab `tick`',
    '- A line that starts like an event stream:',
    'data: {"not": "an event"}',
    'event: message_stop',
    'That is all of it.',
  ].join('\n');
}

export function markdownText(): string {
  return [
    '## A tour of Markdown',
    'Some *emphasis*, some **strength**, a bit of `code`, a [link](https://example.org) and a ~~mistake~~.',
    '| structure | insert | find |\n|:--|--:|:-:|\n| array | O(n) | O(n) |\n| hash table | O(1) | O(1) |\n| balanced tree | O(log n) | O(log n) |',
    '1. First\n   - nested\n     - deeper\n2. Second\n- [x] done\n- [ ] open',
    '```ts\nfunction fold<State, Event>(events: Event[], start: State, step: (state: State, event: Event) => State): State {\n  return events.reduce(step, start);\n}\n```',
    '> A quotation,\n> on two lines.',
    'Mathematics in the line, $e^{i\\pi} + 1 = 0$, and on its own:',
    '$$\\int_{-\\infty}^{\\infty} e^{-x^2}\\,dx = \\sqrt{\\pi}$$',
    '---\nA last paragraph with a footnote.[^1]\n\n[^1]: Which nobody reads.',
  ].join('\n\n');
}

const SUBJECTS = ['A branch', 'The root', 'A signature', 'The old answer', 'One thought', 'The next message'];
const VERBS = ['carries', 'leaves behind', 'points at', 'outlives', 'remembers', 'follows'];
const OBJECTS = [
  'its parent',
  'the question',
  'a longer story',
  'what was said before',
  'nothing at all',
  'the whole path',
];
const SENTENCES_PER_PARAGRAPH = 7;

/** Exactly this many characters of readable text. */
export function longText(characters: number): string {
  let text = '';
  for (let number = 1; text.length < characters; number += 1) {
    const subject = SUBJECTS[number % SUBJECTS.length];
    const verb = VERBS[(number * 5 + 1) % VERBS.length];
    const object = OBJECTS[(number * 11 + 2) % OBJECTS.length];
    text += `${number}. ${subject} ${verb} ${object}.${number % SENTENCES_PER_PARAGRAPH === 0 ? '\n\n' : ' '}`;
  }
  return text.slice(0, characters);
}

/**
 * Exactly this many characters of Markdown: short sections first, then one program in a single block, which is what a
 * page finds hardest while it grows.
 */
export function longMarkdown(characters: number): string {
  let text = '';
  for (let number = 1; text.length < characters / 2; number += 1) text += section(number);
  text += '```ts\n';
  for (let number = 1; text.length < characters; number += 1) text += statement(number);
  return text.slice(0, characters);
}

function section(number: number): string {
  return [
    `### Section ${number}`,
    `Some *emphasis*, some **strength**, a bit of \`code\` and $x_{${number}}^2 = ${number * number}$.`,
    `- a point\n- another **point**, number ${number}\n- [x] done`,
    `| n | its square |\n|--:|--:|\n| ${number} | ${number * number} |`,
    `\`\`\`ts\n${statement(number)}${statement(number + 1)}\`\`\``,
    '',
  ].join('\n\n');
}

function statement(number: number): string {
  return `const step${number} = walk(tree, { depth: ${number}, label: "step ${number}" }); // and on it goes\n`;
}
