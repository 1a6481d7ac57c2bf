import type { ToolDefinition } from '@bough/core';
import type { Deployment } from '../../../deployment.ts';
import type { WireDeclaration, WireTool } from '../wire.ts';
import { jsonSchemaFor } from './json-schema.ts';
import { openApiSchemaFor } from './open-api-schema.ts';

/** The tools as Gemini's function declarations: all in one tool. */
export function wireTools(
  tools: readonly ToolDefinition[],
  deployment: Pick<Deployment, 'quirks'>,
): readonly WireTool[] {
  if (tools.length === 0) return [];
  return [
    { functionDeclarations: tools.map((tool) => declaration(tool, deployment.quirks['toolSchema'] === 'open-api')) },
  ];
}

function declaration({ name, description, inputSchema }: ToolDefinition, asOpenApi: boolean): WireDeclaration {
  if (!asOpenApi) return { name, description, parametersJsonSchema: jsonSchemaFor(inputSchema) };
  const parameters = openApiSchemaFor(inputSchema);
  return { name, description, ...(parameters !== undefined && { parameters }) };
}
