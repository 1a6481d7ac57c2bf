import { describe, expect, it } from 'vitest';
import { calculate } from './calculator.ts';

describe('calculate', () => {
  it.each([
    ['2+3*4', 14],
    ['(2 + 3) * 4', 20],
    ['2^3^2', 512],
    ['-2^2', -4],
    ['2^-1', 0.5],
    ['7 % 4', 3],
    ['10/4', 2.5],
    ['1e3 + .5', 1000.5],
    ['5!', 120],
    ['sqrt(16) + max(1, 2, 3)', 7],
    ['2*pi', 2 * Math.PI],
    ['--3', 3],
    ['2**3', 8],
  ])('TL-1: %s is %d', (expression, expected) => {
    expect(calculate(expression)).toBeCloseTo(expected, 12);
  });

  it.each([
    '',
    '2+',
    '(1',
    '1)',
    '2 3',
    'process.exit()',
    'constructor',
    '__proto__',
    'toString()',
    '1/0',
    'sqrt(-1)',
    '1.5!',
    'sin',
    `${'('.repeat(500)}1`,
    'a'.repeat(5000),
    '2 & 3',
  ])('TL-2: "%s" is an error that says why', (expression) => {
    expect(() => calculate(expression)).toThrow(/\w+/);
  });
});
