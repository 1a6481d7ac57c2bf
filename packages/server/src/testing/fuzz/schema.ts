import type { World } from './pool.ts';
import { valueFor } from './pool.ts';
import type { Random } from './random.ts';
import { hostileText, hostileValue } from './values.ts';

/** The parts of JSON Schema that the API's document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly minItems?: number;
}

export type Schemas = Readonly<Record<string, Schema>>;

export interface Making {
  readonly random: Random;
  readonly world: World;
  readonly schemas: Schemas;
}

/** A value that the schema allows; where it only requires a text, a real one of that name. */
export function valueOf(schema: Schema, name: string, making: Making): unknown {
  const { random, schemas } = making;
  if (schema.$ref !== undefined) return valueOf(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, name, making);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[random.below(schema.enum.length)];
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return valueOf(choices[random.below(choices.length)] ?? {}, name, making);
  const type = typeof schema.type === 'object' ? schema.type[random.below(schema.type.length)] : schema.type;
  switch (type) {
    case 'string':
      return textFor(name, making);
    case 'integer':
    case 'number':
      return numberIn(schema, random);
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    case 'array':
      return Array.from({ length: random.below(3) + (schema.minItems ?? 0) }, () =>
        valueOf(schema.items ?? {}, name, making),
      );
    case 'object':
      return objectOf(schema, making);
    default:
      return hostileValue(random);
  }
}

function objectOf({ properties = {}, required = [] }: Schema, making: Making): Record<string, unknown> {
  const members = Object.entries(properties).filter(
    ([name]) => required.includes(name) || making.random.chance(name.startsWith('llm') ? 0.08 : 0.3),
  );
  const made = Object.fromEntries(members.map(([name, schema]) => [name, valueOf(schema, name, making)]));
  // A block: the schema only says that it has a type.
  if (Object.keys(properties).join() === 'type') return { type: 'text', text: textFor('text', making) };
  return made;
}

const MESSAGES = [
  'Why is the sky blue?',
  'And at noon?',
  '/sim long 40',
  '/sim tools calculator',
  '/sim unicode',
  '/sim fault cut 3',
  '/sim fault 529',
  '/sim fault error',
] as const;
/** Falls silent: the turn stays open until somebody stops it. */
const SILENT = '/sim fault stall 5';

function textFor(name: string, { random, world }: Making): string {
  if (random.chance(0.04)) return hostileText(random);
  // Never an address that could belong to somebody.
  if (name === 'baseUrl') return `https://host-${random.below(50)}.invalid/v1`;
  if (name === 'message' || name === 'content' || name === 'text')
    return random.chance(0.02) ? SILENT : random.pick(MESSAGES);
  return valueFor(world, name, random) ?? `word-${random.below(40)}`;
}

function numberIn({ minimum = 0, maximum = 1_000 }: Schema, random: Random): number {
  const low = Math.max(minimum, 0);
  return low + random.below(Math.min(maximum - low, 1_000) + 1);
}
