import type { Availability, ProviderToolName } from '@bough/core';

/** US dollars per million tokens, with the date on which the price was read. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number;
  readonly cacheWrite?: number;
  /** Writing what stays for an hour. */
  readonly longCacheWrite?: number;
  readonly asOf: string;
}

/**
 * What Bough knows about a model. `traits` is what only its protocol understands (which thinking parameters it takes,
 * whether it binds thinking to its prefix, …): declared here once, read in the protocol, never guessed from a name
 * elsewhere.
 */
export interface ModelInfo {
  readonly id: string;
  readonly label: string;
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  /** How much of its reasoning a person can expect to see. */
  readonly reasoning: Availability;
  /** True if thinking can be switched on. */
  readonly canThink: boolean;
  /** True if thinking cannot be switched off. */
  readonly alwaysThinks: boolean;
  /** True for models that accept signed thinking back only after the same prefix. */
  readonly bindsThinkingToPrefix: boolean;
  readonly canUseTools: boolean;
  /** Whether it takes images; absent if nobody said. */
  readonly canSee?: boolean;
  /** Whether it reads PDFs; absent if nobody said. */
  readonly canReadPdfs?: boolean;
  /** Whether it takes sound; absent if nobody said. */
  readonly canHear?: boolean;
  /** What its vendor runs for it, where the vendor itself serves it. Absent: nothing. */
  readonly providerTools?: readonly ProviderToolName[];
  /** The family whose pattern the name fits, for a model that the catalogue does not list. */
  readonly family?: string;
  /** The configuration describes it: as a change of a model that the catalogue lists, or alone. */
  readonly configured?: 'changed' | 'alone';
  /** False for a model that the catalogue does not list: it works, with conservative limits. */
  readonly known: boolean;
  readonly price?: Price;
  readonly traits: Readonly<Record<string, unknown>>;
}
