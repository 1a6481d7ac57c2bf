import type { ProviderTool } from '@bough/core';
import { secretText } from '../../../provider-tools/secret-text.ts';

type Definition = Readonly<Record<string, unknown>>;

/** The tools that OpenAI runs itself, as a request asks for them. */
export function hostedTools(wanted: readonly ProviderTool[], containerFiles: readonly string[]): readonly Definition[] {
  return wanted.flatMap((tool) => definitionOf(tool, containerFiles));
}

function definitionOf({ tool, settings = {} }: ProviderTool, containerFiles: readonly string[]): readonly Definition[] {
  const { allowedDomains = [], userLocation, allowedTools = [], size, quality, maxResults } = settings;
  switch (tool) {
    case 'web_search':
      return [
        {
          type: 'web_search',
          ...(allowedDomains.length > 0 && { filters: { allowed_domains: allowedDomains } }),
          ...(userLocation !== undefined && { user_location: { type: 'approximate', ...userLocation } }),
        },
      ];
    case 'code_execution':
      // The API finds the container of the conversation by itself, or makes one.
      return [
        {
          type: 'code_interpreter',
          container: { type: 'auto', ...(containerFiles.length > 0 && { file_ids: containerFiles }) },
        },
      ];
    case 'file_search':
      return [
        {
          type: 'file_search',
          vector_store_ids: settings.vectorStores ?? [],
          ...(maxResults !== undefined && { max_num_results: maxResults }),
        },
      ];
    case 'image_generation':
      return [
        { type: 'image_generation', ...(size !== undefined && { size }), ...(quality !== undefined && { quality }) },
      ];
    case 'remote_mcp':
      return [
        {
          type: 'mcp',
          server_label: settings.serverLabel,
          server_url: settings.serverUrl,
          ...(secretText(settings) !== null && { authorization: secretText(settings) }),
          ...(allowedTools.length > 0 && { allowed_tools: allowedTools }),
          // Whoever switches a server on has allowed its calls; nobody could be asked in the middle of a reply.
          require_approval: 'never',
        },
      ];
    case 'web_fetch':
      return [];
  }
}

const INCLUDES: Partial<Readonly<Record<ProviderTool['tool'], readonly string[]>>> = {
  web_search: ['web_search_call.action.sources'],
  file_search: ['file_search_call.results'],
  code_execution: ['code_interpreter_call.outputs'],
};

/** What the items of these tools carry only if a request asks for it. */
export function hostedIncludes(wanted: readonly ProviderTool[]): readonly string[] {
  return [...new Set(wanted.flatMap(({ tool }) => INCLUDES[tool] ?? []))];
}
