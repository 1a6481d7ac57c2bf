import { THINKING_LEVELS } from './thinking-levels.ts';
import type { Input, OptionSpecs } from '../arguments/index.ts';

/** How long a reply may be. */
export const LIMIT_OPTIONS: OptionSpecs = {
  'max-tokens': { description: 'the most tokens of a reply (default: what the model allows)', value: 'number' },
  'fail-early': { description: 'refuse a request that --max-tokens does not fit, instead of lowering it' },
};

/** What a branch is locked to, on the command line. */
export const ENVELOPE_OPTIONS: OptionSpecs = {
  provider: { description: 'the provider, such as anthropic or simulated', value: 'id' },
  model: { description: 'the model', value: 'id' },
  system: { description: 'the system prompt', value: 'text' },
  tools: { description: 'tools that the model may use, with commas between', value: 'names' },
  effort: { description: 'how hard the model is asked to think', value: 'level', choices: THINKING_LEVELS },
  ...LIMIT_OPTIONS,
};

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
    ...defined('thinking', level),
    ...limitsOf(input),
  };
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
