import type { ProviderTool, ProviderToolSettings } from '@bough/core';
import { secretText } from '../../../provider-tools/secret-text.ts';

/** What the provider runs itself, as a request asks for it. */
export interface HostedTools {
  readonly tools: readonly object[];
  readonly mcp_servers: readonly object[];
}

/**
 * The oldest versions that the API lists: every model takes them, they call nothing but what they are named after, and
 * they go together. The newer web tools run inside code execution and refuse an older one beside them.
 */
export function hostedTools(wanted: readonly ProviderTool[]): HostedTools {
  return {
    tools: wanted.flatMap(definitionOf),
    mcp_servers: wanted.flatMap(({ tool, settings }) =>
      tool === 'remote_mcp'
        ? [{ type: 'url', url: settings?.serverUrl, name: settings?.serverLabel, ...authorizationOf(settings) }]
        : [],
    ),
  };
}

function authorizationOf(settings: ProviderToolSettings | undefined): object {
  const secret = secretText(settings);
  return secret === null ? {} : { authorization_token: secret };
}

function definitionOf({ tool, settings = {} }: ProviderTool): readonly object[] {
  switch (tool) {
    case 'web_search':
      return [{ type: 'web_search_20250305', name: tool, ...webSettings(settings), ...locationOf(settings) }];
    case 'web_fetch':
      return [{ type: 'web_fetch_20250910', name: tool, ...webSettings(settings), citations: { enabled: true } }];
    case 'code_execution':
      return [{ type: 'code_execution_20250825', name: tool }];
    case 'remote_mcp':
      return [{ type: 'mcp_toolset', mcp_server_name: settings.serverLabel, ...allowedIn(settings) }];
    case 'file_search':
    case 'image_generation':
      return [];
  }
}

function webSettings({ maxUses, allowedDomains = [], blockedDomains = [] }: ProviderToolSettings): object {
  return {
    ...(maxUses !== undefined && { max_uses: maxUses }),
    ...(allowedDomains.length > 0 && { allowed_domains: allowedDomains }),
    ...(blockedDomains.length > 0 && { blocked_domains: blockedDomains }),
  };
}

function locationOf({ userLocation }: ProviderToolSettings): object {
  return userLocation === undefined ? {} : { user_location: { type: 'approximate', ...userLocation } };
}

/** Of a server's tools all are on, unless some are named. */
function allowedIn({ allowedTools = [] }: ProviderToolSettings): object {
  if (allowedTools.length === 0) return {};
  return {
    default_config: { enabled: false },
    configs: Object.fromEntries(allowedTools.map((name) => [name, { enabled: true }])),
  };
}

/** Whether code runs at the provider: then the container that it ran in before is asked for again. */
export const runsCode = (wanted: readonly ProviderTool[]): boolean =>
  wanted.some(({ tool }) => tool === 'code_execution');
