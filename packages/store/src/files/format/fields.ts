import { isNestedTooDeep, isPlainObject, MAX_NESTING } from '@bough/core';
import { malformed } from '../../on-disk/disk/index.ts';

/**
 * The fields of a JSON object in a file, each checked when it is read: a mismatch is an error that names file and
 * field.
 */
export interface Fields {
  readonly value: Readonly<Record<string, unknown>>;
  readonly text: (name: string) => string;
  readonly textOrNull: (name: string) => string | null;
  readonly number: (name: string) => number;
  readonly numberOrNull: (name: string) => number | null;
  readonly flag: (name: string) => boolean;
  readonly list: (name: string) => readonly unknown[];
  readonly object: (name: string) => Fields;
  readonly objectOrNull: (name: string) => Fields | null;
  readonly oneOf: <T extends string>(name: string, allowed: readonly T[]) => T;
}

/** `path` is the file; `where` the place of the object in it. */
export function fieldsOf(path: string, value: unknown, where = ''): Fields {
  if (!isPlainObject(value)) throw malformed(path, `${where === '' ? 'it' : `"${where}"`} must be a JSON object.`);
  const object: Readonly<Record<string, unknown>> = value;
  const nameOf = (name: string): string => (where === '' ? name : `${where}.${name}`);
  const wrong = (name: string, what: string): Error => malformed(path, `"${nameOf(name)}" must be ${what}.`);
  const typed =
    <T>(what: string, is: (found: unknown) => found is T) =>
    (name: string): T => {
      const found = object[name];
      if (!is(found)) throw wrong(name, what);
      return found;
    };
  const orNull =
    <T>(read: (name: string) => T) =>
    (name: string): T | null =>
      object[name] === undefined || object[name] === null ? null : read(name);

  const text = typed('a text', (found) => typeof found === 'string');
  const number = typed('a number', (found) => typeof found === 'number');
  const list = typed('a list', (found): found is readonly unknown[] => Array.isArray(found));
  const child = (name: string): Fields => fieldsOf(path, object[name], nameOf(name));
  return {
    value: object,
    text,
    textOrNull: orNull(text),
    number,
    numberOrNull: orNull(number),
    flag: typed('true or false', (found) => typeof found === 'boolean'),
    list,
    object: child,
    objectOrNull: orNull(child),
    oneOf: (name, allowed) => {
      const found = allowed.find((value) => value === object[name]);
      if (found === undefined) throw wrong(name, `one of ${allowed.join(', ')}`);
      return found;
    },
  };
}

export function parseJson(path: string, text: string): unknown {
  if (isNestedTooDeep(text)) throw malformed(path, `it is nested deeper than ${MAX_NESTING} levels.`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed(path, 'it is not JSON.', error);
  }
}

/** How every file is written: readable, with small diffs. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
