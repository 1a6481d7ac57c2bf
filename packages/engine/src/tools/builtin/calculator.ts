import type { Tool } from '../tool.ts';

const FUNCTIONS: Readonly<Record<string, (...values: number[]) => number>> = {
  sqrt: Math.sqrt,
  abs: Math.abs,
  round: Math.round,
  floor: Math.floor,
  ceil: Math.ceil,
  ln: Math.log,
  log: Math.log10,
  exp: Math.exp,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  min: Math.min,
  max: Math.max,
};
const CONSTANTS: Readonly<Record<string, number>> = { pi: Math.PI, e: Math.E };
const TOKEN = /\s*(?:(\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)|([a-z]+)|(\*\*|[-+*/%^(),!]))/iy;
const MAX_LENGTH = 2_000;
const MAX_DEPTH = 100;

/**
 * Evaluates an arithmetic expression. Parsed here rather than by the JavaScript engine: a model's text must never
 * become code.
 */
export function calculate(expression: string): number {
  if (expression.length > MAX_LENGTH) throw new Error(`The expression is longer than ${MAX_LENGTH} characters.`);
  const parser = new Parser(tokenize(expression));
  const value = parser.sum(0);
  parser.expectEnd();
  if (!Number.isFinite(value)) throw new Error('The result is not a finite number.');
  return value;
}

function tokenize(expression: string): readonly string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < expression.trimEnd().length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(expression);
    if (match === null) throw new Error(`Unexpected "${expression.slice(at).trim().charAt(0)}".`);
    tokens.push((match[1] ?? match[2] ?? match[3] ?? '').toLowerCase());
  }
  return tokens;
}

/** sum: product (+|- product)*; product: power (*|/|% power)*; power: unary (^ power)?; unary: -unary | atom!* */
class Parser {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  sum(depth: number): number {
    if (depth > MAX_DEPTH) throw new Error('The expression is nested too deeply.');
    let value = this.#product(depth);
    for (let sign = this.#take('+', '-'); sign !== null; sign = this.#take('+', '-')) {
      const next = this.#product(depth);
      value = sign === '+' ? value + next : value - next;
    }
    return value;
  }

  expectEnd(): void {
    const left = this.#tokens[this.#at];
    if (left !== undefined) throw new Error(`Unexpected "${left}".`);
  }

  #product(depth: number): number {
    let value = this.#unary(depth);
    for (let sign = this.#take('*', '/', '%'); sign !== null; sign = this.#take('*', '/', '%')) {
      const next = this.#unary(depth);
      value = sign === '*' ? value * next : sign === '/' ? value / next : value % next;
    }
    return value;
  }

  // -2^2 is -4, as on paper; 2^-1 is allowed.
  #unary(depth: number): number {
    if (depth > MAX_DEPTH) throw new Error('The expression is nested too deeply.');
    if (this.#take('-') !== null) return -this.#unary(depth + 1);
    if (this.#take('+') !== null) return this.#unary(depth + 1);
    const base = this.#factorial(depth);
    return this.#take('^', '**') === null ? base : base ** this.#unary(depth + 1);
  }

  #factorial(depth: number): number {
    let value = this.#atom(depth);
    while (this.#take('!') !== null) value = factorial(value);
    return value;
  }

  #atom(depth: number): number {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw new Error('The expression ends too early.');
    this.#at += 1;
    if (token === '(') {
      const value = this.sum(depth + 1);
      this.#close();
      return value;
    }
    if (/^[\d.]/.test(token)) return Number(token);
    const constant = Object.hasOwn(CONSTANTS, token) ? CONSTANTS[token] : undefined;
    if (constant !== undefined) return constant;
    const fn = Object.hasOwn(FUNCTIONS, token) ? FUNCTIONS[token] : undefined;
    if (fn === undefined || this.#take('(') === null) throw new Error(`Unexpected "${token}".`);
    const values = [this.sum(depth + 1)];
    while (this.#take(',') !== null) values.push(this.sum(depth + 1));
    this.#close();
    return fn(...values);
  }

  #close(): void {
    if (this.#take(')') === null) throw new Error('A closing bracket is missing.');
  }

  #take(...wanted: readonly string[]): string | null {
    const token = this.#tokens[this.#at];
    if (token === undefined || !wanted.includes(token)) return null;
    this.#at += 1;
    return token;
  }
}

function factorial(value: number): number {
  if (!Number.isInteger(value) || value < 0 || value > 170)
    throw new Error('A factorial needs a whole number from 0 to 170.');
  let product = 1;
  for (let factor = 2; factor <= value; factor += 1) product *= factor;
  return product;
}

export const calculator: Tool = {
  source: 'built-in',
  definition: {
    name: 'calculator',
    description:
      'Evaluates an arithmetic expression: + - * / % ^ !, brackets, pi, e, sqrt, abs, round, floor, ceil, ln, log, exp, sin, cos, tan, min, max.',
    inputSchema: {
      type: 'object',
      properties: { expression: { type: 'string', description: 'For example (2 + 3) * 4 ^ 2' } },
      required: ['expression'],
      additionalProperties: false,
    },
  },
  run: async ({ expression }) => String(calculate(String(expression))),
};
