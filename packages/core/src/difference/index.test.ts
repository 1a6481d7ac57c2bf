import { describe, expect, it } from 'vitest';
import { diffLines, diffWords } from './index.ts';

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

  it('DF-3: words that changed are found inside their line, and a change of several words is one', () => {
    expect(diffWords('The sky is blue today.\nSo it is.', 'The sky looks very grey today.\nSo it is.')).toEqual([
      { kind: 'same', text: 'The sky ' },
      { kind: 'removed', text: 'is blue' },
      { kind: 'added', text: 'looks very grey' },
      { kind: 'same', text: ' today.\nSo it is.' },
    ]);
    expect(diffWords('天空是蓝色的', '天空是灰色的')).toContainEqual({ kind: 'removed', text: '蓝色' });
    expect(diffWords('', '')).toEqual([]);
  });

  it('DF-3: the runs join to either text', () => {
    const random = seeded(11);
    const text = (): string =>
      Array.from(
        { length: Math.floor(random() * 14) },
        () => ['a', 'b ', '\n', ', ', 'cd'][Math.floor(random() * 5)],
      ).join('');
    for (let round = 0; round < 300; round += 1) {
      const [before, after] = [text(), text()];
      const runs = diffWords(before, after);
      const kept = (drop: string): string => runs.flatMap((run) => (run.kind === drop ? [] : [run.text])).join('');
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
