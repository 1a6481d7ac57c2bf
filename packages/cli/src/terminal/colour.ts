import type { Terminal } from './terminal.ts';

export interface Colours {
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
}

/** Plain text where nobody looks, and wherever NO_COLOR is set. */
export function colours({ isInteractive, env }: Pick<Terminal, 'isInteractive' | 'env'>): Colours {
  const on = isInteractive && (env['NO_COLOR'] ?? '') === '';
  const paint = (code: number, end: number) => (text: string) =>
    on && text !== '' ? `\u001b[${code}m${text}\u001b[${end}m` : text;
  return { dim: paint(2, 22), bold: paint(1, 22), red: paint(31, 39), green: paint(32, 39), yellow: paint(33, 39) };
}

const CONTROL = /\p{Cc}/gu;
const KEPT: Readonly<Record<string, string>> = { '\n': '\n', '\t': '\t', '\r': '' };

/** Words of a model or of a file may hold escape sequences that would move the cursor or rename the window; they are shown, not obeyed. */
export function harmless(text: string): string {
  return text.replaceAll(CONTROL, (character) => KEPT[character] ?? '\uFFFD');
}
