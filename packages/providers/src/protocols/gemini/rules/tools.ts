import { isPlainObject } from '@bough/core';
import type { ParsedRequest, WireDeclaration } from '../wire.ts';
import type { GeminiRule } from './context.ts';
import { DOCS, finding, withRequest } from './context.ts';

const FUNCTION_NAME = /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/;

interface Declared {
  readonly declaration: WireDeclaration;
  readonly path: string;
}

function declarationsOf({ request }: ParsedRequest): readonly Declared[] {
  return (request.tools ?? []).flatMap((tool, index) =>
    (tool.functionDeclarations ?? []).map((declaration, position) => ({
      declaration,
      path: `tools[${index}].function_declarations[${position}]`,
    })),
  );
}

export const functionNames: GeminiRule = {
  id: 'GEM-TOOL-1',
  title:
    'A function name is at most 64 letters, digits, underscores, dots, colons and dashes, and starts with a letter or underscore.',
  reference: 'https://github.com/kaitranntt/ccs/issues/219',
  kind: 'rejection',
  check: (parsed) =>
    declarationsOf(parsed).flatMap(({ declaration, path }) =>
      FUNCTION_NAME.test(declaration.name ?? '')
        ? []
        : [
            finding(
              `${path}.name`,
              `* GenerateContentRequest.${path}.name: Invalid function name. Must start with a letter or an underscore. Must be ` +
                'alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.\n',
            ),
          ],
    ),
};

export const uniqueFunctions: GeminiRule = {
  id: 'GEM-TOOL-2',
  title: 'No two functions have the same name.',
  reference: DOCS.functions,
  kind: 'rejection',
  check: (parsed) => {
    const seen = new Set<string>();
    return declarationsOf(parsed).flatMap(({ declaration: { name = '' }, path }) => {
      if (!seen.has(name)) {
        seen.add(name);
        return [];
      }
      return [finding(path, `Duplicate function declaration found: ${name}`)];
    });
  },
  repair: (parsed) => {
    const seen = new Set<string>();
    const tools = (parsed.request.tools ?? []).map((tool) => {
      if (tool.functionDeclarations === undefined) return tool;
      const functionDeclarations = tool.functionDeclarations.filter(({ name = '' }) => {
        const isFirst = !seen.has(name);
        seen.add(name);
        return isFirst;
      });
      return { ...tool, functionDeclarations };
    });
    return withRequest(parsed, { tools });
  },
};

export const configNeedsFunctions: GeminiRule = {
  id: 'GEM-TOOL-3',
  title: 'A function calling mode needs functions.',
  reference: DOCS.functions,
  kind: 'rejection',
  check: (parsed) =>
    parsed.request.toolConfig?.functionCallingConfig !== undefined && declarationsOf(parsed).length === 0
      ? [finding('tool_config', 'Function calling config is set without function_declarations.')]
      : [],
  repair: (parsed) => {
    const { functionCallingConfig: _, ...toolConfig } = parsed.request.toolConfig ?? {};
    return withRequest(parsed, { toolConfig });
  },
};

export const objectsHaveProperties: GeminiRule = {
  id: 'GEM-TOOL-4',
  title: 'In `parameters`, an object inside another one has properties.',
  reference: DOCS.functions,
  kind: 'rejection',
  check: (parsed) =>
    declarationsOf(parsed).flatMap(({ declaration: { parameters }, path }) =>
      // The outermost one may be empty, as recorded traffic shows: a function without parameters.
      emptyObjects(parameters, `${path}.parameters`).filter((found) => found.path !== `${path}.parameters.properties`),
    ),
};

export const oneParameterForm: GeminiRule = {
  id: 'GEM-TOOL-5',
  title: 'Parameters are described once: as OpenAPI or as JSON schema.',
  reference: DOCS.functions,
  kind: 'rejection',
  check: (parsed) =>
    declarationsOf(parsed).flatMap(({ declaration: { parameters, parametersJsonSchema }, path }) =>
      parameters !== undefined && parametersJsonSchema !== undefined
        ? [
            finding(
              path,
              `* GenerateContentRequest.${path}: parameters and parameters_json_schema are mutually exclusive.\n`,
            ),
          ]
        : [],
    ),
};

/** Fields of a tool that Google runs itself. */
const BUILT_IN = [
  'codeExecution',
  'computerUse',
  'fileSearch',
  'googleMaps',
  'googleSearch',
  'googleSearchRetrieval',
  'urlContext',
];

const hasBuiltIn = ({ request: { tools = [] } }: ParsedRequest): boolean =>
  tools.some((tool) => BUILT_IN.some((name) => tool[name] !== undefined));

export const combinedTools: GeminiRule = {
  id: 'GEM-TOOL-6',
  title: 'Functions together with tools that Google runs need a flag, and a model that takes both.',
  reference: 'https://github.com/googleapis/js-genai/issues/1425',
  kind: 'rejection',
  check: (parsed, { traits }) => {
    if (!hasBuiltIn(parsed) || declarationsOf(parsed).length === 0) return [];
    if (!traits.combinesTools) return [finding('tools', 'Tool use with function calling is unsupported')];
    return parsed.request.toolConfig?.includeServerSideToolInvocations === true
      ? []
      : [
          finding(
            'tool_config',
            'Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.',
          ),
        ];
  },
  repair: (parsed) =>
    withRequest(parsed, { toolConfig: { ...parsed.request.toolConfig, includeServerSideToolInvocations: true } }),
};

const SEARCHES_ELSEWHERE = ['googleSearch', 'googleSearchRetrieval', 'urlContext'];

export const fileSearchStandsAlone: GeminiRule = {
  id: 'GEM-TOOL-8',
  title: 'Files and the web are not searched in the same request.',
  reference: 'https://ai.google.dev/gemini-api/docs/file-search',
  kind: 'rejection',
  check: ({ request: { tools = [] } }) => {
    const has = (name: string): boolean => tools.some((tool) => tool[name] !== undefined);
    return has('fileSearch') && SEARCHES_ELSEWHERE.some(has)
      ? [finding('tools', 'Search as a tool and file search tool are not supported together')]
      : [];
  },
};

const IN_THE_CACHE = ['systemInstruction', 'tools', 'toolConfig'];

export const cacheHoldsTheRest: GeminiRule = {
  id: 'GEM-TOOL-7',
  title: 'What a cached content holds, system instruction and tools, is not repeated beside it.',
  reference: 'https://ai.google.dev/gemini-api/docs/caching',
  kind: 'rejection',
  check: ({ request }) =>
    request['cachedContent'] !== undefined && IN_THE_CACHE.some((field) => request[field] !== undefined)
      ? [
          finding(
            'cached_content',
            'CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config.',
          ),
        ]
      : [],
};

function emptyObjects(schema: unknown, path: string): ReturnType<typeof finding>[] {
  if (!isPlainObject(schema)) return [];
  const { type, properties, items, anyOf } = schema;
  const nested = isPlainObject(properties) ? Object.entries(properties) : [];
  const isObject = typeof type === 'string' && type.toUpperCase() === 'OBJECT';
  const message = `* GenerateContentRequest.${path}.properties: should be non-empty for OBJECT type\n`;
  return [
    ...(isObject && nested.length === 0 ? [finding(`${path}.properties`, message)] : []),
    ...nested.flatMap(([name, property]) => emptyObjects(property, `${path}.properties["${name}"]`)),
    ...emptyObjects(items, `${path}.items`),
    ...(Array.isArray(anyOf) ? anyOf.flatMap((option, index) => emptyObjects(option, `${path}.any_of[${index}]`)) : []),
  ];
}
