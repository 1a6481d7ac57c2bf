import type { ProviderToolName } from '@bough/core';
import type { ThinkingFact } from '../../models/facts.ts';
import { modelLookup, unknownModel } from '../../models/lookup.ts';
import type { ModelInfo } from '../../models/model.ts';
import { priced } from '../../models/prices.ts';
import { openaiFamily } from '../openai-family.ts';
import type { Effort, ResponsesTraits } from './traits.ts';
import { EFFORTS, readTraits } from './traits.ts';

const LOW_TO_MAX: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];
const LOW_TO_XHIGH: readonly Effort[] = ['low', 'medium', 'high', 'xhigh'];
const LOW_TO_HIGH: readonly Effort[] = ['low', 'medium', 'high'];

/** Shared by a generation. `all_turns` and modes came with 5.6, phases with 5.3. */
const REASONING: ResponsesTraits = {
  efforts: LOW_TO_HIGH,
  summaries: true,
  allTurns: false,
  modes: false,
  phases: false,
  sampling: 'never',
  cacheOptions: false,
};
const GPT_5: ResponsesTraits = { ...REASONING, sampling: 'without_reasoning' };
const GPT_5_3: ResponsesTraits = { ...GPT_5, phases: true };
const GPT_5_6: ResponsesTraits = { ...GPT_5_3, allTurns: true, modes: true, cacheOptions: true };
const PLAIN: ResponsesTraits = { ...REASONING, efforts: [], summaries: false, sampling: 'always' };

interface Row {
  readonly id: string;
  readonly label: string;
  readonly window: number;
  readonly output: number;
  readonly traits: ResponsesTraits;
}

const ROWS: readonly Row[] = [
  row('gpt-6.1-sol', 'GPT-6.1 Sol', 1_050_000, 128_000, { ...GPT_5_6, efforts: LOW_TO_MAX }),
  row('gpt-6-astra', 'GPT-6 Astra', 1_050_000, 128_000, { ...GPT_5_6, efforts: LOW_TO_MAX }),
  row('gpt-6-sol', 'GPT-6 Sol', 1_050_000, 128_000, withNone(GPT_5_6, LOW_TO_MAX)),
  row('gpt-6-luna', 'GPT-6 Luna', 1_050_000, 128_000, withNone(GPT_5_6, LOW_TO_MAX)),
  row('gpt-5.6-sol', 'GPT-5.6 Sol', 1_050_000, 128_000, withNone(GPT_5_6, LOW_TO_MAX)),
  row('gpt-5.6-terra', 'GPT-5.6 Terra', 1_050_000, 128_000, withNone(GPT_5_6, LOW_TO_MAX)),
  row('gpt-5.6-luna', 'GPT-5.6 Luna', 1_050_000, 128_000, withNone(GPT_5_6, LOW_TO_MAX)),
  row('gpt-5.5', 'GPT-5.5', 1_050_000, 128_000, withNone(GPT_5_3, LOW_TO_XHIGH)),
  row('gpt-5.4', 'GPT-5.4', 1_050_000, 128_000, withNone(GPT_5_3, LOW_TO_XHIGH)),
  row('gpt-5.4-mini', 'GPT-5.4 mini', 400_000, 128_000, withNone(GPT_5_3, LOW_TO_XHIGH)),
  row('gpt-5.4-nano', 'GPT-5.4 nano', 400_000, 128_000, withNone(GPT_5_3, LOW_TO_XHIGH)),
  row('gpt-5.3-codex', 'GPT-5.3 Codex', 400_000, 128_000, { ...GPT_5_3, efforts: LOW_TO_XHIGH }),
  row('gpt-5.2', 'GPT-5.2', 400_000, 128_000, withNone(GPT_5, LOW_TO_XHIGH)),
  row('gpt-5.2-codex', 'GPT-5.2 Codex', 400_000, 128_000, { ...GPT_5, efforts: LOW_TO_XHIGH }),
  row('gpt-5.1', 'GPT-5.1', 400_000, 128_000, withNone(GPT_5, LOW_TO_HIGH)),
  row('gpt-5', 'GPT-5', 400_000, 128_000, { ...REASONING, efforts: ['minimal', ...LOW_TO_HIGH] }),
  row('gpt-5-mini', 'GPT-5 mini', 400_000, 128_000, {
    ...REASONING,
    efforts: ['minimal', ...LOW_TO_HIGH],
  }),
  row('gpt-5-nano', 'GPT-5 nano', 400_000, 128_000, {
    ...REASONING,
    efforts: ['minimal', ...LOW_TO_HIGH],
  }),
  row('gpt-5-codex', 'GPT-5 Codex', 400_000, 128_000, REASONING),
  row('gpt-5-pro', 'GPT-5 pro', 400_000, 272_000, { ...REASONING, efforts: ['high'] }),
  // Named like its reasoning sibling, but not a snapshot of it: it refuses every reasoning parameter.
  row('gpt-5-chat-latest', 'GPT-5 chat', 128_000, 16_384, PLAIN),
  row('o4-mini', 'o4-mini', 200_000, 100_000, REASONING),
  row('o3', 'o3', 200_000, 100_000, REASONING),
  row('o3-mini', 'o3-mini', 200_000, 100_000, REASONING),
  row('o1', 'o1', 200_000, 100_000, { ...REASONING, summaries: false }),
  row('gpt-4.1', 'GPT-4.1', 1_047_576, 32_768, PLAIN),
  row('gpt-4.1-mini', 'GPT-4.1 mini', 1_047_576, 32_768, PLAIN),
  row('gpt-4o', 'GPT-4o', 128_000, 16_384, PLAIN),
  row('gpt-4o-mini', 'GPT-4o mini', 128_000, 16_384, PLAIN),
];

