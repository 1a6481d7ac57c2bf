import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isNestedTooDeep, MAX_NESTING } from './index.ts';

const nested = (levels: number): string => `${'['.repeat(levels)}1${']'.repeat(levels)}`;

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe('isNestedTooDeep', () => {
  test('NE-1 tells a text that is nested too deep, at the very level', () => {
    expect(isNestedTooDeep(nested(MAX_NESTING))).toBe(false);
    expect(isNestedTooDeep(nested(MAX_NESTING + 1))).toBe(true);
    expect(isNestedTooDeep(`{"a":${nested(MAX_NESTING)}}`)).toBe(true);
    expect(isNestedTooDeep('['.repeat(5_000_000))).toBe(true);
  });

  test('NE-1 brackets inside of strings do not count, whatever is escaped before them', () => {
    const long = '['.repeat(2 * MAX_NESTING);
    expect(isNestedTooDeep(JSON.stringify([long, `${long}\\`, `"${long}`, `\\"${long}`]))).toBe(false);
    expect(isNestedTooDeep(`["\\\\",${nested(MAX_NESTING)}]`)).toBe(true);
    expect(isNestedTooDeep(`"${long}`)).toBe(false);
  });

  test('NE-1 what JSON writes of a shallow value is never too deep', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, text) => {
        const padded = JSON.stringify([value, text.repeat(2 * MAX_NESTING)]);
        expect(isNestedTooDeep(padded)).toBe(depthOf(value) >= MAX_NESTING);
      }),
    );
  });
});
