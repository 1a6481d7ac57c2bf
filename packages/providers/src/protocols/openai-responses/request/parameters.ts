import type { ProviderTool, ToolDefinition } from '@bough/core';
import type { RenderInput } from '../../../protocol.ts';
import type { ResponsesQuirks, ResponsesTraits } from '../traits.ts';
import { hostedIncludes, hostedTools } from './provider-tools.ts';
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
  containerFiles: readonly string[],
): Readonly<Record<string, unknown>> {
  const { systemPrompt, providerTools = [] } = input;
  const tools = [...input.tools.map(functionTool), ...hostedTools(providerTools, containerFiles)];
  const reasoning = reasoningParameter(input.thinking, effortsBeside(providerTools, traits), quirks);
  const include = [
    // A model that does not reason refuses a request for encrypted reasoning.
    ...(traits.efforts.length > 0 ? [ENCRYPTED_REASONING] : []),
    ...hostedIncludes(providerTools),
  ];
  return {
    model: input.model.id,
    ...(systemPrompt !== null && systemPrompt !== '' && { instructions: systemPrompt }),
    ...(tools.length > 0 && { tools }),
    ...(reasoning !== undefined && { reasoning }),
    ...(include.length > 0 && { include }),
    store: quirks.storeResponses,
    ...(quirks.promptCacheKey && input.cacheKey !== undefined && { prompt_cache_key: input.cacheKey }),
  };
}

/** The parameters after the items: what may differ from one request of a branch to the next. */
export function tailParameters(
  input: RenderInput,
  traits: ResponsesTraits,
  quirks: ResponsesQuirks,
  previousResponseId: string | undefined,
): Readonly<Record<string, unknown>> {
  const { comparedWith } = input;
  // Only models that take options of the cache can be asked what it missed.
  const asks = comparedWith !== undefined && traits.cacheOptions && quirks.cacheDiagnostics;
  return {
    ...(asks && { prompt_cache_options: { comparison_response_id: comparedWith } }),
    ...(previousResponseId !== undefined && { previous_response_id: previousResponseId }),
    ...(input.tools.length + (input.providerTools ?? []).length > 0 && toolChoice(input)),
    max_output_tokens: Math.max(MIN_OUTPUT_TOKENS, Math.floor(input.maxTokens)),
    stream: input.stream,
  };
}

function toolChoice({ toolChoice: choice }: RenderInput): Readonly<Record<string, unknown>> {
  if (choice === 'auto') return {};
  return { tool_choice: typeof choice === 'string' ? choice : { type: 'function', name: choice.name } };
}

/** With the least effort of all, the API refuses to search and to make pictures. */
function effortsBeside(providerTools: readonly ProviderTool[], traits: ResponsesTraits): ResponsesTraits {
  return providerTools.some(({ tool }) => tool === 'web_search' || tool === 'image_generation')
    ? { ...traits, efforts: traits.efforts.filter((effort) => effort !== 'minimal') }
    : traits;
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
