import { withoutLoneSurrogates } from './json-text.ts';

/**
 * JSON without half a character, and whether one had to be replaced. Half of a surrogate pair has no UTF-8.
 * `JSON.stringify` escapes it, and strict servers refuse the whole body from then on: a tool result that was cut in the
 * middle of a character would end the conversation for good.
 */
export function wellFormedJson(value: unknown): { readonly json: string; readonly replaced: boolean } {
  const written = JSON.stringify(value);
  const json = withoutLoneSurrogates(written);
  return { json, replaced: json !== written };
}
