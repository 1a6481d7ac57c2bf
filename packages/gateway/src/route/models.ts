import type { ProtocolId } from '@bough/core';
import type { ModelInfo } from '@bough/providers';
import type { RouteRule } from './rules.ts';

/** A model that clients may ask for, and the one that answers. */
export interface RoutedModel {
  readonly id: string;
  readonly info: Pick<ModelInfo, 'contextWindow' | 'maxOutputTokens'>;
}

/** The models that rules name in full: what a pattern stands for is known only when somebody asks for it. */
export const namedModels = (rules: readonly RouteRule[], from: string): readonly RouteRule[] =>
  rules.filter((rule) => rule.from === from && !rule.model.includes('*'));

const SINCE = '2026-01-01T00:00:00Z';

/** One model in the form of a protocol. */
export function modelEntry(protocol: ProtocolId, { id, info }: RoutedModel): unknown {
  switch (protocol) {
    case 'anthropic-messages':
      return {
        type: 'model',
        id,
        display_name: id,
        created_at: SINCE,
        max_input_tokens: info.contextWindow,
        max_tokens: info.maxOutputTokens,
      };
    case 'openai-responses':
    case 'openai-chat':
      return { id, object: 'model', created: Date.parse(SINCE) / 1_000, owned_by: 'bough' };
    case 'gemini':
      return {
        name: `models/${id}`,
        version: id,
        displayName: id,
        description: '',
        inputTokenLimit: info.contextWindow,
        outputTokenLimit: info.maxOutputTokens,
        supportedGenerationMethods: ['generateContent', 'countTokens'],
      };
  }
}

/** A whole list. */
export function modelList(protocol: ProtocolId, models: readonly RoutedModel[]): unknown {
  const entries = models.map((model) => modelEntry(protocol, model));
  switch (protocol) {
    case 'anthropic-messages':
      return { data: entries, has_more: false, first_id: models[0]?.id ?? null, last_id: models.at(-1)?.id ?? null };
    case 'openai-responses':
    case 'openai-chat':
      return { object: 'list', data: entries };
    case 'gemini':
      return { models: entries };
  }
}
