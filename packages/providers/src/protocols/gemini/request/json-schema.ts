import { isPlainObject } from '@bough/core';

type Schema = Readonly<Record<string, unknown>>;

/** The keywords that `parametersJsonSchema` understands; others are refused or ignored, depending on the model. */
const KEYWORDS: ReadonlySet<string> = new Set([
  '$id',
  '$anchor',
  '$ref',
  '$defs',
  'type',
  'format',
  'title',
  'description',
  'enum',
  'items',
  'prefixItems',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'anyOf',
  'oneOf',
  'properties',
  'additionalProperties',
  'required',
  'propertyOrdering',
]);

/** A tool's schema reduced to what Gemini knows. What its keywords can express is rephrased; the rest is left out. */
export function jsonSchemaFor(schema: Schema): Schema {
  const cleaned = clean(schema);
  return { ...cleaned, type: 'object', properties: isPlainObject(cleaned['properties']) ? cleaned['properties'] : {} };
}

function clean(schema: Schema): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(rephrase(schema))) {
    if (KEYWORDS.has(keyword)) result[keyword] = cleanValue(keyword, value);
  }
  return result;
}

/** Older and more specific ways to say what the known keywords can say too. */
export function rephrase(schema: Schema): Schema {
  const { const: constant, definitions, allOf, ...rest } = schema;
  return {
    // A single schema to which everything else is added: how generators write a reference with a description.
    ...(Array.isArray(allOf) && allOf.length === 1 && isPlainObject(allOf[0]) ? rephrase(allOf[0]) : {}),
    ...rest,
    ...(constant !== undefined && { enum: [constant] }),
    ...(isPlainObject(definitions) && {
      $defs: { ...definitions, ...(isPlainObject(rest['$defs']) ? rest['$defs'] : {}) },
    }),
  };
}

function cleanValue(keyword: string, value: unknown): unknown {
  switch (keyword) {
    case 'properties':
    case '$defs':
      return isPlainObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, sub(item)]))
        : {};
    case 'items':
    case 'additionalProperties':
      return sub(value);
    case 'anyOf':
    case 'oneOf':
    case 'prefixItems':
      return Array.isArray(value) ? value.map(sub) : [];
    case '$ref':
      return typeof value === 'string' ? value.replace(/^#\/definitions\//, '#/$defs/') : value;
    default:
      return value;
  }
}

/** `true` and `false` are schemas too. */
function sub(schema: unknown): unknown {
  return isPlainObject(schema) ? clean(schema) : schema;
}
