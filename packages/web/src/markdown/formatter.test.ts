import { describe, expect, it } from 'vitest';
import { MAX_BLOCK, MAX_ELEMENTS, MAX_TEXT, textMs } from './bounds.ts';
import type { FormattedText } from './formatter.ts';
import { createFormatter } from './formatter.ts';
import type { Request } from './messages.ts';
import type { Thread } from './thread.ts';

const prepared = () => Promise.resolve();
const never = new AbortController().signal;

/** A thread whose blocks are lines; a line that says `slow` never arrives, one that says `deep` is too much. */
function lineThread(elements = 1): Thread & { readonly asked: Request[] } {
  const asked: Request[] = [];
  return {
    asked,
    start: () => Promise.resolve(),
    ask: async (request, wanted, _, take) => {
      asked.push(request);
      if (request.kind === 'cut') {
        const blocks = request.text.match(/.+\n*/g)?.map((text) => ({ text, source: text.trim() })) ?? [];
        take({ kind: 'cut', blocks });
        return 1;
      }
      for (const [index, source] of request.sources.entries()) {
        if (source.includes('slow')) return index;
        take({ kind: 'formatted', formatted: source.includes('deep') ? null : { tree: source, elements } });
      }
      return wanted;
    },
  };
}
const shown = (text: FormattedText | null) =>
  text?.parts.map((part) =>
    part.kind === 'tree' ? part.formatted.tree : { [part.gaveUp ? 'plain' : 'as is']: part.text },
  );
const sourcesOf = (asked: readonly Request[]) =>
  asked.flatMap((request) => (request.kind === 'format' ? request.sources : []));

describe('formatting a text', () => {
  it('WEB-33: a block that takes too long or is too much is left as it was written; the others are formatted', async () => {
    const formatter = createFormatter(lineThread(), prepared, () => 0);
    const text = 'a\n\nslow\n\ndeep\n\nb';
    expect(shown(await formatter.format(text, never))).toEqual(['a', { plain: 'slow\n\ndeep\n\n' }, 'b']);
    expect(shown(formatter.peek(text))).toEqual(['a', { plain: 'slow\n\ndeep\n\n' }, 'b']);
  });

  it('WEB-32: a growing text asks only for what is new, and a block that was given up only once', async () => {
    const thread = lineThread();
    const formatter = createFormatter(thread, prepared, () => 0);
    const hostile = `slow${'>'.repeat(600)}`;
    for (const end of ['', '>', '>>', '>>>']) await formatter.format(`a\n\n${hostile}${end}`, never);
    expect(sourcesOf(thread.asked)).toEqual(['a', hostile]);
  });

  it('WEB-33: what is longer than a bound is not even tried', async () => {
    const thread = lineThread();
    const formatter = createFormatter(thread, prepared, () => 0);
    const block = 'x'.repeat(MAX_BLOCK + 1);
    expect(shown(await formatter.format(`a\n\n${block}`, never))).toEqual(['a', { plain: block }]);
    expect(sourcesOf(thread.asked)).toEqual(['a']);
    const text = 'x'.repeat(MAX_TEXT + 1);
    expect(shown(await formatter.format(text, never))).toEqual([{ plain: text }]);
    expect(thread.asked).toHaveLength(2);
  });

  it('WEB-33: a text has room for so many elements; the rest of it is plain', async () => {
    const formatter = createFormatter(lineThread(MAX_ELEMENTS / 2), prepared, () => 0);
    expect(shown(await formatter.format('a\nb\nc\nd', never))).toEqual(['a', 'b', { plain: 'c\nd' }]);
  });

  it('WEB-33: a text whose time is up stays as it was written from there on', async () => {
    let now = 0;
    const formatter = createFormatter(lineThread(), prepared, () => (now += textMs(0) / 3));
    const text = Array.from({ length: 200 }, (_, index) => `line ${index}`).join('\n');
    const parts = shown(await formatter.format(text, never)) ?? [];
    expect(parts[0]).toBe('line 0');
    expect(parts.at(-1)).toEqual({ plain: expect.stringMatching(/line 199$/) });
    expect(parts.length).toBeLessThan(200);
  });

  it('WEB-32: a text that nobody waits for any more is left out; the one that has begun is not', async () => {
    const thread = lineThread();
    const formatter = createFormatter(thread, prepared, () => 0);
    const stop = new AbortController();
    const results = ['a', 'b', 'c'].map((text) => formatter.format(text, text === 'b' ? stop.signal : never));
    stop.abort();
    expect((await Promise.all(results)).map((result) => result?.text)).toEqual(['a', undefined, 'c']);
    expect(sourcesOf(thread.asked)).toEqual(['a', 'c']);
    expect(formatter.beginningOf('cd')?.text).toBe('c');
    expect(formatter.beginningOf('x')).toBeNull();
  });

  it('WEB-29: without a thread texts are shown as they came', async () => {
    const failing: Thread = {
      start: () => Promise.reject(new Error('gone')),
      ask: () => Promise.reject(new Error('gone')),
    };
    const formatter = createFormatter(failing, prepared, () => 0);
    expect(shown(await formatter.format('**a**', never))).toEqual([{ 'as is': '**a**' }]);
  });
});
