/**
 * Remembers what a pure function returned for an object, for as long as the object lives. Only for values that never
 * change: then the caller cannot tell a remembered result from a new one, except by its identity, which others may rely
 * on.
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
