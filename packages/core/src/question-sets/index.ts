import { isPlainObject } from '../blocks/index.ts';
import { BoughError } from '../errors/index.ts';

/** One question of a set. */
export interface SetQuestion {
  /** No two questions of a set share one. */
  readonly id: string;
  readonly text: string;
  /** What a good answer says. Beside the answers for people; no model gets it. */
  readonly expected?: string;
}

export type QuestionFormat = 'jsonl' | 'text';

export const QUESTION_SET_LIMITS = { questions: 1_000, characters: 100_000, idCharacters: 100 } as const;

/** Every line that cannot be read is told at once: whoever corrects a file should not have to come ten times. */
export class InvalidQuestionsError extends BoughError {
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    const shown = lines.slice(0, SHOWN);
    const rest = lines.length > SHOWN ? [`and ${lines.length - SHOWN} more`] : [];
    super('invalid_questions', `These questions cannot be used. ${[...shown, ...rest].join('; ')}.`);
    this.lines = lines;
  }
}

const SHOWN = 10;
/** The names that other programs use, in the order in which they are looked for. */
const QUESTION_FIELDS = ['question', 'prompt', 'input', 'text'] as const;
const EXPECTED_FIELDS = ['expected', 'answer', 'ideal', 'target'] as const;

/**
 * The questions in a file: JSON Lines (a string, or an object with a question in it) or plain text, one question per
 * line. Blank lines are skipped. Without a format it is guessed from the first line that says something.
 */
export function readQuestions(file: string, format?: QuestionFormat): readonly SetQuestion[] {
  const lines = file
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .map((text, at) => ({ text, at: at + 1 }))
    .filter(({ text }) => text.trim() !== '');
  const first = lines[0]?.text.trimStart() ?? '';
  const chosen = format ?? (/^[{"]/.test(first) ? 'jsonl' : 'text');
  const wrong: string[] = [];
  const read: Unnumbered[] = [];
  for (const { text, at } of lines) {
    const found = chosen === 'text' ? { text: text.trim() } : fromJson(text);
    if (typeof found === 'string') wrong.push(`line ${at}: ${found}`);
    else read.push({ ...found, at: `line ${at}` });
  }
  return checked(read, wrong);
}

/** The questions that a caller lists: those without an id are numbered. */
export function numberQuestions(listed: readonly Omit<Unnumbered, 'at'>[]): readonly SetQuestion[] {
  return checked(
    listed.map((question, index) => ({ ...question, at: `question ${index + 1}` })),
    [],
  );
}

interface Unnumbered {
  readonly id?: string | undefined;
  readonly text: string;
  readonly expected?: string | undefined;
  /** Where it stands, for what is said about it. */
  readonly at: string;
}

function checked(found: readonly Unnumbered[], before: readonly string[]): readonly SetQuestion[] {
  const wrong = [...before];
  const questions: SetQuestion[] = [];
  const taken = new Set<string>();
  for (const [index, { id = String(index + 1), text, expected, at }] of found.entries()) {
    if (text.trim() === '') wrong.push(`${at}: the question is empty`);
    else if (text.length > QUESTION_SET_LIMITS.characters)
      wrong.push(`${at}: a question has at most ${QUESTION_SET_LIMITS.characters} characters`);
    else if (id.trim() === '' || id.length > QUESTION_SET_LIMITS.idCharacters)
      wrong.push(`${at}: an id has 1 to ${QUESTION_SET_LIMITS.idCharacters} characters`);
    else if (taken.has(id)) wrong.push(`${at}: another question has the id "${id}"`);
    taken.add(id);
    questions.push({ id, text, ...(expected === undefined ? {} : { expected }) });
  }
  if (found.length > QUESTION_SET_LIMITS.questions)
    wrong.push(`there are ${found.length} questions; a set has at most ${QUESTION_SET_LIMITS.questions}`);
  if (found.length === 0 && wrong.length === 0) wrong.push('there is no question in it');
  if (wrong.length > 0) throw new InvalidQuestionsError(wrong);
  return questions;
}

/** A question, or what is wrong with its line. */
function fromJson(line: string): Omit<Unnumbered, 'at'> | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return 'this is not JSON; every line is a JSON value of its own';
  }
  if (typeof value === 'string') return { text: value };
  if (!isPlainObject(value)) return 'expected a text or an object with a question';
  const name = QUESTION_FIELDS.find((field) => value[field] !== undefined);
  if (name === undefined) return `expected one of the fields ${QUESTION_FIELDS.join(', ')}`;
  const text = value[name];
  if (typeof text !== 'string') return `"${name}" must be a text`;
  const id = value['id'];
  if (id !== undefined && typeof id !== 'string' && typeof id !== 'number') return '"id" must be a text or a number';
  const expectedName = EXPECTED_FIELDS.find((field) => value[field] !== undefined && value[field] !== null);
  const expected = expectedName === undefined ? undefined : value[expectedName];
  const isPlain = typeof expected === 'string' || typeof expected === 'number' || typeof expected === 'boolean';
  if (expected !== undefined && !isPlain) return `"${expectedName}" must be a text, a number or a truth value`;
  return {
    text,
    ...(id === undefined ? {} : { id: String(id) }),
    ...(isPlain ? { expected: String(expected) } : {}),
  };
}
