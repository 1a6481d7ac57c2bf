import type { ProtocolId } from '@bough/core';
import { isPlainObject } from '@bough/core';
import { modelsUrl as claudeModelsUrl } from '../../protocols/anthropic-messages/request/index.ts';
import { modelsUrl as geminiModelsUrl } from '../../protocols/gemini/request/endpoint.ts';
import type { ModelFacts, ThinkingFact } from '../facts.ts';

/** One page of a vendor's list of models. */
export interface ListPage {
  readonly models: readonly (readonly [id: string, facts: ModelFacts])[];
  /** What to ask the next page with; null at the end. */
  readonly next: string | null;
}

/** Where a page is. The key is not in it: URLs end up in logs. */
export function listUrl(protocol: ProtocolId, baseUrl: string, after: string | null): string {
  switch (protocol) {
    case 'anthropic-messages':
      return withQuery(claudeModelsUrl(baseUrl), { limit: '1000', ...(after !== null && { after_id: after }) });
    case 'gemini':
      return withQuery(geminiModelsUrl(baseUrl), { pageSize: '1000', ...(after !== null && { pageToken: after }) });
    case 'openai-chat':
    case 'openai-responses':
      return `${baseUrl.replace(/\/+$/, '')}/models`;
  }
}

function withQuery(url: string, query: Readonly<Record<string, string>>): string {
  return `${url}?${new URLSearchParams(query).toString()}`;
}

/** Reads what a vendor says about its models. Null if the body is no list: then nothing was learned. */
export function readPage(protocol: ProtocolId, body: unknown): ListPage | null {
  if (!isPlainObject(body)) return null;
  const list = protocol === 'gemini' ? body['models'] : body['data'];
  if (!Array.isArray(list)) return null;
  const entries = list.filter(isPlainObject);
  switch (protocol) {
    case 'anthropic-messages':
      return { models: entries.flatMap(claude), next: body['has_more'] === true ? text(body['last_id']) : null };
    case 'gemini':
      return { models: entries.flatMap(gemini), next: text(body['nextPageToken']) };
    case 'openai-chat':
    case 'openai-responses':
      return { models: entries.flatMap(compatible), next: null };
  }
}

type Json = Readonly<Record<string, unknown>>;
type Entry = readonly [string, ModelFacts];

/** https://platform.claude.com/docs/en/api/models/list */
function claude(model: Json): readonly Entry[] {
  const id = text(model['id']);
  if (id === null) return [];
  const can = at(model, 'capabilities');
  const thinking = claudeThinking(at(can, 'thinking'), at(can, 'effort'));
  const sees = supported(can, 'image_input');
  const reads = supported(can, 'pdf_input');
  return [
    [
      id,
      {
        ...label(model['display_name']),
        ...limits(model['max_input_tokens'], model['max_tokens']),
        ...(thinking && { thinking }),
        ...(sees !== null && { canSee: sees }),
        ...(reads !== null && { canReadPdfs: reads }),
      },
    ],
  ];
}

function claudeThinking(thinking: Json, effort: Json): ThinkingFact | null {
  const thinks = thinking['supported'];
  if (typeof thinks !== 'boolean') return null;
  const types = at(thinking, 'types');
  const how = [...namesIn(types), ...namesIn(effort)];
  const stops = supported(types, 'disabled');
  const when = !thinks ? 'never' : stops === null ? 'thinks' : stops ? 'on_request' : 'always';
  return { when, ...(how.length > 0 && { how }) };
}

const namesIn = (capabilities: Json): readonly string[] =>
  Object.keys(capabilities).filter((name) => supported(capabilities, name) === true);

function supported(capabilities: Json, name: string): boolean | null {
  const value = at(capabilities, name)['supported'];
  return typeof value === 'boolean' ? value : null;
}

