import type { ProtocolId } from '@bough/core';
import type { ClientBody } from '../dialect.ts';
import { field } from '../dialects/gemini/fields.ts';
import { objectOf } from '../dialects/json.ts';

/**
 * Settings that change a reply and that a route has no words for in the other protocol, with the value that is no more
 * than what happens anyway.
 */
const SETTINGS: Readonly<Record<ProtocolId, Readonly<Record<string, unknown>>>> = {
  'anthropic-messages': {
    temperature: 1,
    top_p: 1,
    top_k: undefined,
    stop_sequences: undefined,
    'output_config.format': undefined,
    'tool_choice.disable_parallel_tool_use': false,
    mcp_servers: undefined,
  },
  'openai-responses': {
    temperature: 1,
    top_p: 1,
    'text.format.type': 'text',
    'text.verbosity': 'medium',
    parallel_tool_calls: true,
    max_tool_calls: undefined,
    prompt: undefined,
  },
  'openai-chat': {
    temperature: 1,
    top_p: 1,
    n: 1,
    stop: undefined,
    seed: undefined,
    'response_format.type': 'text',
    parallel_tool_calls: true,
    presence_penalty: 0,
    frequency_penalty: 0,
    logit_bias: undefined,
    logprobs: false,
  },
  gemini: {
    'generationConfig.temperature': 1,
    'generationConfig.topP': 1,
    'generationConfig.topK': undefined,
    'generationConfig.candidateCount': 1,
    'generationConfig.seed': undefined,
    'generationConfig.stopSequences': undefined,
    'generationConfig.responseMimeType': 'text/plain',
    'generationConfig.responseSchema': undefined,
    'generationConfig.responseJsonSchema': undefined,
    cachedContent: undefined,
  },
};

/** What a client asked for and does not get behind a route, by the names that its own protocol has for it. */
export function leftOut({ protocol, json, providerTools }: ClientBody): readonly string[] {
  const body = json();
  const settings = Object.entries(SETTINGS[protocol]).flatMap(([path, usual]) => {
    const value = path.split('.').reduce<unknown>((holder, key) => field(objectOf(holder), key), body);
    return value === undefined || value === usual || isEmpty(value) ? [] : [path];
  });
  return providerTools.length === 0 ? settings : [...settings, 'tools'];
}

const isEmpty = (value: unknown): boolean => typeof value === 'object' && Object.keys(value ?? {}).length === 0;
