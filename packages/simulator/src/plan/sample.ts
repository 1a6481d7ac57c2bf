import { isPlainObject } from '@bough/core';
import { withoutCommands } from '../commands/index.ts';
import type { Prompt } from '../reply.ts';

type Schema = Readonly<Record<string, unknown>>;

/** The answer to a request for JSON, as plain as possible. */
export function sampleAnswer({ userText, answerSchema = {}, turn }: Prompt): unknown {
  const text = withoutCommands(userText);
  return Object.keys(answerSchema).length === 0 ? { answer: text } : sampleOf(answerSchema, text, turn);
}

const MAX_DEPTH = 12;

interface Sampling {
  /** What definitions are looked up in. */
  readonly root: Schema;
  readonly text: string;
  /** Varies the choice from call to call. */
  readonly number: number;
}

/** A value that fits a JSON schema, as plain as possible. */
export function sampleOf(schema: Schema, text: string, number: number): unknown {
  return sample(schema, { root: schema, text, number }, 0);
}

function sample(schema: unknown, sampling: Sampling, depth: number): unknown {
  if (!isPlainObject(schema) || depth > MAX_DEPTH) return null;
  const { text, number } = sampling;
  if (typeof schema['$ref'] === 'string') return sample(definition(schema['$ref'], sampling.root), sampling, depth + 1);
  if (Array.isArray(schema['enum'])) return schema['enum'][number % schema['enum'].length];
  if ('const' in schema) return schema['const'];
  if ('default' in schema) return schema['default'];
  const [option] = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => (Array.isArray(schema[key]) ? schema[key] : []));
  if (option !== undefined) return sample(option, sampling, depth + 1);
  switch (typeOf(schema)) {
    case 'object':
      return sampleObject(schema, sampling, depth);
    case 'array':
      return [sample(schema['items'] ?? { type: 'string' }, sampling, depth + 1)];
    case 'number':
    case 'integer':
      return Math.max(number + 1, typeof schema['minimum'] === 'number' ? schema['minimum'] : 1);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return text.slice(0, 80) || 'example';
  }
}

/** `#/$defs/city`, or `#` for the whole schema. */
function definition(reference: string, root: Schema): unknown {
  const steps = reference
    .replace(/^#\/?/, '')
    .split('/')
    .filter((step) => step !== '');
  return steps.reduce<unknown>((value, step) => (isPlainObject(value) ? value[step] : undefined), root);
}

function sampleObject(schema: Schema, sampling: Sampling, depth: number): unknown {
  const properties = isPlainObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.fromEntries(
    required
      .filter((key): key is string => typeof key === 'string')
      .map((key) => [key, sample(properties[key] ?? { type: 'string' }, sampling, depth + 1)]),
  );
}

function typeOf(schema: Schema): string {
  const type = schema['type'];
  // Gemini writes types in capitals; of a list of types, the first is used.
  if (typeof type === 'string') return type.toLowerCase();
  if (Array.isArray(type) && typeof type[0] === 'string') return type[0].toLowerCase();
  return 'properties' in schema ? 'object' : 'string';
}
