/** The beginning of a text on one line, as a name or a cell of a table has room for. */
export function excerpt(text: string, length: number): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length > length ? `${flat.slice(0, length - 1)}…` : flat;
}
