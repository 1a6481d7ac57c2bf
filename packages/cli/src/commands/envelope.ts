import { THINKING_LEVELS } from './thinking-levels.ts';
import { schemas } from '@bough/api';
import { FILES_OTHERWISE, PROVIDER_TOOL_NAMES } from '@bough/core';
import type { Input, OptionSpecs } from '../arguments/index.ts';
import { UsageError } from '../arguments/index.ts';

/** How long a reply may be. */
export const LIMIT_OPTIONS: OptionSpecs = {
  'max-tokens': { description: 'the most tokens of a reply (default: what the model allows)', value: 'number' },
  'fail-early': { description: 'refuse a request that --max-tokens does not fit, instead of lowering it' },
};

/** Going on where a budget is used up. */
export const BUDGET_OPTION: OptionSpecs = {
  'over-budget': { description: 'send it even if a budget is used up' },
};

export function overBudgetOf(input: Input) {
  return input.flag('over-budget') ? { overBudget: true } : {};
}

/** What a branch is locked to, on the command line. */
export const ENVELOPE_OPTIONS: OptionSpecs = {
  provider: { description: 'the provider, such as anthropic or simulated', value: 'id' },
  model: { description: 'the model', value: 'id' },
  system: { description: 'the system prompt', value: 'text' },
  tools: { description: 'tools that the model may use, with commas between', value: 'names' },
  'provider-tools': {
    description:
      'what the provider runs itself, with commas between, or JSON with settings; "none" switches all of it off',
    value: 'names',
  },
  'files-otherwise': {
    description: 'what a model gets of files that it does not take: their text, or nothing',
    value: 'form',
    choices: FILES_OTHERWISE,
  },
  effort: { description: 'how hard the model is asked to think', value: 'level', choices: THINKING_LEVELS },
  ...LIMIT_OPTIONS,
};

export const PRESET_OPTION: OptionSpecs = {
  preset: { description: 'the preset to begin with; other options count more', value: 'name' },
};

export function presetOf(input: Input) {
  return defined('preset', input.text('preset'));
}

export function limitsOf(input: Input) {
  return {
    ...defined('maxTokens', input.whole('max-tokens')),
    ...(input.flag('fail-early') ? { failEarly: true } : {}),
  };
}

export function envelopeOf(input: Input) {
  const level = THINKING_LEVELS.find((known) => known === input.text('effort'));
  return {
    ...defined('provider', input.text('provider')),
    ...defined('model', input.text('model')),
    ...defined('systemPrompt', input.text('system')),
    ...defined('tools', namesOf(input.text('tools'))),
    ...defined('providerTools', providerToolsIn(input.text('provider-tools'))),
    ...defined(
      'filesOtherwise',
      FILES_OTHERWISE.find((known) => known === input.text('files-otherwise')),
    ),
    ...defined('thinking', level),
    ...limitsOf(input),
  };
}

/** `web_search,code_execution`, or the list as the API takes it: settings have no shorter form. */
function providerToolsIn(value: string | undefined): ProviderToolsRequest | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (text === 'none') return [];
  const wanted = text.startsWith('[') ? parsed(text) : namesOf(text)?.map((tool) => ({ tool }));
  const read = schemas.ProviderTools.safeParse(wanted);
  if (read.success) return read.data;
  const known = PROVIDER_TOOL_NAMES.join(', ');
  throw new UsageError(`--provider-tools takes names of ${known}, or a JSON list of {"tool", "settings"}.`);
}

type ProviderToolsRequest = ReturnType<typeof schemas.ProviderTools.parse>;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function namesOf(value: string | undefined): string[] | undefined {
  return value
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function defined<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  if (value === undefined) return {};
  const given: { [K in Key]?: Value } = {};
  given[key] = value;
  return given;
}
