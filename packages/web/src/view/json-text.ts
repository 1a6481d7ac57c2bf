/** Data that would be larger than this when indented is more than the page can hold: depth adds to every line. */
const MAX_INDENTED = 5_000_000;

/** Data formatted for reading, indented; on one line if its depth would make that too large. */
export function jsonText(value: unknown): string {
  return written(() => {
    const compact = JSON.stringify(value);
    return compact.length * depthOf(compact) > MAX_INDENTED ? compact : JSON.stringify(value, null, 2);
  });
}

/** Data on one line. */
export function compactJson(value: unknown): string {
  return written(() => JSON.stringify(value));
}

/** Data nested too deeply for the browser to serialise must not cost the whole page. */
function written(write: () => string): string {
  try {
    return write();
  } catch (error) {
    console.warn('Data could not be written as text.', error);
    return '…';
  }
}

function depthOf(json: string): number {
  let depth = 1;
  let deepest = 1;
  let inText = false;
  for (let at = 0; at < json.length; at += 1) {
    const letter = json[at];
    if (letter === '"') inText = !inText;
    else if (inText) at += letter === '\\' ? 1 : 0;
    else if (letter === '{' || letter === '[') deepest = Math.max(deepest, (depth += 1));
    else if (letter === '}' || letter === ']') depth -= 1;
  }
  return deepest;
}
