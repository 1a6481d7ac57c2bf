/** A header or a variable. `isSet`: the server has a value, which it does not show; an empty one here keeps it. */
export interface NamedValue {
  readonly name: string;
  readonly value: string;
  readonly isSet: boolean;
}

export function namedValues(values: unknown): readonly NamedValue[] {
  if (typeof values !== 'object' || values === null) return [];
  return Object.keys(values).map((name) => ({ name, value: '', isSet: true }));
}

/** As the API takes them: null keeps what is stored. Null if there are none. */
export function valuesByName(values: readonly NamedValue[]): Record<string, string | null> | null {
  const named = values.filter(({ name }) => name.trim() !== '');
  if (named.length === 0) return null;
  return Object.fromEntries(named.map(({ name, value, isSet }) => [name.trim(), isSet && value === '' ? null : value]));
}
