import { parseSearch } from '@bough/core';
import type { SearchPage } from '@bough/store';
import type { Contest, Contestant } from '../frame/contest.ts';
import type { Stock } from './stock.ts';
import { COMMON, PHRASE, RARE, RARER } from './stock.ts';

const PAGE = 20;
const SEARCHES = 20;
const FLOOR = 'ILIKE';
/** What takes seconds for one search need not do so twenty times. */
const BUDGET_MS = 3_000;
/** What a person does not wait for. */
const GOAL = [{ atMost: 100, absolute: true }] as const;

interface Question {
  readonly work: string;
  readonly words: readonly string[];
  readonly phrase: boolean;
  /** How many the first page has at least. */
  readonly found: number;
}

const QUESTIONS: readonly Question[] = [
  { work: 'search: common word', words: COMMON, phrase: false, found: PAGE },
  { work: 'search: word in a thousand', words: [RARER], phrase: false, found: PAGE },
  { work: 'search: rare word', words: [RARE], phrase: false, found: 3 },
  { work: 'search: phrase', words: [PHRASE], phrase: true, found: 3 },
];

export const WORKS: readonly string[] = QUESTIONS.map(({ work }) => work);

export function contestsIn(stock: Stock, size: string, rounds: number): readonly Contest[] {
  return QUESTIONS.map((question) => ({
    work: question.work,
    size,
    unit: 'ms',
    rounds,
    // A phrase of common words has to be looked for in the texts.
    ...(question.phrase ? {} : { goals: GOAL }),
    contestants: [bough(stock, question), ilike(stock, question), ...inMemory(stock, question)],
  }));
}

function bough({ store }: Stock, question: Question): Contestant {
  return searcher('Bough', 'bough', question, async (word) => {
    const query = parseSearch(question.phrase ? `"${word}"` : `${word} `);
    let hits = 0;
    // A page ends after a thousand messages that do not match; a person would ask for the next one.
    for (let cursor: string | null | undefined; cursor !== null && hits < question.found;) {
      const page: SearchPage = await store.search({ query, limit: PAGE, ...(cursor !== undefined && { cursor }) });
      hits += page.hits.length;
      ({ cursor } = page);
    }
    return hits;
  });
}

/** What one would write without an index: any text that contains the word, newest first. */
function ilike({ server, schema }: Stock, question: Question): Contestant {
  return searcher(FLOOR, 'floor', question, async (word) => {
    const rows = await server.query(`SELECT id, content_blocks FROM ${schema}.nodes
      WHERE content_blocks ILIKE '%${word}%' ORDER BY created_at COLLATE "C" DESC, id DESC LIMIT ${PAGE}`);
    return rows.length;
  });
}

/** It has no phrases: all words, in any order. */
function inMemory({ inMemory: index }: Stock, question: Question): readonly Contestant[] {
  if (index === null) return [];
  return [
    searcher(
      'MiniSearch',
      'peer',
      question,
      async (word) => index.search(word, { combineWith: 'AND' }).slice(0, PAGE).length,
    ),
  ];
}

/** The 95th percentile of some searches, each of which found what is there. */
function searcher(
  name: string,
  role: Contestant['role'],
  { words, found }: Question,
  search: (word: string) => Promise<number>,
): Contestant {
  return {
    name,
    role,
    run: async () => {
      const times: number[] = [];
      const begun = performance.now();
      for (let at = 0; at < SEARCHES; at += 1) {
        const start = performance.now();
        const hits = await search(words[at % words.length] ?? '');
        times.push(performance.now() - start);
        if (hits < found) throw new Error(`${name} found ${hits} of ${found} for ${words.join(', ')}.`);
        if (performance.now() - begun > BUDGET_MS) break;
      }
      times.sort((a, b) => a - b);
      return times[Math.ceil(times.length * 0.95) - 1] ?? Number.NaN;
    },
  };
}
