import type { Availability } from '@bough/core';
import type { ModelInfo, Price } from './model.ts';

/** When a model thinks, and the words that it takes for how: efforts, levels or types of thinking. */
export interface ThinkingFact {
  /** `thinks`: it does, and whether it can stop was not said. */
  readonly when: 'never' | 'on_request' | 'always' | 'thinks';
  readonly how?: readonly string[];
}

/** What a configuration or a vendor's list says about a model. What is absent was not said. */
export interface ModelFacts {
  readonly label?: string;
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  readonly thinking?: ThinkingFact;
  readonly reasoning?: Availability;
  readonly bindsThinkingToPrefix?: boolean;
  readonly canUseTools?: boolean;
  readonly canSee?: boolean;
  readonly canReadPdfs?: boolean;
  readonly canHear?: boolean;
  readonly price?: Price;
  readonly traits?: Readonly<Record<string, unknown>>;
}

/**
 * Where a fact comes from, the surest first: the configuration, Bough's catalogue, the vendor's own list of models,
 * what the name's family has in common, and nothing at all.
 */
export type FactSource = 'configuration' | 'catalogue' | 'list' | 'family' | 'assumed';

/** The facts that a request depends on. */
export const FACTS = ['contextWindow', 'maxOutputTokens', 'thinking', 'bindsThinkingToPrefix'] as const;
export type Fact = (typeof FACTS)[number];

/** A model as it is treated, with the source of each fact. */
export interface ModelDescription {
  readonly info: ModelInfo;
  readonly sources: Readonly<Record<Fact, FactSource>>;
}
