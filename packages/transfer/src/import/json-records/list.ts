import { Grammar, isSpace } from './grammar.ts';
import { Held } from './held.ts';
import { parsed } from './parsed.ts';
import type { Outcome } from './parsed.ts';
import type { Resemblance } from './resemblance.ts';

/** As much of the end of a text as may be the beginning of a record that goes on in the next one. */
const TAIL = 1_000;

/**
 * `element`: in one. `lost`: in one that is torn or too long; the next record is found where this one ends, or where
 * something begins like a record. `seeking`: after a piece of a torn record, where no end can be told any more.
 */
type Mode = 'before' | 'no list' | 'element' | 'lost' | 'seeking' | 'ended';

/** The elements of a list, as its text comes in. A torn one is named, and the next whole one is found. */
export class ListReader {
  #mode: Mode = 'before';
  readonly #grammar = new Grammar();
  /** The element so far, without the text that is being read. */
  readonly #held: Held;
  readonly #resemblance: Resemblance;
  /** Whether what comes may be a piece of a torn record. */
  #isDoubtful = false;
  /** Whether it was said that pieces are left out. */
  #isDoubtNamed = false;
  /** Whether the element was found by its beginning alone. */
  #isGuessed = false;
  /** The end of what was passed over, which may be the beginning of the beginning of a record. */
  #tail = '';
  #outcomes: Outcome[] = [];

  constructor(longest: number, resemblance: Resemblance) {
    this.#held = new Held(longest);
    this.#resemblance = resemblance;
  }

  push(text: string): readonly Outcome[] {
    this.#outcomes = [];
    for (let rest = text; rest !== '';) rest = this.#read(rest);
    return this.#outcomes;
  }

  end(): readonly Outcome[] {
    this.#outcomes = [];
    // What looked like a part of the last element may hold whole records: after each torn one there is less of it.
    for (let isAgain = this.#atEnd(true); isAgain;) isAgain = this.#atEnd(false);
    return this.#outcomes;
  }

  /** Reads a part of the text, and returns what is left of it. */
  #read(text: string): string {
    switch (this.#mode) {
      case 'before':
        return this.#begin(text);
      case 'no list':
        this.#held.add(text);
        return '';
      case 'element':
        return this.#inElement(text);
      case 'lost':
        return this.#whileLost(text);
      case 'seeking':
        return this.#seek(text);
      case 'ended':
        return this.#afterEnd(text);
    }
  }

