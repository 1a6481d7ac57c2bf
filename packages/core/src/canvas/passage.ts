/** What became of a passage that was to be replaced: the new text, or how often the passage was found instead. */
export type Replaced = { readonly text: string } | { readonly found: number };

/** Replaces a passage that occurs exactly once: with several, a model would change a place that it does not mean. */
export function replacePassage(text: string, passage: string, by: string): Replaced {
  const parts = passage === '' ? [text] : text.split(passage);
  const [before, after] = parts;
  return parts.length === 2 && before !== undefined && after !== undefined
    ? { text: `${before}${by}${after}` }
    : { found: parts.length - 1 };
}

/** Adds to the end, beginning on a line of its own. */
export function appendPassage(text: string, passage: string): string {
  return text === '' || text.endsWith('\n') ? `${text}${passage}` : `${text}\n${passage}`;
}
