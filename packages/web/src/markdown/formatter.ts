import type { Block } from './blocks.ts';
import { blockMs, MAX_BLOCK, MAX_ELEMENTS, MAX_TEXT, textMs } from './bounds.ts';
import type { Memory } from './memory.ts';
import { createMemory } from './memory.ts';
import type { Thread } from './thread.ts';
import type { Formatted } from './tree.ts';

/** A part of a text: formatted, or as it was written. */
export type Part =
  | { readonly kind: 'tree'; readonly text: string; readonly formatted: Formatted }
  /** `gaveUp`: it was tried, and is too much to format. */
  | { readonly kind: 'plain'; readonly text: string; readonly gaveUp: boolean };

export interface FormattedText {
  readonly text: string;
  readonly parts: readonly Part[];
}

export interface Formatter {
  /** What is already known. */
  readonly peek: (text: string) => FormattedText | null;
  /** The newest known result for a beginning of this text: a streaming reply always has one. */
  readonly beginningOf: (text: string) => FormattedText | null;
  /** Never rejects. Null if `signal` was aborted before this text's turn came. */
  readonly format: (text: string, signal: AbortSignal) => Promise<FormattedText | null>;
}

/**
 * Blocks that are requested at once: enough that the hand-over does not dominate, few enough that one message does not
 * keep all others waiting.
 */
const BATCH = 40;
/** Characters, and elements weighted by what they take. */
const REMEMBERED = 4_000_000;
const weightOf = (text: string, elements: number): number => 100 + text.length + 20 * elements;
/**
 * A streaming block is given up once, not once per word. Shorter ones are tried again: they may be fine once they are
 * complete.
 */
const HOPELESS_LENGTH = 500;
const HOPELESS_COUNT = 50;

export const asWritten = (text: string, gaveUp: boolean): FormattedText => ({
  text,
  parts: text === '' ? [] : [{ kind: 'plain', text, gaveUp }],
});

function elementsOf({ parts }: FormattedText): number {
  return parts.reduce((sum, part) => sum + (part.kind === 'tree' ? part.formatted.elements : 0), 0);
}

/** Adjacent plain parts are merged, so that the reader is told only once. */
function putPlain(parts: Part[], text: string): void {
  const before = parts.at(-1);
  if (before?.kind === 'plain') parts[parts.length - 1] = { ...before, text: before.text + text };
  else parts.push({ kind: 'plain', text, gaveUp: true });
}

/**
 * Formats texts one after the other on another thread, within limits on time and size, and remembers the newest.
 * `prepare` loads what displays them: a text counts as formatted when it can be shown at once.
 */
export function createFormatter(thread: Thread, prepare: () => Promise<unknown>, now: () => number): Formatter {
  const texts = createMemory<FormattedText>(REMEMBERED);
  const blocks: Memory<Formatted | 'too much'> = createMemory(REMEMBERED);
  const hopeless: string[] = [];
  let last: Promise<unknown> = Promise.resolve();

  const giveUp = (source: string): void => {
    blocks.set(source, 'too much', weightOf(source, 0));
    if (source.length < HOPELESS_LENGTH) return;
    hopeless.push(source);
    if (hopeless.length > HOPELESS_COUNT) hopeless.shift();
  };
  const isHopeless = (source: string): boolean =>
    source.length > MAX_BLOCK || hopeless.some((beginning) => source.startsWith(beginning));

  const cut = async (text: string): Promise<readonly Block[]> => {
    let found: readonly Block[] | null = null;
    await thread.ask({ kind: 'cut', text }, 1, blockMs(text.length), (answer) => {
      if (answer.kind === 'cut') found = answer.blocks;
    });
    return found ?? [{ text, source: text }];
  };

  const formatBlocks = async (sources: readonly string[], deadline: number): Promise<void> => {
    let open = [...new Set(sources)].filter((source) => blocks.get(source) === undefined);
    for (const source of open.filter(isHopeless)) blocks.set(source, 'too much', weightOf(source, 0));
    open = open.filter((source) => !isHopeless(source));
    while (open.length > 0 && now() < deadline) {
      const asked = open;
      let at = 0;
      const budget = blockMs(Math.max(...asked.map(({ length }) => length)));
      const count = await thread.ask({ kind: 'format', sources: asked }, asked.length, budget, (answer) => {
        const source = asked[at];
        at += 1;
        if (answer.kind !== 'formatted' || source === undefined) return;
        if (answer.formatted === null) giveUp(source);
        else blocks.set(source, answer.formatted, weightOf(source, answer.formatted.elements));
      });
      const late = asked[count];
      if (late !== undefined) giveUp(late);
      open = asked.slice(count + 1);
    }
  };

  const work = async (text: string): Promise<FormattedText> => {
    const deadline = now() + textMs(text.length);
    const pieces = await cut(text);
    const parts: Part[] = [];
    let room = MAX_ELEMENTS;
    for (let from = 0; from < pieces.length; from += BATCH) {
      const batch = pieces.slice(from, from + BATCH);
      await formatBlocks(
        batch.map(({ source }) => source),
        deadline,
      );
      for (const [index, piece] of batch.entries()) {
        const formatted = blocks.get(piece.source);
        if (formatted === undefined || (formatted !== 'too much' && formatted.elements > room)) {
          const rest = pieces.slice(from + index).map((each) => each.text);
          putPlain(parts, rest.join(''));
          return { text, parts };
        }
        if (formatted === 'too much') putPlain(parts, piece.text);
        else {
          room -= formatted.elements;
          parts.push({ kind: 'tree', text: piece.text, formatted });
        }
      }
    }
    return { text, parts };
  };

  const attempt = async (text: string): Promise<FormattedText> => {
    if (text.length > MAX_TEXT) return asWritten(text, true);
    try {
      await prepare();
      return await work(text);
    } catch (error) {
      console.warn('Texts are shown as they came, because nothing can be formatted.', error);
      return asWritten(text, false);
    }
  };

  return {
    peek: (text) => texts.get(text) ?? null,
    beginningOf: (text) => texts.newest(5).find((known) => known.text !== '' && text.startsWith(known.text)) ?? null,
    format: (text, signal) => {
      const next = last.then(async () => {
        const known = texts.get(text);
        if (known !== undefined || signal.aborted) return known ?? null;
        const made = await attempt(text);
        texts.set(text, made, weightOf(text, elementsOf(made)));
        return made;
      });
      last = next;
      return next;
    },
  };
}
