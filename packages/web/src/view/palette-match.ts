/**
 * How well a command fits what was typed: every typed word must occur in one of its names. Letters that are merely
 * scattered over a name, or hidden in an id, do not count: “del” must not find “model”.
 */
export function paletteMatch(typed: string, names: readonly string[]): number {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return Math.max(0, ...names.map((name) => fit(words, name.toLowerCase())));
}

function fit(words: readonly string[], name: string): number {
  const scores = words.map((word) => {
    const at = name.indexOf(word);
    if (at < 0) return 0;
    if (at === 0) return 1;
    return startsWord(name, word) ? 0.8 : 0.2;
  });
  return scores.length === 0 ? 1 : Math.min(...scores);
}

function startsWord(name: string, word: string): boolean {
  for (let at = name.indexOf(word); at >= 0; at = name.indexOf(word, at + 1))
    if (!/[\p{L}\p{N}]/u.test(name[at - 1] ?? ' ')) return true;
  return false;
}
