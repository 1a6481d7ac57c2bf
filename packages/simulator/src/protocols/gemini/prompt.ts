import { isPlainObject } from '@bough/core';
import type { GeminiContent, GeminiRequest } from '@bough/providers';
import type { Prompt, ToolResult } from '../../reply.ts';

const NO_TOOLS = 'NONE';

/** Reads from a request what a reply is planned from. */
export function promptOf(request: GeminiRequest, model: string): Prompt {
  const { contents, systemInstruction, tools = [], toolConfig, generationConfig } = request;
  const start = contents.findLastIndex(isSpoken);
  const declarations = tools.flatMap((tool) => tool.functionDeclarations ?? []);
  const { thinkingBudget } = generationConfig?.thinkingConfig ?? {};
  return {
    model,
    system: systemInstruction === undefined ? '' : textOf(systemInstruction),
    userText: textOf(contents[start]),
    toolResults: contents.slice(start + 1).flatMap(resultsOf),
    toolNames: declarations.map(({ name = '' }) => name),
    tools: declarations.map(({ name = '', parametersJsonSchema, parameters }) => ({
      name,
      inputSchema: isPlainObject(parametersJsonSchema) ? parametersJsonSchema : (parameters ?? {}),
    })),
    toolsAllowed: toolConfig?.functionCallingConfig?.mode?.toUpperCase() !== NO_TOOLS,
    thinking: thinkingBudget !== 0,
    turn: contents.filter(({ role }) => role === 'model').length,
  };
}

/** A user content that does not answer calls. */
function isSpoken({ role, parts }: GeminiContent): boolean {
  return role !== 'model' && parts.every((part) => part.functionResponse === undefined);
}

function textOf(content: GeminiContent | undefined): string {
  return content?.parts.map(({ text = '' }) => text).join('\n') ?? '';
}

function resultsOf({ parts }: GeminiContent): readonly ToolResult[] {
  return parts.flatMap(({ functionResponse }) => {
    if (functionResponse === undefined) return [];
    const { name = '', response = {} } = functionResponse;
    const said = response['output'] ?? response['error'] ?? response['result'] ?? response;
    const content = typeof said === 'string' ? said : JSON.stringify(said);
    return [{ name, content, isError: response['error'] !== undefined }];
  });
}
