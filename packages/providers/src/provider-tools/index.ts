import type {
  ProtocolId,
  ProviderTool,
  ProviderToolName,
  ProviderToolSetting,
  ProviderToolSettings,
  ToolDefinition,
} from '@bough/core';
import { PROVIDER_TOOL_NAMES } from '@bough/core';
import type { Deployment } from '../deployment.ts';
import type { ModelInfo } from '../models/model.ts';
import { isSecretName } from '../secrets/index.ts';
import { traitsOf } from '../protocols/gemini/traits.ts';

/** A tool that a provider runs itself, as a model offers it. */
export interface OfferedProviderTool {
  readonly tool: ProviderToolName;
  /** The settings that it takes. */
  readonly settings: readonly ProviderToolSetting[];
  /** Those of them that it cannot do without. */
  readonly required: readonly ProviderToolSetting[];
}

type Form = Omit<OfferedProviderTool, 'tool'>;

const takes = (...settings: readonly ProviderToolSetting[]): Form => ({ settings, required: [] });
const needs = (required: readonly ProviderToolSetting[], ...more: readonly ProviderToolSetting[]): Form => ({
  settings: [...required, ...more],
  required,
});

const MCP = needs(['serverUrl', 'serverLabel'], 'authorization', 'allowedTools');

/** What each protocol can ask for, and with which settings. As of 2026-11, from the vendors' API references. */
const FORMS: Readonly<Record<ProtocolId, Partial<Readonly<Record<ProviderToolName, Form>>>>> = {
  'anthropic-messages': {
    web_search: takes('allowedDomains', 'blockedDomains', 'maxUses', 'userLocation'),
    web_fetch: takes('allowedDomains', 'blockedDomains', 'maxUses'),
    code_execution: takes(),
    remote_mcp: MCP,
  },
  'openai-responses': {
    web_search: takes('allowedDomains', 'userLocation'),
    code_execution: takes(),
    file_search: needs(['vectorStores'], 'maxResults'),
    image_generation: takes('size', 'quality'),
    remote_mcp: MCP,
  },
  // Each vendor of this protocol has ways of its own; none of them is offered.
  'openai-chat': {},
  gemini: {
    web_search: takes(),
    web_fetch: takes(),
    code_execution: takes(),
    file_search: needs(['vectorStores']),
  },
};

type Server = Pick<Deployment, 'label' | 'protocol' | 'providerTools'>;

/** What can be switched on for a model: what the protocol has words for, the deployment serves and the model takes. */
export function offeredProviderTools(
  { protocol, providerTools: served = [] }: Server,
  { providerTools: taken = [] }: Pick<ModelInfo, 'providerTools'>,
): readonly OfferedProviderTool[] {
  return PROVIDER_TOOL_NAMES.flatMap((tool) => {
    const form = FORMS[protocol][tool];
    return form === undefined || !served.includes(tool) || !taken.includes(tool) ? [] : [{ tool, ...form }];
  });
}

/** A tool that cannot be switched on, and why. */
export interface RefusedProviderTool {
  readonly tool: ProviderToolName;
  readonly message: string;
}

export interface ProviderToolChoice {
  /** Those that can be used, in order. */
  readonly kept: readonly ProviderTool[];
  readonly refused: readonly RefusedProviderTool[];
}

/** Which of the tools can be used with a model, next to the tools that the client runs. */
export function chooseProviderTools(
  deployment: Server,
  model: ModelInfo,
  wanted: readonly ProviderTool[],
  tools: readonly (ToolDefinition | string)[],
): ProviderToolChoice {
  const offered = offeredProviderTools(deployment, model);
  const kept: ProviderTool[] = [];
  const refused: RefusedProviderTool[] = [];
  for (const asked of wanted) {
    const message =
      problemOf(asked, offered, `${deployment.label}/${model.id}`) ??
      togetherProblem(asked, kept) ??
      (deployment.protocol === 'gemini' ? searchProblem(asked, kept) : null) ??
      (tools.length > 0 && !combines(deployment, model)
        ? `${model.id} uses ${asked.tool} only without other tools. Switch one of them off.`
        : null);
    if (message === null) kept.push(asked);
    else refused.push({ tool: asked.tool, message });
  }
  return { kept, refused };
}

