// JSON.parse forgets how a value was written: 1.0 becomes 1, 12345678901234567890 loses digits, integer-like keys move
// to the front. What a provider wrote is sent back exactly as written, so values are cut out of the text instead of
// being rebuilt. Every function here expects text that JSON.parse accepts.

/** The members of a JSON object, each value as the text in which it was written; null if the text is not an object. */
export function membersOf(json: string): Map<string, string> | null {
  let at = skipSpace(json, 0);
  if (json[at] !== '{') return null;
  const members = new Map<string, string>();
  at = skipSpace(json, at + 1);
  while (at < json.length && json[at] !== '}') {
    const keyEnd = skipValue(json, at);
    const key: unknown = JSON.parse(json.slice(at, keyEnd));
    const start = skipSpace(json, skipSpace(json, keyEnd) + 1);
    const end = skipValue(json, start);
    members.set(String(key), json.slice(start, end));
    at = skipSeparator(json, end);
  }
  return members;
}

/** The elements of a JSON array, each as it was written; null if the text is not an array. */
export function elementsOf(json: string): string[] | null {
  let at = skipSpace(json, 0);
  if (json[at] !== '[') return null;
  const elements: string[] = [];
  at = skipSpace(json, at + 1);
  while (at < json.length && json[at] !== ']') {
    const end = skipValue(json, at);
    elements.push(json.slice(at, end));
    at = skipSeparator(json, end);
  }
  return elements;
}

/** The inverse of `membersOf`. */
export function objectText(members: ReadonlyMap<string, string>): string {
  return `{${[...members].map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
}

/** Undefined if the text is not JSON: nothing that arrives over a network may make it throw. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** True if a string in this JSON text holds half of a surrogate pair: the API answers "not valid JSON". */
export function hasLoneSurrogate(json: string): boolean {
  return withoutLoneSurrogates(json) !== json;
}

/** The same JSON text with each half of a surrogate pair, escaped or not, replaced by U+FFFD. */
export function withoutLoneSurrogates(json: string): string {
  if (!/[\ud800-\udfff]|\\u[dD][89a-fA-F]/.test(json)) return json;
  return json.replace(
    // A pair in either spelling is matched whole; any other escape is skipped, so that `\\ud800` stays text.
    /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\.|[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g,
    (match) => (match.length === 1 || match.length === 6 ? '\ufffd' : match),
  );
}

function skipSpace(json: string, at: number): number {
  let end = at;
  while (end < json.length && ' \t\n\r'.includes(json.charAt(end))) end += 1;
  return end;
}

function skipSeparator(json: string, at: number): number {
  const next = skipSpace(json, at);
  return json[next] === ',' ? skipSpace(json, next + 1) : next;
}

function skipValue(json: string, at: number): number {
  const first = json[at];
  if (first === '"') return skipString(json, at);
  if (first === '{' || first === '[') return skipNested(json, at);
  let end = at;
  while (end < json.length && !',]} \t\n\r:'.includes(json.charAt(end))) end += 1;
  return end;
}

function skipString(json: string, at: number): number {
  let end = at + 1;
  while (end < json.length && json[end] !== '"') end += json[end] === '\\' ? 2 : 1;
  return end + 1;
}

function skipNested(json: string, at: number): number {
  let depth = 0;
  let end = at;
  do {
    const character = json[end];
    if (character === '"') {
      end = skipString(json, end);
      continue;
    }
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    end += 1;
  } while (depth > 0 && end < json.length);
  return end;
}
