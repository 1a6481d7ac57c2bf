import { randomUUID } from 'node:crypto';

/**
 * Stands for the escape character in what Bough itself wants the terminal to do. It is made anew by every process, so
 * nobody can write it into a file that is shown later.
 */
export const ESCAPE = `\uFDD0${randomUUID()}\uFDD0`;

const CONTROL = /\p{Cc}/gu;
const KEPT: Readonly<Record<string, string>> = { '\n': '\n', '\t': '\t', '\r': '' };

/**
 * What may be shown. Words of a model or of a file may hold escape sequences that would move the cursor or rename the
 * window; they are seen, not obeyed.
 */
export function shown(text: string): string {
  return text.replaceAll(CONTROL, (character) => KEPT[character] ?? '\uFFFD').replaceAll(ESCAPE, '\u001b');
}
