import type { AnnotationKind } from '../annotations/index.ts';
import { BoughError } from '../errors/index.ts';
import type { Role } from '../messages/index.ts';
import { foldLine } from './fold.ts';
import { neededLexemes } from './lexemes.ts';
import type { SearchTerm } from './match.ts';

/** What is looked for, and where. Terms are found all together; without terms, the filters alone decide. */
export interface SearchQuery {
  readonly terms: readonly SearchTerm[];
  readonly without: readonly SearchTerm[];
  readonly filters: SearchFilters;
}

export interface SearchFilters {
  /** Ids of projects, or parts of their names. */
  readonly projects?: readonly string[];
  /** The id or the name of a branch: what is on the way to its tip. It belongs to one project. */
  readonly branch?: string;
  readonly roles?: readonly Role[];
  /** Beginnings of the words in a model's name. */
  readonly models?: readonly string[];
  /** Made at this time or later; the beginning of an ISO time. */
  readonly from?: string;
  /** Made before this time. */
  readonly to?: string;
  readonly hasFile?: true;
  /** What a person keeps beside the message: each of these must be there. */
  readonly beside?: readonly AnnotationKind[];
}

/** A query that cannot be answered; the message tells what to write instead. */
export class SearchSyntaxError extends BoughError {
  constructor(message: string) {
    super('invalid_search', message);
  }
}

const ROLES: readonly Role[] = ['system', 'user', 'assistant', 'tool'];
const DATE = /^\d{4}(-\d{2}(-\d{2}(T[\d:.]+Z?)?)?)?$/;
/** Longer ones would keep a server busy, and nobody types them. */
const LONGEST_QUERY = 1_000;
const MOST_TERMS = 32;

