import { invalidField } from './refusals.ts';

type Values = Readonly<Record<string, string | null>>;

/** What is shown of values that may be secret: that they are set. */
export function hidden(values: Readonly<Record<string, unknown>>): Record<string, null> {
  return Object.fromEntries(Object.keys(values).map((name) => [name, null]));
}

/**
 * The values to store: null stands for the stored one. `isElsewhere`: the address is another one now, and what was
 * entered for the old one must not be sent there by anybody who could not read it.
 */
export function withKept(
  field: string,
  values: Values | undefined,
  stored: Readonly<Record<string, unknown>> | undefined,
  isElsewhere = false,
): Record<string, string> | undefined {
  if (values === undefined || Object.keys(values).length === 0) return undefined;
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (value !== null) return [name, value];
      const kept = stored !== undefined && Object.hasOwn(stored, name) ? stored[name] : undefined;
      if (typeof kept !== 'string') throw invalidField(`${field}.${name}`, 'has no value yet.');
      if (isElsewhere)
        throw invalidField(`${field}.${name}`, 'must be entered again, because the address has changed.');
      return [name, kept];
    }),
  );
}

const QUERY = '?…';

/** An address without its query, which often holds a key. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const { search } = new URL(url);
  return search === '' ? url : `${url.slice(0, url.indexOf('?'))}${QUERY}`;
}

/** The address to store: the one that is shown stands for the stored one. */
export function keptUrl(url: string, stored: string | undefined): string {
  if (stored !== undefined && stored !== url && shownUrl(stored) === url) return stored;
  if (url.endsWith(QUERY)) throw invalidField('url', 'must be entered again with its whole query.');
  return url;
}

export function sameOrigin(one: string, other: string | undefined): boolean {
  return (
    other !== undefined && URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin
  );
}

/** Without what is undefined: a file has a key or does not. */
export function compact<Entry extends object>(entry: Entry): Entry {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined)) as Entry;
}

export function without<Value>(entries: Readonly<Record<string, Value>>, name: string): Record<string, Value> {
  return Object.fromEntries(Object.entries(entries).filter(([other]) => other !== name));
}
