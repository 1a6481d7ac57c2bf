import { isPlainObject } from '@bough/core';
import { rephrase } from './json-schema.ts';

type Schema = Readonly<Record<string, unknown>>;

const KEPT: readonly string[] = [
  'title',
  'description',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'required',
  'propertyOrdering',
];

const MAX_DEPTH = 32;

/**
 * The older form, for servers that do not take a JSON schema: a subset of OpenAPI with types in capitals, without
 * references, and without objects that have no properties. Undefined for a function without parameters.
 */
export function openApiSchemaFor(schema: Schema): Schema | undefined {
  const converted = convert({ type: 'object', ...schema }, schema, 0);
  return converted['properties'] === undefined ? undefined : converted;
}

function convert(schema: Schema, root: Schema, depth: number): Record<string, unknown> {
  // A type that contains itself has no finite form here: beyond a sensible depth it is left open.
  if (depth > MAX_DEPTH) return { type: 'STRING' };
  const resolved = resolve(rephrase(schema), root);
  const { type, enum: values, properties, items, anyOf, oneOf } = resolved;
  const types = (Array.isArray(type) ? type : [type]).filter((name) => typeof name === 'string');
  const [name = isPlainObject(properties) ? 'object' : 'string'] = types.filter((candidate) => candidate !== 'null');
  const options = [anyOf, oneOf].find(Array.isArray);
  const nested = (value: unknown): Record<string, unknown> =>
    convert(isPlainObject(value) ? value : {}, root, depth + 1);
  const result: Record<string, unknown> = {
    ...Object.fromEntries(KEPT.flatMap((key) => (resolved[key] === undefined ? [] : [[key, resolved[key]]]))),
    ...(types.includes('null') && { nullable: true }),
  };
  if (options !== undefined) return { ...result, anyOf: options.map(nested) };
  // Only strings can be enumerated.
  if (Array.isArray(values)) return { ...result, type: 'STRING', format: 'enum', enum: values.map(String) };
  if (name === 'array') return { ...result, type: 'ARRAY', items: nested(items) };
  if (name !== 'object') return { ...result, type: name.toUpperCase() };
  const entries = isPlainObject(properties) ? Object.entries(properties) : [];
  // An object without properties is refused; as a string it can at least be written.
  if (entries.length === 0) return depth === 0 ? { ...result, type: 'OBJECT' } : { ...result, type: 'STRING' };
  return {
    ...result,
    type: 'OBJECT',
    properties: Object.fromEntries(entries.map(([key, value]) => [key, nested(value)])),
  };
}

function resolve(schema: Schema, root: Schema): Schema {
  const reference = schema['$ref'];
  const path = typeof reference === 'string' ? /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(reference)?.[1] : undefined;
  if (path === undefined) return schema;
  const tables = [root['$defs'], root['definitions']].filter(isPlainObject);
  const target = tables.map((table) => table[path]).find(isPlainObject) ?? {};
  const { $ref: _, ...rest } = schema;
  return { ...target, ...rest };
}