function row(id: string, label: string, window: number, output: number, traits: ResponsesTraits): Row {
  return { id, label, window, output, traits };
}

function withNone(traits: ResponsesTraits, efforts: readonly Effort[]): ResponsesTraits {
  return { ...traits, efforts: ['none', ...efforts] };
}

/** All others take pictures and PDFs. Sound has an API of its own. */
const BLIND: ReadonlySet<string> = new Set(['o3-mini']);

const RUNS: readonly ProviderToolName[] = [
  'web_search',
  'code_execution',
  'file_search',
  'image_generation',
  'remote_mcp',
];
/**
 * Models that run less than all of them. Not checked against the vendor's pages: a tool that is missing here is not
 * offered, and one too many is refused by the provider. The first reasoning models and the chat model get none.
 */
const RUNS_LESS: Readonly<Record<string, readonly ProviderToolName[]>> = {
  'gpt-5-pro': ['web_search', 'file_search', 'image_generation', 'remote_mcp'],
  'gpt-5-codex': ['web_search', 'remote_mcp'],
  'gpt-5.2-codex': ['web_search', 'remote_mcp'],
  'gpt-5.3-codex': ['web_search', 'remote_mcp'],
  'o4-mini': ['web_search', 'code_execution', 'file_search', 'remote_mcp'],
  'gpt-5-chat-latest': [],
  'o3-mini': [],
  o1: [],
};

function runsFor(id: string): readonly ProviderToolName[] {
  return RUNS_LESS[id] ?? RUNS;
}

export const OPENAI_RESPONSES_MODELS: readonly ModelInfo[] = ROWS.map(({ id, label, window, output, traits }) => {
  return {
    id,
    label,
    contextWindow: window,
    maxOutputTokens: output,
    reasoning: traits.efforts.length === 0 ? 'none' : traits.summaries ? 'summary' : 'none',
    canThink: traits.efforts.length > 0,
    alwaysThinks: traits.efforts.length > 0 && !traits.efforts.includes('none'),
    // The encrypted content is bound to its issuer, not to its prefix.
    bindsThinkingToPrefix: false,
    canUseTools: true,
    ...(!BLIND.has(id) && { canSee: true, canReadPdfs: true }),
    providerTools: runsFor(id),
    known: true,
    ...priced('openai', id),
    traits: { ...traits },
  };
});

/**
 * A model whose family is known is asked for the efforts that all of it take. Any other is called without a reasoning
 * parameter: that works with every model, though only with its default effort.
 */
export const openaiResponsesModelInfo = modelLookup(OPENAI_RESPONSES_MODELS, (id) => {
  const other = unknownModel(id, { bindsThinkingToPrefix: false, reasoning: 'summary' });
  const found = openaiFamily(id);
  // The first of the o-series are served by Chat Completions alone.
  if (found === null || !found.takesSystem) return other;
  const sees = found.sees ? { canSee: true, canReadPdfs: true } : {};
  // What is run for a model that nobody described is not known: the search is what they all have.
  const runs = { providerTools: ['web_search'] } as const;
  const limits = { contextWindow: found.window, maxOutputTokens: found.output, family: found.family, ...sees, ...runs };
  if (found.thinks === 'never') return { ...other, ...limits, reasoning: 'none', traits: { ...PLAIN } };
  const efforts = EFFORTS.filter((effort) => found.efforts.includes(effort));
  const alwaysThinks = found.thinks === 'always';
  return { ...other, ...limits, canThink: true, alwaysThinks, traits: { ...REASONING, efforts } };
});

/** What was said about a model's thinking, in the traits of this protocol. */
export function responsesThinking(info: ModelInfo, { when, how = [] }: ThinkingFact): ModelInfo {
  const traits = readTraits(info);
  const said = EFFORTS.filter((effort) => how.includes(effort));
  const asked = traits.efforts.length > 0 ? traits.efforts : LOW_TO_HIGH;
  const thinks = when === 'never' ? [] : said.length > 0 ? said : asked;
  const efforts = when === 'always' ? thinks.filter((effort) => effort !== 'none') : thinks;
  return { ...info, traits: { ...info.traits, efforts, summaries: efforts.length > 0 } };
}
