import type { ProviderTool } from '@bough/core';
import type { WireTool } from '../wire.ts';

/** The tools that Google runs itself: one entry each. */
export function hostedTools(wanted: readonly ProviderTool[]): readonly WireTool[] {
  return wanted.flatMap(({ tool, settings }): readonly WireTool[] => {
    switch (tool) {
      case 'web_search':
        return [{ googleSearch: {} }];
      case 'web_fetch':
        return [{ urlContext: {} }];
      case 'code_execution':
        return [{ codeExecution: {} }];
      case 'file_search':
        return [{ fileSearch: { fileSearchStoreNames: settings?.vectorStores ?? [] } }];
      case 'image_generation':
      case 'remote_mcp':
        return [];
    }
  });
}
