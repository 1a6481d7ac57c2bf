// Half of a surrogate pair has no UTF-8. `JSON.stringify` escapes it, and strict servers refuse the whole body from then on: a
// tool result that was cut in the middle of a character would end the conversation for good.

const LONE_HALF = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export function hasLoneHalf(text: string): boolean {
  return text.search(LONE_HALF) >= 0;
}

/** JSON without half a character, and whether one had to be replaced. */
export function wellFormedJson(value: unknown): { readonly json: string; readonly replaced: boolean } {
  let replaced = false;
  const json = JSON.stringify(value, (_, entry: unknown) => {
    if (typeof entry !== 'string' || !hasLoneHalf(entry)) return entry;
    replaced = true;
    return entry.replaceAll(LONE_HALF, '\ufffd');
  });
  return { json, replaced };
}
