/** Rows hold plain strings; this is where they become ids. */
export function nullable<Id>(value: string | null, make: (value: string) => Id): Id | null {
  return value === null ? null : make(value);
}
