import type { Candidates, Lexeme, ProjectId } from '@bough/core';
import { candidatesOf, matchTexts, OVERFLOW } from '@bough/core';
import type { Place } from '../../search/page.ts';
import { inSearchOrder } from '../../search/page.ts';
import type { Scope } from '../../search/run.ts';
import type { IndexLine } from './index.ts';

/** Keeps the first few in the order of search, whatever comes. */
export class FirstFew<T extends Place> {
  readonly #found: T[] = [];
  readonly #after: Place | null;
  readonly #limit: number;

  constructor(after: Place | null, limit: number) {
    this.#after = after;
    this.#limit = limit;
  }

  /** Whether one at this place could still be among them: asked before more is found out about it. */
  takes(place: Place): boolean {
    if (this.#after !== null && inSearchOrder(place, this.#after) <= 0) return false;
    const last = this.#found[this.#limit - 1];
    return last === undefined || inSearchOrder(place, last) < 0;
  }

  add(place: T): void {
    let at = this.#found.length;
    for (; at > 0; at -= 1) {
      const before = this.#found[at - 1];
      if (before !== undefined && inSearchOrder(before, place) < 0) break;
    }
    this.#found.splice(at, 0, place);
    this.#found.length = Math.min(this.#found.length, this.#limit);
  }

  all(): readonly T[] {
    return this.#found;
  }
}

/** Whether a line has what the query needs. */
export function lineTest({ query }: Scope): (line: Pick<IndexLine, 'lexemes' | 'createdAt'>) => boolean {
  const { words, told }: Candidates = candidatesOf(query);
  const has = (lexemes: string, { text, prefix }: Lexeme): boolean =>
    lexemes.includes(prefix ? ` ${text}` : ` ${text} `);
  return ({ lexemes, createdAt }) =>
    isBetween(query.filters, createdAt) &&
    told.every((group) => group.some((lexeme) => has(lexemes, lexeme))) &&
    (words.every((lexeme) => has(lexemes, lexeme)) || lexemes.includes(` ${OVERFLOW} `));
}

export function isBetween({ from, to }: Scope['query']['filters'], createdAt: string): boolean {
  return (from === undefined || createdAt >= from) && (to === undefined || createdAt < to);
}

/** Names are few and short: they are compared, not indexed. */
export function nameMatches({ query }: Scope, names: readonly string[], createdAt: string): boolean {
  return isBetween(query.filters, createdAt) && matchTexts(names, query.terms, query.without) !== null;
}

export const isIn = ({ projects }: Scope, project: ProjectId): boolean =>
  projects === null || projects.includes(project);