  #begin(text: string): string {
    const at = firstOf(text, (code) => !isSpace(code));
    if (at < 0) return '';
    const isList = text.charAt(at) === '[';
    this.#mode = isList ? 'element' : 'no list';
    return text.slice(isList ? at + 1 : at);
  }

  #inElement(text: string): string {
    const at = this.#grammar.follow(text, 0);
    const { isBroken, isWhole } = this.#grammar;
    if (at === text.length) {
      if (this.#held.isFullWith(text)) return this.#overlong(`${this.#held.take() ?? ''}${text}`);
      this.#held.add(text);
      return '';
    }
    if (isBroken && !isWhole) {
      this.#held.add(text.slice(0, at + 1));
      return this.#torn(text.slice(at + 1));
    }
    this.#held.add(text.slice(0, at));
    this.#enter(text.charAt(at) === ']' && !isBroken ? 'ended' : 'element');
    this.#whole(this.#held.take());
    if (!isBroken) return text.slice(at + 1);
    if (!this.#isDoubtful) this.#outcomes.push({ error: 'Something else than a comma follows the record before it.' });
    this.#isDoubtful = true;
    return text.slice(at);
  }

  #whole(text: string | null): void {
    const isGuessed = this.#isGuessed;
    this.#isGuessed = false;
    if (text?.trim() === '') return;
    const outcome = parsed(text);
    const isPiece = this.#isDoubtful && !('value' in outcome && this.#resemblance.isLike(outcome.value));
    if (!isPiece) this.#take(text ?? '', outcome);
    else if (isGuessed) this.#enter('seeking');
    else this.#nameDoubt();
  }

  #take(text: string, outcome: Outcome): void {
    this.#outcomes.push(outcome);
    if (!('value' in outcome)) return;
    this.#isDoubtful = false;
    this.#isDoubtNamed = false;
    this.#resemblance.learn(text, outcome.value);
  }

  #nameDoubt(): void {
    if (!this.#isDoubtNamed)
      this.#outcomes.push({ error: 'It cannot be told from a piece of the torn record before it.' });
    this.#isDoubtNamed = true;
  }

  #torn(rest: string): string {
    const text = this.#held.take() ?? '';
    if (!this.#isDoubtful || this.#isGuessed) this.#outcomes.push(parsed(text));
    else this.#nameDoubt();
    return this.#lose(text, rest);
  }

  #overlong(text: string): string {
    if (!this.#isDoubtful || this.#isGuessed) this.#outcomes.push(parsed(null));
    return this.#lose(text, '');
  }

  /** What follows the beginning of a lost element may already be the next record. */
  #lose(text: string, rest: string): string {
    this.#resemblance.begin(text);
    this.#isDoubtful = true;
    // Not its own beginning, which would be found again.
    const own = text.length - text.trimStart().length + 1;
    const next = this.#resemblance.next(text, own);
    if (next >= 0) return this.#guess(text.slice(next) + rest);
    if (this.#isGuessed) this.#enter('seeking');
    else this.#mode = 'lost';
    this.#isGuessed = false;
    this.#tail = text.slice(own).slice(-TAIL);
    return rest;
  }

  #guess(text: string): string {
    this.#enter('element');
    this.#isGuessed = true;
    return text;
  }

  #enter(mode: Mode): void {
    this.#mode = mode;
    this.#grammar.reset();
    this.#tail = '';
  }

  #whileLost(text: string): string {
    const at = this.#grammar.follow(text, 0);
    // It may have begun in the text before; a beginning that was judged already is not found again.
    const before = this.#tail;
    const next = this.#resemblance.next(before + text, 0);
    if (next >= 0 && next < before.length + at) return this.#guess((before + text).slice(next));
    this.#tail = (before + text).slice(-TAIL);
    if (at === text.length) return '';
    // Broken only now: it was too long, and then torn as well.
    if (this.#grammar.isBroken && text.charAt(at) !== ',' && text.charAt(at) !== ']') return text.slice(at + 1);
    this.#enter(text.charAt(at) === ']' ? 'ended' : 'element');
    return text.slice(at + 1);
  }

  #seek(text: string): string {
    const all = this.#tail + text;
    const next = this.#resemblance.next(all, 0);
    if (next >= 0) return this.#guess(all.slice(next));
    this.#tail = all.slice(-TAIL);
    return '';
  }

  #afterEnd(text: string): string {
    const at = firstOf(text, (code) => !isSpace(code));
    if (at < 0) return '';
    if (!this.#isDoubtful) this.#outcomes.push({ error: 'Something follows the end of the list.' });
    this.#isDoubtful = true;
    this.#enter('seeking');
    return text.slice(at);
  }

  /** Of what the last element holds, pieces that are torn with it are not named again. */
  #atEnd(isFirst: boolean): boolean {
    const text = this.#held.take();
    const mode = this.#mode;
    if (mode === 'no list') this.#outcomes.push(parsed(text));
    if (mode !== 'element') return false;
    if (text === null || text.trim() === '') {
      if (!this.#isDoubtful) this.#outcomes.push({ error: 'The file ends in the middle of its list.' });
      return false;
    }
    const outcome = parsed(text);
    if ('value' in outcome) {
      this.#whole(text);
      return true;
    }
    if (!this.#isDoubtful || (isFirst && this.#isGuessed)) this.#outcomes.push(outcome);
    this.#isGuessed = true;
    for (let rest = this.#lose(text, ''); rest !== '';) rest = this.#read(rest);
    return true;
  }
}

function firstOf(text: string, isIt: (code: number) => boolean): number {
  for (let at = 0; at < text.length; at += 1) if (isIt(text.charCodeAt(at))) return at;
  return -1;
}
