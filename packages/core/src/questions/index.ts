import { isPlainObject } from '../blocks/plain-object.ts';
import type { NodeId } from '../entities/ids.ts';
import { nodeId } from '../entities/ids.ts';

// A question about some words of a reply. It is asked on a branch of its own; what ties it to the words is kept beside
// the reply, as an annotation whose name is the branch and whose text is this.

/** Words in a message, and what they are found again by. */
export interface Words {
  readonly quote: string;
  /** A little of what comes before and after them: the same words may occur twice. */
  readonly before: string;
  readonly after: string;
  /** About where in the text they begin; null where nobody said. */
  readonly offset: number | null;
}

export interface Question extends Words {
  readonly question: string;
  /** The message that asks it, on its branch. */
  readonly messageId: NodeId;
}

export const QUESTION_LIMITS = { quote: 5_000, question: 10_000, around: 100 } as const;

/** What the name of a question's branch begins with, as in ResearchTree. */
export const QUESTION_BRANCH = 'q/';

export const questionText = ({ quote, before, after, offset, question, messageId }: Question): string =>
  JSON.stringify({ question, quote, before, after, offset, messageId });

/** Null for what is none: the text of an annotation may have been edited by hand. */
export function readQuestion(text: string): Question | null {
  const value = parsed(text);
  if (!isPlainObject(value)) return null;
  const { question, quote, before, after, offset, messageId } = value;
  if (typeof question !== 'string' || typeof quote !== 'string' || typeof messageId !== 'string') return null;
  if (typeof before !== 'string' || typeof after !== 'string') return null;
  if (offset !== null && (typeof offset !== 'number' || !Number.isSafeInteger(offset) || offset < 0)) return null;
  return { question, quote, before, after, offset, messageId: nodeId(messageId) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Why a question cannot be kept; null where it can. */
export function questionProblem({ quote, before, after, question }: Omit<Question, 'messageId'>): string | null {
  const { quote: most, question: longest, around } = QUESTION_LIMITS;
  if (quote.trim() === '') return 'Name the words that the question is about.';
  if (question.trim() === '') return 'A question has words.';
  if (quote.length > most) return `At most ${most} characters can be asked about; these are ${quote.length}.`;
  if (question.length > longest)
    return `A question has at most ${longest} characters; this one has ${question.length}.`;
  if (before.length > around || after.length > around)
    return `At most ${around} characters are kept of what comes before and after the words.`;
  return null;
}

const FENCE = '```';
const ESCAPED_FENCE = '\\`\\`\\`';
const PASSAGE = 'Highlighted passage:';
const ASKED = 'Question:';

/** The message that is sent. Its form is ResearchTree's, which tells its question branches by it. */
export function questionMessage(quote: string, question: string): string {
  const passage = quote.trim().replaceAll(FENCE, ESCAPED_FENCE);
  return [PASSAGE, `${FENCE}text\n${passage}\n${FENCE}`, ASKED, question.trim()].join('\n\n');
}

/** How ResearchTree writes a passage: its server one way, its page another. */
const PASSAGES = [
  { open: `${FENCE}text\n`, close: `\n${FENCE}\n` },
  { open: '"""', close: '"""\n' },
] as const;

/** What a message of that form asks, and about which words; null for any other message. */
export function readQuestionMessage(text: string): { readonly quote: string; readonly question: string } | null {
  const rest = after(text.replaceAll('\r\n', '\n').trim(), PASSAGE);
  const form = PASSAGES.find(({ open }) => rest?.startsWith(open));
  if (rest === null || form === undefined) return null;
  const end = rest.indexOf(form.close, form.open.length - 1);
  if (end < 0) return null;
  const quote = rest.slice(form.open.length, end).replaceAll(ESCAPED_FENCE, FENCE);
  const question = after(rest.slice(end + form.close.length).trimStart(), ASKED);
  return quote.trim() === '' || question === null || question === '' ? null : { quote, question };
}

function after(text: string, heading: string): string | null {
  const isThere = text.slice(0, heading.length).toLowerCase() === heading.toLowerCase();
  return isThere ? text.slice(heading.length).trim() : null;
}

/**
 * Where the words are in a text. Spaces do not count: what a person marks on a page has other ones than the text. Of
 * several places it is the one whose surroundings fit best, then the one nearest to where they were. Null where the
 * words are not there any more.
 */
export function findWords(text: string, words: Words): { readonly start: number; readonly end: number } | null {
  const whole = withoutSpaces(text);
  const [quote, before, behind] = [words.quote, words.before, words.after].map((part) => withoutSpaces(part).text);
  if (quote === undefined || quote === '') return null;
  let best: { readonly at: number; readonly fit: number; readonly far: number } | null = null;
  for (let at = whole.text.indexOf(quote); at >= 0; at = whole.text.indexOf(quote, at + 1)) {
    const fit =
      endInCommon(whole.text, at, before ?? '') + beginningInCommon(whole.text, at + quote.length, behind ?? '');
    const far = words.offset === null ? 0 : Math.abs((whole.places[at] ?? 0) - words.offset);
    if (best === null || fit > best.fit || (fit === best.fit && far < best.far)) best = { at, fit, far };
  }
  if (best === null) return null;
  const [start, last] = [whole.places[best.at], whole.places[best.at + quote.length - 1]];
  return start === undefined || last === undefined ? null : { start, end: last + 1 };
}

/** The text without its spaces, and where in it each character was. */
function withoutSpaces(text: string): { readonly text: string; readonly places: readonly number[] } {
  const places: number[] = [];
  let packed = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (/\s/.test(character)) continue;
    packed += character;
    places.push(at);
  }
  return { text: packed, places };
}

function endInCommon(text: string, end: number, before: string): number {
  let length = 0;
  while (length < before.length && length < end && text[end - 1 - length] === before[before.length - 1 - length])
    length += 1;
  return length;
}

function beginningInCommon(text: string, start: number, behind: string): number {
  let length = 0;
  while (length < behind.length && start + length < text.length && text[start + length] === behind[length]) length += 1;
  return length;
}