/** Sentences put these around words; code rarely ends with them. */
const AROUND =
  /^[.,;:!?()[\]{}"'…¿¡，。！？、；：（）「」『』“”‘’«»]+|[.,;:!?()[\]{}"'…，。！？、；：（）「」『』“”‘’«»]+$/gu;

/** What phones, and keyboards of other languages, write for `"`. */
const QUOTE = /[“”„‟«»「」『』＂]/g;

/** A part of what was typed: a filter, a phrase in quotes, or anything up to the next space. */
const PART = /(-?)(?:([a-z]+):)?"([^"]*)("?)|\S+/giu;

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * `words "an exact phrase" -without role:user model:claude in:project branch:main before:2026-01-01 after:… has:file
 * is:starred`.
 * The last word may be the beginning of one, unless a space follows it or it is in quotes; `word*` says so anywhere.
 */
export function parseSearch(typed: string): SearchQuery {
  if (typed.length > LONGEST_QUERY)
    throw new SearchSyntaxError(`A search has at most ${LONGEST_QUERY} characters; this one has ${typed.length}.`);
  const terms: SearchTerm[] = [];
  const without: SearchTerm[] = [];
  const filters: Mutable<SearchFilters> = {};
  for (const match of typed.replace(QUOTE, '"').matchAll(PART)) {
    const [part, minus = '', key, quoted, closed] = match;
    const isLast = match.index + part.length === typed.length;
    if (quoted !== undefined && (key === undefined || isFilter(key))) {
      if (key !== undefined) addFilter(filters, key, quoted, minus);
      else addTerm(minus === '' ? terms : without, quoted, closed === '' && isLast && minus === '');
      continue;
    }
    const named = /^(-?)([a-z]+):(.*)$/iu.exec(part);
    if (named?.[2] !== undefined && isFilter(named[2])) {
      // `role:` alone is being typed.
      if (named[3] !== '' && named[3] !== undefined) addFilter(filters, named[2], named[3], named[1] ?? '');
      continue;
    }
    const leaveOut = /^-[^-\s>=]/u.test(part);
    const word = leaveOut ? part.slice(1) : part;
    addTerm(leaveOut ? without : terms, word.replace(/\*+$/, ''), word.endsWith('*') || (isLast && !leaveOut), true);
  }
  if (terms.length + without.length > MOST_TERMS)
    throw new SearchSyntaxError(`A search has at most ${MOST_TERMS} words; this one has more.`);
  if (terms.length === 0 && without.length > 0)
    throw new SearchSyntaxError('Only words to leave out: add a word to look for.');
  return { terms, without, filters };
}

/** The same with filters that came apart from the words, by their names; each takes what it takes after its colon. */
export function withFilters(query: SearchQuery, given: Readonly<Record<string, string | undefined>>): SearchQuery {
  const filters: Mutable<SearchFilters> = { ...query.filters };
  for (const [key, value] of Object.entries(given)) if (value !== undefined) addFilter(filters, key, value, '');
  return { ...query, filters };
}

/** Whether there is anything to look for. */
export const isEmptySearch = ({ terms, filters }: SearchQuery): boolean =>
  terms.length === 0 && Object.keys(filters).length === 0;

/** A term of this text. `trimmed`: without the punctuation that sentences put around it. */
export function searchTerm(text: string, prefix: boolean, trimmed = false): SearchTerm | null {
  const line = foldLine(text).trim();
  const inner = trimmed ? line.replace(AROUND, '') : line;
  const literal = inner === '' ? line : inner;
  // Punctuation after the word ends it.
  const open = prefix && line.endsWith(literal);
  return literal === '' ? null : { literal, prefix: open, lexemes: neededLexemes(literal, open) };
}

function addTerm(to: SearchTerm[], text: string, prefix: boolean, trimmed = false): void {
  const term = searchTerm(text, prefix, trimmed);
  if (term !== null) to.push(term);
}

const FILTERS: Readonly<Record<string, (filters: Mutable<SearchFilters>, value: string) => void>> = {
  in: (filters, value) => (filters.projects = [...(filters.projects ?? []), value]),
  project: (filters, value) => (filters.projects = [...(filters.projects ?? []), value]),
  branch: (filters, value) => (filters.branch = value),
  role: (filters, value) => (filters.roles = [...(filters.roles ?? []), ...value.split(',').map(roleOf)]),
  model: (filters, value) => (filters.models = [...(filters.models ?? []), value]),
  before: (filters, value) => (filters.to = searchDate(value)),
  after: (filters, value) => (filters.from = searchDate(value)),
  has: (filters, value) => {
    if (/^(files?|attachments?)$/i.test(value)) filters.hasFile = true;
    else addBeside(filters, 'has', value);
  },
  is: (filters, value) => addBeside(filters, 'is', value),
};

const isFilter = (key: string): boolean => Object.hasOwn(FILTERS, key.toLowerCase());

function addFilter(filters: Mutable<SearchFilters>, key: string, value: string, minus: string): void {
  if (minus !== '')
    throw new SearchSyntaxError(`"-${key}:" cannot be left out: "-" is for words. Say what to look for instead.`);
  FILTERS[key.toLowerCase()]?.(filters, value);
}

function roleOf(value: string): Role {
  const role = ROLES.find((known) => known === value.trim().toLowerCase());
  if (role === undefined) throw new SearchSyntaxError(`There is no role "${value}". Roles are ${ROLES.join(', ')}.`);
  return role;
}

/** A year, a month, a day or a time; anything else is refused instead of finding nothing. */
export function searchDate(value: string): string {
  if (DATE.test(value) && !Number.isNaN(Date.parse(value))) return value;
  throw new SearchSyntaxError(`"${value}" is not a date. Write it like 2026-01-31, 2026-01 or 2026.`);
}

const BESIDE: readonly (readonly [RegExp, AnnotationKind])[] = [
  [/^star(s|red)?$/i, 'star'],
  [/^bookmark(s|ed)?$/i, 'bookmark'],
  [/^note(s|d)?$/i, 'note'],
  [/^(verdicts?|votes?|judged)$/i, 'verdict'],
  [/^(questions?|asked)$/i, 'question'],
];

function addBeside(filters: Mutable<SearchFilters>, key: string, value: string): void {
  const kind = BESIDE.find(([pattern]) => pattern.test(value))?.[1];
  if (kind === undefined)
    throw new SearchSyntaxError(
      `There is no filter "${key}:${value}". There are has:file, is:starred, is:bookmarked, has:note, is:judged and has:question.`,
    );
  filters.beside = [...new Set([...(filters.beside ?? []), kind])];
}
