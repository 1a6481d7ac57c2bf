import { isPlainObject } from '../blocks/plain-object.ts';

/** What providers run themselves for a model, if a branch switches it on. */
export const PROVIDER_TOOL_NAMES = [
  'web_search',
  'web_fetch',
  'code_execution',
  'file_search',
  'image_generation',
  'remote_mcp',
] as const;
export type ProviderToolName = (typeof PROVIDER_TOOL_NAMES)[number];

/** Where a person is, roughly, for a search. */
export interface UserLocation {
  readonly city?: string | undefined;
  readonly region?: string | undefined;
  /** Two letters. */
  readonly country?: string | undefined;
  readonly timezone?: string | undefined;
}

/**
 * How a tool of the provider is used. No provider takes all of it; there is no secret among it, because an envelope is
 * exported with its project. What a server wants to be shown is named here, and filled in when the request is sent.
 */
export interface ProviderToolSettings {
  readonly allowedDomains?: readonly string[] | undefined;
  readonly blockedDomains?: readonly string[] | undefined;
  /** How often a reply may use it. */
  readonly maxUses?: number | undefined;
  readonly userLocation?: UserLocation | undefined;
  /** The stores that files are searched in, by the provider's ids. */
  readonly vectorStores?: readonly string[] | undefined;
  readonly maxResults?: number | undefined;
  /** The size and quality of a picture, in the provider's words. */
  readonly size?: string | undefined;
  readonly quality?: string | undefined;
  /** A remote MCP server, and the name that its tools are listed under. */
  readonly serverUrl?: string | undefined;
  readonly serverLabel?: string | undefined;
  /** The name of a configured secret that the server is shown; absent: it asks for none. */
  readonly authorization?: string | undefined;
  /** Those of its tools that may be called; absent: all. */
  readonly allowedTools?: readonly string[] | undefined;
}
export type ProviderToolSetting = keyof ProviderToolSettings;

/** A tool of the provider that a branch has switched on. */
export interface ProviderTool {
  readonly tool: ProviderToolName;
  readonly settings?: ProviderToolSettings | undefined;
}

const TEXT = (value: unknown): boolean => typeof value === 'string';
const TEXTS = (value: unknown): boolean => Array.isArray(value) && value.every(TEXT);
const COUNT = (value: unknown): boolean => Number.isInteger(value) && Number(value) > 0;

const LOCATION: ReadonlySet<string> = new Set(['city', 'region', 'country', 'timezone']);

const SETTINGS: Readonly<Record<ProviderToolSetting, (value: unknown) => boolean>> = {
  allowedDomains: TEXTS,
  blockedDomains: TEXTS,
  maxUses: COUNT,
  userLocation: (value) =>
    isPlainObject(value) &&
    Object.entries(value).every(([key, part]) => LOCATION.has(key) && (part === undefined || TEXT(part))),
  vectorStores: TEXTS,
  maxResults: COUNT,
  size: TEXT,
  quality: TEXT,
  serverUrl: TEXT,
  serverLabel: TEXT,
  authorization: TEXT,
  allowedTools: TEXTS,
};

const isSetting = (key: string): key is ProviderToolSetting => Object.hasOwn(SETTINGS, key);

/** Whether a stored value is a tool of a provider, with settings of the right kinds. */
export function isProviderTool(value: unknown): value is ProviderTool {
  if (!isPlainObject(value) || !PROVIDER_TOOL_NAMES.some((name) => name === value['tool'])) return false;
  const { settings } = value;
  if (settings === undefined) return true;
  if (!isPlainObject(settings)) return false;
  return Object.entries(settings).every(([key, part]) => isSetting(key) && (part === undefined || SETTINGS[key](part)));
}
