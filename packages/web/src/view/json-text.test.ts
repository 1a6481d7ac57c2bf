import { expect, it } from 'vitest';
import { beginningOf } from './diff.ts';
import { jsonText } from './json-text.ts';

it('WEB-35: data is indented, unless its depth would make it larger than a page holds', () => {
  expect(jsonText({ a: [1, '{"'] })).toBe('{\n  "a": [\n    1,\n    "{\\""\n  ]\n}');
  let deep: unknown = 0;
  for (let depth = 0; depth < 3_000; depth += 1) deep = [deep];
  expect(jsonText(deep)).toBe(`${'['.repeat(3_000)}0${']'.repeat(3_000)}`);
});

it('WEB-35: data that cannot be written at all is a mark, not an error', () => {
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  expect(jsonText(circle)).toBe('…');
});

it('WEB-35: of a difference only so much is shown as a page lays out at once', () => {
  const line = (length: number) => ({ kind: 'added' as const, text: 'x'.repeat(length) });
  const lengths = (given: readonly number[]) =>
    beginningOf(given.map(line)).map((shown) => (shown.kind === 'gap' ? 0 : shown.text.length));
  expect(lengths([3, 5_000_000, 3])).toEqual([3, 20_001]);
  expect(lengths(Array.from({ length: 3_000 }, () => 1))).toHaveLength(1_500);
  expect(lengths(Array.from({ length: 30 }, () => 15_000)).length).toBe(14);
});