/** Before Gemini 3, a request had functions or Google's own tools, never both. */
function combines({ protocol }: Server, model: ModelInfo): boolean {
  return protocol !== 'gemini' || traitsOf(model).combinesTools;
}

/** Google searches a client's files or the web, not both in one request. */
function searchProblem({ tool }: ProviderTool, kept: readonly ProviderTool[]): string | null {
  const isOfWeb = (name: ProviderToolName): boolean => name === 'web_search' || name === 'web_fetch';
  const other = kept.find((each) =>
    tool === 'file_search' ? isOfWeb(each.tool) : isOfWeb(tool) && each.tool === 'file_search',
  );
  return other === undefined ? null : `${tool} and ${other.tool} do not go together here. Switch one of them off.`;
}

function problemOf(
  { tool, settings = {} }: ProviderTool,
  offered: readonly OfferedProviderTool[],
  model: string,
): string | null {
  const form = offered.find((each) => each.tool === tool);
  if (form === undefined) {
    const others = offered.map((each) => each.tool).join(', ') || 'nothing';
    return `${model} does not offer ${tool}. It offers ${others}.`;
  }
  const given = settingsIn(settings);
  const unknown = given.find((key) => !form.settings.includes(key));
  if (unknown !== undefined) {
    const known = form.settings.length === 0 ? 'It has none.' : `It has ${form.settings.join(', ')}.`;
    return `${tool} of ${model} has no setting "${unknown}". ${known}`;
  }
  const missing = form.required.find((key) => !given.includes(key));
  if (missing !== undefined) return `${tool} needs the setting "${missing}".`;
  if (given.includes('allowedDomains') && given.includes('blockedDomains'))
    return `${tool} takes allowed domains or blocked domains, not both.`;
  const domain = [...(settings.allowedDomains ?? []), ...(settings.blockedDomains ?? [])].find(
    (name) => !DOMAIN.test(name),
  );
  if (domain !== undefined)
    return `A domain is written without https:// and without a port, such as example.com; "${domain}" is not.`;
  if (settings.serverUrl !== undefined && !settings.serverUrl.startsWith('https://'))
    return `The address of an MCP server begins with https://, and "${settings.serverUrl}" does not.`;
  if (settings.serverLabel !== undefined && !LABEL.test(settings.serverLabel))
    return `The label of an MCP server is made of letters, digits, _ and -, and "${settings.serverLabel}" is not.`;
  if (settings.authorization !== undefined && !isSecretName(settings.authorization))
    return 'A secret is named, as in the configuration, and never given itself: letters, digits, _ and -.';
  return null;
}

/** A host, perhaps with a path. Providers answer anything else with an error, some of them only when they search. */
const DOMAIN = /^[^\s:/?#@]+\.[^\s:/?#@]+(?:\/[^\s?#]*)?$/;

const LABEL = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** The settings that say something: an empty list says nothing. */
function settingsIn(settings: ProviderToolSettings): readonly ProviderToolSetting[] {
  return (Object.keys(settings) as ProviderToolSetting[]).filter((key) => {
    const value = settings[key];
    return value !== undefined && !(Array.isArray(value) && value.length === 0);
  });
}

/** Each can be switched on once, and an MCP server once for each label. */
function togetherProblem({ tool, settings }: ProviderTool, kept: readonly ProviderTool[]): string | null {
  const twin = kept.find((each) => each.tool === tool && each.settings?.serverLabel === settings?.serverLabel);
  if (twin === undefined) return null;
  return tool === 'remote_mcp'
    ? `There are two MCP servers with the label "${settings?.serverLabel ?? ''}".`
    : `${tool} is named twice.`;
}
