import { isPlainObject } from '@bough/core';

/** JSON with any white space between its tokens. */
export function spaced(value: unknown, space: Iterator<string>): string {
  const gap = (): string => String(space.next().value ?? '');
  const write = (inner: unknown): string => {
    if (Array.isArray(inner)) return `[${gap()}${inner.map((item) => `${gap()}${write(item)}${gap()}`).join(',')}]`;
    if (!isPlainObject(inner)) return JSON.stringify(inner);
    const members = Object.entries(inner).map(
      ([key, item]) => `${gap()}${JSON.stringify(key)}${gap()}:${gap()}${write(item)}${gap()}`,
    );
    return `{${gap()}${members.join(',')}}`;
  };
  return `${gap()}${write(value)}${gap()}`;
}

/** The same value with the keys of every object in reverse. */
export function reversedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversedKeys);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]): [string, unknown] => [key, reversedKeys(inner)])
      .reverse(),
  );
}
