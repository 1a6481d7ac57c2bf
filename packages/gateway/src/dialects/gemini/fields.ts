import { isPlainObject } from '@bough/core';
import type { Json } from '../json.ts';

/** A field by its name in JSON or in the proto files: Google's servers take both. */
export function field(holder: Json | undefined, name: string): unknown {
  return holder?.[name] ?? holder?.[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
}

/** Google's own form of a schema says types in capitals, and `nullable` for what JSON schema says with a type. */
export function openApiSchema(schema: Json | undefined): Json | undefined {
  return schema === undefined ? undefined : (jsonSchema(schema, 0) as Json);
}

/** How deep a schema may nest; what is deeper is left as it is. */
const DEEPEST = 64;

function jsonSchema(value: unknown, depth: number): unknown {
  if (depth > DEEPEST) return value;
  if (Array.isArray(value)) return value.map((inner) => jsonSchema(inner, depth + 1));
  if (!isPlainObject(value)) return value;
  const written: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'type' && typeof inner === 'string') written[key] = inner.toLowerCase();
    else if (key === 'properties' && isPlainObject(inner)) written[key] = eachOf(inner, depth + 1);
    else if (key === 'enum' || key === 'default' || key === 'example' || key === 'required') written[key] = inner;
    else if (key !== 'nullable' && key !== 'propertyOrdering') written[key] = jsonSchema(inner, depth + 1);
  }
  if (value['nullable'] === true && typeof written['type'] === 'string') written['type'] = [written['type'], 'null'];
  return written;
}

/** Properties are named by the client: a property may be called `type`. */
const eachOf = (properties: Json, depth: number): Json =>
  Object.fromEntries(Object.entries(properties).map(([key, inner]) => [key, jsonSchema(inner, depth)]));
