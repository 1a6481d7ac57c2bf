/**
 * JSON in which no half of a surrogate pair is left: Google's parser takes UTF-8 only, and half a pair has no UTF-8. A whole pair
 * is written as the character that it is, so every escape of a surrogate that `JSON.stringify` writes is a lone half.
 */
export function wellFormedJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '$1�');
}
