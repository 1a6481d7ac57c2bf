export * from './id-from.ts';

/** The beginning of a text on one line, short enough for a name or a table cell. */
export function excerpt(text: string, length: number): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length > length ? `${flat.slice(0, length - 1)}…` : flat;
}

/** The first name of the form `base`, `base 2`, `base 3` … that is free. */
export function freeName(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base;
  let number = 2;
  while (taken.has(`${base} ${number}`)) number += 1;
  return `${base} ${number}`;
}