/** https://ai.google.dev/api/models */
function gemini(model: Json): readonly Entry[] {
  const name = text(model['name']);
  if (name === null) return [];
  const { thinking } = model;
  return [
    [
      name.replace(/^models\//, ''),
      {
        ...label(model['displayName']),
        ...limits(model['inputTokenLimit'], model['outputTokenLimit']),
        ...(typeof thinking === 'boolean' && { thinking: { when: thinking ? 'thinks' : 'never' } as const }),
      },
    ],
  ];
}

/**
 * OpenAI's list and those of everyone who copied it. Most give ids only; what some add has one meaning wherever it
 * occurs: OpenRouter, Mistral, Groq, Moonshot, vLLM.
 */
function compatible(model: Json): readonly Entry[] {
  const id = text(model['id']);
  if (id === null) return [];
  const top = at(model, 'top_provider');
  const can = at(model, 'capabilities');
  const windows = [
    model['context_length'],
    model['context_window'],
    model['max_context_length'],
    model['max_model_len'],
  ];
  const window = Math.min(...[...windows, top['context_length']].filter(isCount));
  const output = [top['max_completion_tokens'], model['max_completion_tokens']].find(isCount);
  const thinking = compatibleThinking(model, can);
  const sees = vision(model, can);
  const tools = toolUse(model, can);
  const facts: ModelFacts = {
    ...label(model['name'] === id ? undefined : model['name']),
    ...limits(Number.isFinite(window) ? window : undefined, output),
    ...(thinking && { thinking }),
    ...(sees !== null && { canSee: sees }),
    ...otherInputs(model),
    ...(tools !== null && { canUseTools: tools }),
  };
  const aliases = Array.isArray(model['aliases']) ? model['aliases'].flatMap((alias) => text(alias) ?? []) : [];
  return [id, ...aliases].map((name): Entry => [name, facts]);
}

/** https://openrouter.ai/docs/models, and the flags of Mistral and Moonshot. */
function compatibleThinking(model: Json, can: Json): ThinkingFact | null {
  const parameters = model['supported_parameters'];
  if (Array.isArray(parameters)) {
    if (!parameters.includes('reasoning') && !parameters.includes('include_reasoning')) return { when: 'never' };
    const { mandatory, supported_efforts: efforts } = at(model, 'reasoning');
    const when = mandatory === true ? 'always' : mandatory === false ? 'on_request' : 'thinks';
    if (!Array.isArray(efforts)) return { when, ...(mandatory === false && { how: ALL_EFFORTS }) };
    const how = efforts.flatMap((effort) => text(effort) ?? []);
    return { when, how: mandatory === false && !how.includes('none') ? ['none', ...how] : how };
  }
  const flag = [can['reasoning'], model['supports_reasoning']].find((value) => typeof value === 'boolean');
  return flag === undefined ? null : { when: flag ? 'thinks' : 'never' };
}

/** A gateway that names no efforts takes all of them. */
const ALL_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high'];

function vision(model: Json, can: Json): boolean | null {
  const modalities = at(model, 'architecture')['input_modalities'];
  if (Array.isArray(modalities)) return modalities.includes('image');
  const flag = [can['vision'], model['supports_image_in']].find((value) => typeof value === 'boolean');
  return typeof flag === 'boolean' ? flag : null;
}

/** OpenRouter names what else a model takes. */
function otherInputs(model: Json): ModelFacts {
  const modalities = at(model, 'architecture')['input_modalities'];
  if (!Array.isArray(modalities)) return {};
  return {
    ...(modalities.includes('file') && { canReadPdfs: true }),
    ...(modalities.includes('audio') && { canHear: true }),
  };
}

function toolUse(model: Json, can: Json): boolean | null {
  const parameters = model['supported_parameters'];
  if (Array.isArray(parameters)) return parameters.includes('tools');
  const flag = can['function_calling'];
  return typeof flag === 'boolean' ? flag : null;
}

function limits(window: unknown, output: unknown): ModelFacts {
  return {
    ...(isCount(window) && { contextWindow: window }),
    ...(isCount(output) && { maxOutputTokens: output }),
  };
}

function label(value: unknown): ModelFacts {
  const name = text(value);
  return name === null ? {} : { label: name };
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0;

function at(value: Json, key: string): Json {
  const inner = value[key];
  return isPlainObject(inner) ? inner : {};
}

/** Names are shown to people: one that is longer than any name is none. */
const MAX_TEXT = 300;

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TEXT ? value : null;
}
