import { describe, expect, it } from 'vitest';
import { diffLines } from './index.ts';

const numbers = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => `line ${from + index}`).join('\n');

describe('difference of two texts', () => {
  it('DF-1: a text that only grew shows what was added and folds the rest', () => {
    const diff = diffLines(numbers(0, 50), `${numbers(0, 50)}\nnew`);
    expect(diff).toEqual({
      added: 1,
      removed: 0,
      lines: [
        { kind: 'gap', count: 48 },
        { kind: 'same', text: 'line 48' },
        { kind: 'same', text: 'line 49' },
        { kind: 'added', text: 'new' },
      ],
    });
  });

  it('DF-1: applying the difference to the old text gives the new one', () => {
    const random = seeded(7);
    const text = (): string =>
      Array.from({ length: Math.floor(random() * 12) }, () => 'abc'[Math.floor(random() * 3)]).join('\n');
    for (let round = 0; round < 300; round += 1) {
      const [before, after] = [text(), text()];
      const { lines } = diffLines(before, after);
      const gaps = lines.some((line) => line.kind === 'gap');
      if (gaps) continue;
      const kept = (drop: string): string =>
        lines.flatMap((line) => (line.kind === 'gap' || line.kind === drop ? [] : [line.text])).join('\n');
      expect(kept('added')).toBe(before);
      expect(kept('removed')).toBe(after);
    }
  });

  it('DF-2: two long texts without anything in common are shown as replaced, at once', () => {
    const diff = diffLines(numbers(0, 3000), numbers(5000, 8000));
    expect([diff.added, diff.removed]).toEqual([3000, 3000]);
  });

  it('DF-1: an empty text has no line: everything was added', () => {
    expect(diffLines('', 'one\ntwo')).toMatchObject({ added: 2, removed: 0 });
    expect(diffLines('same', 'same')).toEqual({ added: 0, removed: 0, lines: [{ kind: 'gap', count: 1 }] });
  });
});

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}
