import { neighbourlyId } from '@bough/engine';

/** One question and its answer, as every contestant stores it. */
export interface TurnPayload {
  readonly id: string;
  readonly question: Message;
  readonly answer: Message;
  /** What the provider sent, event by event. */
  readonly raw: readonly string[];
}

export interface Message {
  /**
   * Ids as Bough makes them, for every contestant: where a row lands in an index must not be easier for one of them.
   */
  readonly id: string;
  readonly parentId: string | null;
  readonly role: 'user' | 'assistant';
  readonly thinking: string;
  readonly text: string;
}

const WORDS =
  `the of and to in is that for it as was with be by on not he his but at are this have from or had an they which one you
were all her she there would their we him been has when who will no more if out so up said what its about than into them can only other
time new some could these two may first then do any like my now over such our man me even most made after also did many off before must
well back through years much where your way down should because long each just state those people too mr how little good world make very
year still see own work men day get here old life both between being under three never know same last another while us might great go
come since against right came take used himself few house use place during high without again home around small however found mrs part
school thought went say general once upon war every water system branch reason model answer provider signature prefix request reply tool
measure database index page cache commit stream event context summary history project question number result value change order`.split(
    /\s+/,
  );

/** Random but repeatable words: every contestant stores the same sentences. */
export class Writer {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** Consecutive turns, the first one after `tip`; dated now unless times are given. */
  conversation(tip: string | null, turns: number, timeOf: (nth: number) => number = Date.now): readonly TurnPayload[] {
    const written: TurnPayload[] = [];
    for (let at = 0; at < turns; at += 1) written.push(this.#turn(written.at(-1)?.answer.id ?? tip, timeOf(at)));
    return written;
  }

  #turn(parentId: string | null, now: number): TurnPayload {
    const question: Message = { id: neighbourlyId(now), parentId, role: 'user', thinking: '', text: this.#words(16) };
    const thinking = this.#words(30);
    const text = this.#words(45);
    const answer: Message = { id: neighbourlyId(now), parentId: question.id, role: 'assistant', thinking, text };
    return { id: neighbourlyId(now), question, answer, raw: eventsOf(thinking, text) };
  }

  #words(count: number): string {
    return Array.from({ length: count }, () => WORDS[this.#below(WORDS.length)]).join(' ');
  }

  /** Linear congruential: good enough for choosing words. */
  #below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }
}

const WORDS_AN_EVENT = 3;

function eventsOf(thinking: string, text: string): readonly string[] {
  const deltas = (type: string, field: string, whole: string): readonly string[] =>
    pieces(whole).map((piece) =>
      JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type, [field]: piece } }),
    );
  return [...deltas('thinking_delta', 'thinking', thinking), ...deltas('text_delta', 'text', text)];
}

function pieces(text: string): readonly string[] {
  const words = text.split(/(?<= )/);
  return Array.from({ length: Math.ceil(words.length / WORDS_AN_EVENT) }, (_, at) =>
    words.slice(at * WORDS_AN_EVENT, (at + 1) * WORDS_AN_EVENT).join(''),
  );
}

/** Every message in the order of the conversation. */
export function messagesOf(turns: readonly TurnPayload[]): readonly Message[] {
  return turns.flatMap(({ question, answer }) => [question, answer]);
}

export function tipOf(turns: readonly TurnPayload[]): string {
  const newest = turns.at(-1);
  if (newest === undefined) throw new Error('A conversation without turns has no tip.');
  return newest.answer.id;
}

/** As most programs keep it: blocks of thinking and text. */
export function blocksOf({
  thinking,
  text,
}: Message): readonly (
  | { readonly type: 'thinking'; readonly thinking: string }
  | { readonly type: 'text'; readonly text: string }
)[] {
  return [...(thinking === '' ? [] : [{ type: 'thinking' as const, thinking }]), { type: 'text' as const, text }];
}
