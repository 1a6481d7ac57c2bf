/**
 * Remembers what a pure function gave for an object, for as long as the object lives. Only for values that never change: then the
 * caller cannot tell a remembered result from a new one, except by its identity, on which others may build.
 */
export function memoized<Key extends object, Value extends {} | null>(
  compute: (key: Key) => Value,
): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const value = compute(key);
    known.set(key, value);
    return value;
  };
}

/** The same for a function of an object and something beside it: the newest result is kept, for as long as `same` holds of what stood beside it. */
export function memoizedWith<Key extends object, Beside, Value extends {} | null>(
  compute: (key: Key, beside: Beside) => Value,
  same: (before: Beside, now: Beside) => boolean,
): (key: Key, beside: Beside) => Value {
  const known = new WeakMap<Key, { readonly beside: Beside; readonly value: Value }>();
  return (key, beside) => {
    const before = known.get(key);
    if (before !== undefined && same(before.beside, beside)) return before.value;
    const value = compute(key, beside);
    known.set(key, { beside, value });
    return value;
  };
}

/** Whether two lists hold the same things in the same order. */
export function sameElements(before: readonly unknown[], now: readonly unknown[]): boolean {
  return before.length === now.length && before.every((element, index) => element === now[index]);
}
