import { linesFrom } from './imported.ts';

/** The same numbers for the same seed. */
export function randomOf(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) >>> 0;
    return state % below;
  };
}

export interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

export function placesIn(value: unknown): readonly Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesIn(holder[key])]);
}

const WRONG: readonly unknown[] = [7, 'x', true, [null], [[]], { a: 1 }, '\ud800', -1e300];
const typeOf = (value: unknown): string => (Array.isArray(value) ? 'list' : typeof value);

export function textOf(source: unknown, isLines: boolean): string {
  return isLines && Array.isArray(source) ? linesFrom(source) : JSON.stringify(source);
}

/** A file in which something is cut off, missing, overwritten, or of another type. */
export function damaged(source: unknown, isLines: boolean, seed: number): string {
  const random = randomOf(seed);
  const whole = textOf(source, isLines);
  const at = 1 + random(whole.length - 2);
  switch (seed % 8) {
    case 0:
      return whole.slice(0, at);
    case 1:
      return whole.slice(0, at) + whole.slice(at + 1 + random(200));
    case 2:
      return whole.slice(0, at) + '}]",{[:x'.charAt(random(8)) + whole.slice(at + 1);
    default: {
      const value: unknown = JSON.parse(JSON.stringify(source));
      const places = placesIn(value);
      const { holder, key } = places[random(places.length)] ?? { holder: {}, key: '' };
      const others = WRONG.filter((wrong) => typeOf(wrong) !== typeOf(holder[key]));
      holder[key] = others[random(others.length)];
      return textOf(value, isLines);
    }
  }
}

/** Every text in the file; null where it is no longer JSON. */
export function textsIn(text: string, isLines: boolean): ReadonlySet<string> | null {
  const found = new Set<string>();
  const gather = (value: unknown): void => {
    if (typeof value === 'string') found.add(value);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(gather);
  };
  try {
    for (const each of isLines ? text.split('\n') : [text]) gather(JSON.parse(each));
    return found;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
