/** Deeper than any JSON that people or providers write; far shallower than the call stack. */
export const MAX_NESTING = 500;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Whether a JSON text is nested deeper than is allowed. `JSON.parse` accepts any depth, but code that walks through
 * the value afterwards (to write or copy it) would exhaust the stack.
 */
export function isNestedTooDeep(json: string, most = MAX_NESTING): boolean {
  // Every level takes an opening and a closing bracket.
  if (json.length <= 2 * most) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at);
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > most) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
}

/** Where the string that begins here ends. Brackets inside it do not count, nor do escaped quotes. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}
