import { describe, expect, it } from 'vitest';
import { jsonSchemaFor } from './json-schema.ts';
import { openApiSchemaFor } from './open-api-schema.ts';
import { wireTools } from './tools.ts';

const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  additionalProperties: false,
  required: ['mode'],
  properties: {
    mode: { const: 'fast', description: 'How.' },
    size: { type: ['integer', 'null'], minimum: 1, exclusiveMaximum: 10, multipleOf: 2, default: 3 },
    place: { allOf: [{ $ref: '#/definitions/Place' }], description: 'Where.' },
    tags: { type: 'array', items: { type: 'string', minLength: 1, pattern: '^a' }, uniqueItems: true },
    either: { oneOf: [{ type: 'string' }, { type: 'object', properties: {} }] },
  },
  definitions: { Place: { type: 'object', properties: { name: { type: 'string', examples: ['Bern'] } } } },
};

describe('gemini tool schemas', () => {
  it('GEM-16: a JSON schema keeps what Gemini understands, rephrases what it can and loses the rest', () => {
    expect(jsonSchemaFor(SCHEMA)).toEqual({
      type: 'object',
      additionalProperties: false,
      required: ['mode'],
      properties: {
        mode: { enum: ['fast'], description: 'How.' },
        size: { type: ['integer', 'null'], minimum: 1 },
        place: { $ref: '#/$defs/Place', description: 'Where.' },
        tags: { type: 'array', items: { type: 'string' } },
        either: { oneOf: [{ type: 'string' }, { type: 'object', properties: {} }] },
      },
      $defs: { Place: { type: 'object', properties: { name: { type: 'string' } } } },
    });
  });

  it('GEM-16: a schema without type or properties still describes an object', () => {
    expect(jsonSchemaFor({})).toEqual({ type: 'object', properties: {} });
  });

  it('GEM-16: the older form has types in capitals, no references and no empty objects', () => {
    expect(openApiSchemaFor(SCHEMA)).toEqual({
      type: 'OBJECT',
      required: ['mode'],
      properties: {
        mode: { type: 'STRING', format: 'enum', enum: ['fast'], description: 'How.' },
        size: { type: 'INTEGER', nullable: true, minimum: 1 },
        place: { type: 'OBJECT', description: 'Where.', properties: { name: { type: 'STRING' } } },
        tags: { type: 'ARRAY', items: { type: 'STRING', minLength: 1, pattern: '^a' } },
        either: { anyOf: [{ type: 'STRING' }, { type: 'STRING' }] },
      },
    });
  });

  it('GEM-16: a schema that contains itself ends', () => {
    const tree = {
      $defs: { Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } } },
      properties: { root: { $ref: '#/$defs/Node' } },
    };
    expect(JSON.stringify(openApiSchemaFor(tree)).length).toBeLessThan(10_000);
  });

  it('GEM-16: a deployment says which form its server takes; a function without parameters has none in the older one', () => {
    const tool = { name: 'now', description: 'The time.', inputSchema: { type: 'object', properties: {} } };
    expect(wireTools([tool], { quirks: { toolSchema: 'open-api' } })).toEqual([
      { functionDeclarations: [{ name: 'now', description: 'The time.' }] },
    ]);
    expect(wireTools([], { quirks: {} })).toEqual([]);
  });
});
