import { bearer } from '../../auth/index.ts';
import type { Deployment } from '../../deployment.ts';
import { priced } from '../../models/prices.ts';
import { modelLookup, unknownModel } from '../../models/lookup.ts';
import type { ModelInfo, Price } from '../../models/model.ts';
import type { Quirks } from './traits.ts';

/** A model in short form: omitted values are the usual case. */
export interface ChatModel {
  readonly id: string;
  readonly label?: string;
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  /** Whether it reasons: on request, always, or not at all. */
  readonly thinks?: 'on_request' | 'always' | 'never';
  /** How much of it can be seen; all of it by default. */
  readonly shows?: ModelInfo['reasoning'];
  readonly bindsThinkingToPrefix?: boolean;
  readonly canUseTools?: boolean;
  /** Whether it takes pictures and PDFs; neither by default. */
  readonly canSee?: boolean;
  readonly canReadPdfs?: boolean;
  readonly price?: Price;
  readonly traits?: Partial<Quirks>;
}

export type ModelGuess = Partial<Omit<ModelInfo, 'id' | 'known'>>;

export interface ChatDeployment {
  readonly id: string;
  readonly label: string;
  readonly baseUrl: string;
  readonly keyEnv: readonly string[];
  readonly baseUrlEnv: readonly string[];
  readonly keyOptional?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly models: readonly ChatModel[];
  readonly defaultModel: string;
  /** What an unlisted model is assumed to be. Nothing here binds thinking to its prefix unless it says so. */
  readonly unknown?: ModelGuess;
  /** What the name of an unlisted model tells; null if nothing. */
  readonly family?: (model: string) => ModelGuess | null;
  readonly quirks: Partial<Quirks>;
}

export function chatDeployment(spec: ChatDeployment): Deployment {
  const models = spec.models.map((model) => chatModel({ ...priced(spec.id, model.id), ...model }));
  return {
    id: spec.id,
    label: spec.label,
    protocol: 'openai-chat',
    baseUrl: spec.baseUrl,
    keyEnv: spec.keyEnv,
    baseUrlEnv: spec.baseUrlEnv,
    keyOptional: spec.keyOptional ?? false,
    authorize: bearer,
    headers: spec.headers ?? {},
    models,
    defaultModel: spec.defaultModel,
    modelInfo: modelLookup(models, (id) =>
      unknownModel(id, { bindsThinkingToPrefix: false, ...spec.unknown, ...spec.family?.(id) }),
    ),
    quirks: { ...spec.quirks },
  };
}

export function chatModel(model: ChatModel): ModelInfo {
  const thinks = model.thinks ?? 'never';
  return {
    id: model.id,
    label: model.label ?? model.id,
    contextWindow: model.contextWindow,
    maxOutputTokens: model.maxOutputTokens,
    reasoning: thinks === 'never' ? 'none' : (model.shows ?? 'full'),
    canThink: thinks !== 'never',
    alwaysThinks: thinks === 'always',
    bindsThinkingToPrefix: model.bindsThinkingToPrefix ?? false,
    canUseTools: model.canUseTools ?? true,
    canSee: model.canSee ?? false,
    canReadPdfs: model.canReadPdfs ?? false,
    known: true,
    ...(model.price && { price: model.price }),
    traits: { ...model.traits },
  };
}

/** What the pattern of a name says about a model's thinking, in short form. */
export function family(
  name: string,
  thinks: 'on_request' | 'always' | 'never',
  { shows = 'full', traits, ...more }: ModelGuess & { readonly shows?: ModelInfo['reasoning'] } = {},
): ModelGuess {
  return {
    family: name,
    reasoning: thinks === 'never' ? 'none' : shows,
    canThink: thinks !== 'never',
    alwaysThinks: thinks === 'always',
    ...more,
    ...(traits && { traits }),
  };
}
