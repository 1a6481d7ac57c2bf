import { randomUUID } from 'node:crypto';

/**
 * Stands for the escape character in Bough's own instructions to the terminal. Every process makes a new one, so nobody
 * can write it into a file that is shown later.
 */
export const ESCAPE = `\uFDD0${randomUUID()}\uFDD0`;

const CONTROL = /\p{Cc}/gu;
const KEPT: Readonly<Record<string, string>> = { '\n': '\n', '\t': '\t', '\r': '' };

/**
 * What may be shown. Words of a model or of a file may hold escape sequences that would move the cursor or rename the
 * window; they are made visible, not obeyed.
 */
export function shown(text: string): string {
  return text.replaceAll(CONTROL, (character) => KEPT[character] ?? '\uFFFD').replaceAll(ESCAPE, '\u001b');
}
