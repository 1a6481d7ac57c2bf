import { withoutLoneSurrogates } from './json-text.ts';

/**
 * JSON without half characters, and whether one had to be replaced. Half of a surrogate pair has no UTF-8 form.
 * `JSON.stringify` escapes it, and strict servers then refuse every body that contains it: a tool result cut in the
 * middle of a character would end the conversation for good.
 */
export function wellFormedJson(value: unknown): { readonly json: string; readonly replaced: boolean } {
  const written = JSON.stringify(value);
  const json = withoutLoneSurrogates(written);
  return { json, replaced: json !== written };
}
