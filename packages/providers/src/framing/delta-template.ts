/** Characters that a JSON string holds unescaped. */
const PLAIN = String.raw`[^"\\\x00-\x1f]`;
const ALL_PLAIN = new RegExp(`^${PLAIN}+$`);
const ESCAPE = String.raw`\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})`;
/** Longer strings are parsed with their event: each repetition of an alternation uses stack in a regular expression. */
const MAX_ESCAPED = 4_096;
const VOLATILE = String.raw`(?:\d+|"${PLAIN}*")`;
/** Where the string and the volatile values were. JSON text contains no such characters. */
const STRING_PLACE = '\0';
const VOLATILE_PLACE = '\x01';

/**
 * Recognises deltas that are written like one that was read before: the same JSON text except for one string. Thousands
 * of events of a reply differ in nothing else, and finding the string costs a tenth of parsing the event into objects.
 * It is worth its lines: without it, reading a reply takes 2.7 to 3.2 times the floor of `npm run bench -- fold`
 * instead of 1.9 to 2.4.
 *
 * What is recognised is what parsing would have given: everything around the string is the same text, and the string is
 * a valid JSON string, so it ends where it seems to end. Without escapes it is taken literally; otherwise it is parsed
 * by itself.
 */
export class DeltaTemplate {
  readonly #volatile: readonly RegExp[];
  #sample = '';
  #patterns: Patterns | null = null;
  /** Where the string begins; null if something of variable length precedes it. */
  #start: number | null = null;

  /** `volatile` names members that differ from event to event and that nothing reads: counters, padding. */
  constructor(volatile: readonly string[] = []) {
    this.#volatile = volatile.map((key) => new RegExp(`("${key}":)${VOLATILE}`));
  }

  /** The string of an event that is written like the learned one; null for any other. */
  match(data: string): string | null {
    if (this.#patterns === null) return null;
    const { plain, escaped } = this.#patterns;
    if (this.#start === null) {
      const found = plain.exec(data)?.[1];
      if (found !== undefined) return found;
    } else if (plain.test(data)) return data.slice(this.#start, data.indexOf('"', this.#start));
    if (data.length > MAX_ESCAPED || !data.includes('\\')) return null;
    const literal = escaped.exec(data)?.[1];
    return literal === undefined ? null : (JSON.parse(`"${literal}"`) as string);
  }

  /**
   * Learns to recognise events that are written like `data`, where `text` is the string in which they differ. False if
   * `text` does not have a unique place in `data`: then what was learned before still holds. If anything is escaped,
   * the place that reads like `text` may belong to another member, so nothing is learned then either.
   */
  learn(data: string, text: string): boolean {
    const literal = `"${text}"`;
    const at = data.indexOf(literal);
    if (at < 0 || at !== data.lastIndexOf(literal) || data.includes('\\') || !ALL_PLAIN.test(text)) return false;
    const exact = `${data.slice(0, at)}"${STRING_PLACE}"${data.slice(at + literal.length)}`;
    const sample = this.#volatile.reduce((before, member) => before.replace(member, `$1${VOLATILE_PLACE}`), exact);
    if (sample === this.#sample) return true;
    this.#sample = sample;
    this.#patterns = patternsOf(sample);
    const place = sample.indexOf(STRING_PLACE);
    this.#start = sample.lastIndexOf(VOLATILE_PLACE, place) < 0 ? place : null;
    return true;
  }
}

/** Replies of one provider are written alike: patterns made for one of them serve the next. */
const known = new Map<string, Patterns>();
const MOST_KNOWN = 500;

interface Patterns {
  readonly plain: RegExp;
  readonly escaped: RegExp;
}

function patternsOf(sample: string): Patterns {
  const before = known.get(sample);
  if (before !== undefined) return before;
  if (known.size >= MOST_KNOWN) known.clear();
  const made = { plain: patternOf(sample, PLAIN), escaped: patternOf(sample, `(?:${PLAIN}|${ESCAPE})`) };
  known.set(sample, made);
  return made;
}

function patternOf(sample: string, character: string): RegExp {
  const pattern = sample
    .replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
    .replace(STRING_PLACE, () => `(${character}+)`)
    .replaceAll(VOLATILE_PLACE, () => VOLATILE);
  return new RegExp(`^${pattern}$`);
}
