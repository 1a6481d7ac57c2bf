import { isPlainObject } from '@bough/core';

/** What a value must look like: small enough to be read, strict enough that a misspelt field is found. */
export type Shape =
  | 'text'
  | 'number'
  | 'boolean'
  | 'anything'
  | { readonly oneOf: readonly (string | number | boolean)[] }
  | { readonly either: readonly Shape[] }
  | { readonly list: Shape }
  | { readonly values: Shape }
  /** A name that ends with `?` may be missing; any other must be there, and no others may. */
  | { readonly fields: Readonly<Record<string, Shape>> };

/** Where a value differs from its shape. */
export function misfits(value: unknown, shape: Shape, at = ''): readonly string[] {
  const here = at === '' ? 'the document' : at;
  if (shape === 'anything') return [];
  if (shape === 'text') return typeof value === 'string' ? [] : [`${here} should be a text`];
  if (shape === 'number') return typeof value === 'number' ? [] : [`${here} should be a number`];
  if (shape === 'boolean') return typeof value === 'boolean' ? [] : [`${here} should be true or false`];
  if ('oneOf' in shape)
    return shape.oneOf.some((each) => each === value) ? [] : [`${here} should be one of ${shape.oneOf.join(', ')}`];
  if ('either' in shape) {
    const tries = shape.either.map((each) => misfits(value, each, at));
    return tries.find(({ length }) => length === 0) ?? tries.at(-1) ?? [];
  }
  if ('list' in shape) {
    if (!Array.isArray(value)) return [`${here} should be a list`];
    return value.flatMap((each: unknown, index) => misfits(each, shape.list, `${at}[${index}]`));
  }
  if (!isPlainObject(value)) return [`${here} should be a mapping`];
  const inside = (name: string): string => (at === '' ? name : `${at}.${name}`);
  if ('values' in shape)
    return Object.entries(value).flatMap(([name, each]) => misfits(each, shape.values, inside(name)));
  const known = new Map(Object.entries(shape.fields).map(([name, each]) => [name.replace(/\?$/, ''), each]));
  const missing = Object.keys(shape.fields).filter((name) => !name.endsWith('?') && !(name in value));
  return [
    ...missing.map((name) => `${inside(name)} is missing`),
    ...Object.entries(value).flatMap(([name, each]) => {
      const expected = known.get(name);
      return expected === undefined ? [`${inside(name)} is not known`] : misfits(each, expected, inside(name));
    }),
  ];
}
