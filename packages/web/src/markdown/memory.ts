/** What was used recently, up to a total weight. */
export interface Memory<Value> {
  readonly get: (key: string) => Value | undefined;
  readonly set: (key: string, value: Value, weight: number) => void;
  /** Newest first. */
  readonly newest: (count: number) => readonly Value[];
}

export function createMemory<Value>(capacity: number): Memory<Value> {
  const entries = new Map<string, { readonly value: Value; readonly weight: number }>();
  let sum = 0;
  const forget = (key: string): void => {
    sum -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  };
  return {
    get: (key) => {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set: (key, value, weight) => {
      forget(key);
      entries.set(key, { value, weight });
      sum += weight;
      for (const oldest of entries.keys()) {
        if (sum <= capacity) break;
        forget(oldest);
      }
    },
    newest: (count) =>
      [...entries.values()]
        .slice(-count)
        .reverse()
        .map(({ value }) => value),
  };
}
