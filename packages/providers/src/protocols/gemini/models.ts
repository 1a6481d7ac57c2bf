import type { ProviderToolName } from '@bough/core';
import type { ThinkingFact } from '../../models/facts.ts';
import { modelLookup, unknownModel } from '../../models/lookup.ts';
import type { ModelInfo } from '../../models/model.ts';
import { priced } from '../../models/prices.ts';
import type { GeminiTraits, ThinkingControl, ThinkingLevel } from './traits.ts';
import { THINKING_LEVELS, traitsOf } from './traits.ts';

const CONTEXT_WINDOW = 1_048_576;
const MAX_OUTPUT_TOKENS = 65_536;

/**
 * Calls must be signed since Gemini 3; from 3.5 on the signatures of all turns are read, and a request must not end
 * with a model turn.
 */
const GEMINI_3: Omit<GeminiTraits, 'thinking'> = {
  requiresSignatures: true,
  readsEarlierSignatures: false,
  usesCallIds: true,
  refusesModelEnding: false,
  combinesTools: true,
};

const GEMINI_3_5: Omit<GeminiTraits, 'thinking'> = {
  ...GEMINI_3,
  readsEarlierSignatures: true,
  refusesModelEnding: true,
};

const GEMINI_2_5: Omit<GeminiTraits, 'thinking'> = {
  requiresSignatures: false,
  readsEarlierSignatures: false,
  usesCallIds: false,
  refusesModelEnding: false,
  combinesTools: false,
};

/** Every Gemini takes pictures, PDFs and sound. */
const TAKES_ALL = { canSee: true, canReadPdfs: true, canHear: true } as const;

/** What Google runs for a model. Before Gemini 3 nothing went together with a search of files. */
const RUNS_2_5: readonly ProviderToolName[] = ['web_search', 'web_fetch', 'code_execution'];
const RUNS_3: readonly ProviderToolName[] = [...RUNS_2_5, 'file_search'];

const levels = (...names: readonly ThinkingLevel[]): ThinkingControl => ({ by: 'level', levels: names });
const FROM_LOW = levels('low', 'medium', 'high');
/** The levels that every Gemini 3 knows, and the budgets that every Gemini 2.5 takes. */
const EVERY_GEMINI_3 = levels('low', 'high');
const EVERY_GEMINI_2_5: ThinkingControl = { by: 'budget', min: 1_024, max: 24_576, canDisable: false };
const FROM_MINIMAL = levels('minimal', 'low', 'medium', 'high');

export const GEMINI_MODELS: readonly ModelInfo[] = [
  model('gemini-3.8-flash', 'Gemini 3.8 Flash', { ...GEMINI_3_5, thinking: FROM_LOW }),
  model('gemini-3.7-flash', 'Gemini 3.7 Flash', { ...GEMINI_3_5, thinking: FROM_LOW }),
  model('gemini-3.6-flash', 'Gemini 3.6 Flash', { ...GEMINI_3_5, thinking: FROM_LOW }),
  // Served by 3.6 Flash today, so it has that model's levels.
  model('gemini-3.5-flash', 'Gemini 3.5 Flash', { ...GEMINI_3_5, thinking: FROM_LOW }),
  model('gemini-3.5-flash-lite', 'Gemini 3.5 Flash-Lite', { ...GEMINI_3_5, thinking: FROM_MINIMAL }),
  model('gemini-3.1-pro-preview', 'Gemini 3.1 Pro (preview)', { ...GEMINI_3, thinking: FROM_LOW }),
  model('gemini-3.1-flash-lite', 'Gemini 3.1 Flash-Lite', { ...GEMINI_3, thinking: FROM_MINIMAL }),
  model('gemini-3-flash-preview', 'Gemini 3 Flash (preview)', { ...GEMINI_3, thinking: FROM_MINIMAL }),
  model('gemini-2.5-pro', 'Gemini 2.5 Pro', { ...GEMINI_2_5, thinking: budget(128, 32_768, false) }),
  model('gemini-2.5-flash', 'Gemini 2.5 Flash', { ...GEMINI_2_5, thinking: budget(1, 24_576, true) }),
  model('gemini-2.5-flash-lite', 'Gemini 2.5 Flash-Lite', { ...GEMINI_2_5, thinking: budget(512, 24_576, true) }),
];

export const DEFAULT_GEMINI_MODEL = 'gemini-3.8-flash';

export const geminiModelInfo = modelLookup(GEMINI_MODELS, otherModel);

/** The one place where a name is interpreted: a version that the list does not have yet, or no longer has. */
function otherModel(id: string): ModelInfo {
  const version = Number(/gemini-(\d+(?:\.\d+)?)/.exec(id)?.[1]);
  const family = Number.isNaN(version) ? {} : { family: `Gemini ${Math.floor(version)}`, ...TAKES_ALL };
  const limits = { contextWindow: 131_072, maxOutputTokens: 8_192, bindsThinkingToPrefix: false, ...family };
  const none: ThinkingControl = { by: 'none' };
  if (version < 3) return unknownModel(id, { ...limits, traits: { ...GEMINI_2_5, thinking: none } });
  const runs = Number.isNaN(version) ? {} : { providerTools: RUNS_3 };
  const thinks = { ...limits, ...runs, reasoning: 'summary', canThink: true, alwaysThinks: true } as const;
  if (version < 3.5) return unknownModel(id, { ...thinks, traits: { ...GEMINI_3, thinking: EVERY_GEMINI_3 } });
  const thinking = Number.isNaN(version) ? none : EVERY_GEMINI_3;
  return unknownModel(id, { ...thinks, traits: { ...GEMINI_3_5, thinking } });
}

/** What was said about a model's thinking, in the traits of this protocol. */
export function geminiThinking(info: ModelInfo, { when, how = [] }: ThinkingFact): ModelInfo {
  const traits = traitsOf(info);
  const said = THINKING_LEVELS.filter((level) => how.includes(level));
  const usual = traits.requiresSignatures ? EVERY_GEMINI_3 : EVERY_GEMINI_2_5;
  const asked = traits.thinking.by === 'none' ? usual : traits.thinking;
  const thinking = when === 'never' ? { by: 'none' } : said.length > 0 ? { by: 'level', levels: said } : asked;
  return { ...info, traits: { ...info.traits, thinking } };
}

function model(id: string, label: string, traits: GeminiTraits): ModelInfo {
  const { thinking } = traits;
  return {
    id,
    label,
    contextWindow: CONTEXT_WINDOW,
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    reasoning: 'summary',
    canThink: thinking.by !== 'none',
    alwaysThinks: thinking.by === 'budget' ? !thinking.canDisable : true,
    bindsThinkingToPrefix: false,
    canUseTools: true,
    ...TAKES_ALL,
    providerTools: traits.combinesTools ? RUNS_3 : RUNS_2_5,
    known: true,
    ...priced('gemini', id),
    traits: { ...traits },
  };
}

function budget(min: number, max: number, canDisable: boolean): ThinkingControl {
  return { by: 'budget', min, max, canDisable };
}
