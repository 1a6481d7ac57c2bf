import { ESCAPE } from './shown.ts';
import type { Surroundings } from './terminal.ts';

export interface Colours {
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
}

/** Plain text where no person is watching, and wherever NO_COLOR is set. */
export function colours({ isInteractive, env }: Pick<Surroundings, 'isInteractive' | 'env'>): Colours {
  const on = isInteractive && (env['NO_COLOR'] ?? '') === '';
  const paint = (code: number, end: number) => (text: string) =>
    on && text !== '' ? `${ESCAPE}[${code}m${text}${ESCAPE}[${end}m` : text;
  return { dim: paint(2, 22), bold: paint(1, 22), red: paint(31, 39), green: paint(32, 39), yellow: paint(33, 39) };
}
