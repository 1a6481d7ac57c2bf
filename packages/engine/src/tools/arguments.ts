import type { ToolDefinition } from '@bough/core';
import { Ajv, type ValidateFunction } from 'ajv';

/** Null where the arguments fit the tool's schema; otherwise what is wrong with them, for the model to read. */
export type CheckArguments = (
  definition: ToolDefinition,
  parameters: Readonly<Record<string, unknown>>,
) => string | null;

export function createArgumentCheck(): CheckArguments {
  // Schemas also come from MCP servers, which may use unknown keywords and formats.
  const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false });
  const compiled = new WeakMap<object, ValidateFunction | null>();
  const compile = (schema: Readonly<Record<string, unknown>>): ValidateFunction | null => {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    let validate: ValidateFunction | null;
    try {
      // Two servers may use the same id for different schemas, which would be an error.
      const { $id: _, ...anonymous } = schema;
      validate = ajv.compile(anonymous);
    } catch (error) {
      // An unreadable schema must not make the tool useless: the tool checks its arguments itself.
      if (!(error instanceof Error)) throw error;
      validate = null;
    }
    compiled.set(schema, validate);
    return validate;
  };
  return ({ inputSchema }, parameters) => {
    const validate = compile(inputSchema);
    if (validate === null || validate(parameters)) return null;
    return ajv.errorsText(validate.errors, { dataVar: 'arguments' });
  };
}
