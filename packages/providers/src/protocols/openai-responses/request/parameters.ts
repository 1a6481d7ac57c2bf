import type { ToolDefinition } from '@bough/core';
import type { RenderInput } from '../../../protocol.ts';
import type { ResponsesQuirks, ResponsesTraits } from '../traits.ts';
import { reasoningParameter } from './thinking.ts';

/** The API refuses less than this. */
export const MIN_OUTPUT_TOKENS = 16;
export const ENCRYPTED_REASONING = 'reasoning.encrypted_content';

/**
 * The parameters before the items: what a branch is locked to, so that the bytes before the history stay the same.
 * Instructions and tools are sent with every request: `previous_response_id` does not carry them over.
 */
export function headParameters(
  input: RenderInput,
  traits: ResponsesTraits,
  quirks: ResponsesQuirks,
): Readonly<Record<string, unknown>> {
  const { systemPrompt, tools } = input;
  const reasoning = reasoningParameter(input.thinking, traits, quirks);
  return {
    model: input.model.id,
    ...(systemPrompt !== null && systemPrompt !== '' && { instructions: systemPrompt }),
    ...(tools.length > 0 && { tools: tools.map(functionTool) }),
    ...(reasoning !== undefined && { reasoning }),
    // A model that does not reason refuses a request for encrypted reasoning.
    ...(traits.efforts.length > 0 && { include: [ENCRYPTED_REASONING] }),
    store: quirks.storeResponses,
  };
}

/** The parameters after the items: what may differ from one request of a branch to the next. */
export function tailParameters(
  input: RenderInput,
  previousResponseId: string | undefined,
): Readonly<Record<string, unknown>> {
  return {
    ...(previousResponseId !== undefined && { previous_response_id: previousResponseId }),
    ...(input.tools.length > 0 && input.toolChoice === 'none' && { tool_choice: 'none' }),
    max_output_tokens: Math.max(MIN_OUTPUT_TOKENS, Math.floor(input.maxTokens)),
    stream: input.stream,
  };
}

function functionTool({ name, description, inputSchema }: ToolDefinition): Readonly<Record<string, unknown>> {
  // Without `strict: false` the API rewrites the schema, or refuses one with optional properties.
  return { type: 'function', name, description, parameters: objectSchema(inputSchema), strict: false };
}

/** The API refuses an object schema that names no properties; a tool without parameters often has exactly that. */
function objectSchema(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const typed = schema['type'] === undefined ? { type: 'object', ...schema } : schema;
  return typed['type'] === 'object' && typed['properties'] === undefined ? { ...typed, properties: {} } : typed;
}
