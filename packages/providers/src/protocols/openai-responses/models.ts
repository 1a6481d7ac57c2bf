import type { ThinkingFact } from '../../models/facts.ts';
import { modelLookup, unknownModel } from '../../models/lookup.ts';
import type { ModelInfo, Price } from '../../models/model.ts';
import { openaiFamily } from '../openai-family.ts';
import type { Effort, ResponsesTraits } from './traits.ts';
import { EFFORTS, readTraits } from './traits.ts';

const AS_OF = '2026-11-15';

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
};
const GPT_5: ResponsesTraits = { ...REASONING, sampling: 'without_reasoning' };
const GPT_5_3: ResponsesTraits = { ...GPT_5, phases: true };
const GPT_5_6: ResponsesTraits = { ...GPT_5_3, allTurns: true, modes: true };
const PLAIN: ResponsesTraits = { ...REASONING, efforts: [], summaries: false, sampling: 'always' };

interface Row {
  readonly id: string;
  readonly label: string;
  readonly window: number;
  readonly output: number;
  /** Dollars per million tokens: input, cached input, output. Absent if no price was found. */
  readonly price?: readonly [number, number, number];
  /** Writing to the cache, if that costs more than reading the input. */
  readonly cacheWrite?: number;
  readonly traits: ResponsesTraits;
}

const ROWS: readonly Row[] = [
  row('gpt-6.1-sol', 'GPT-6.1 Sol', 1_050_000, 128_000, [2, 0.1, 10], { ...GPT_5_6, efforts: LOW_TO_MAX }, 2.5),
  row('gpt-6-astra', 'GPT-6 Astra', 1_050_000, 128_000, [10, 1, 50], { ...GPT_5_6, efforts: LOW_TO_MAX }, 12.5),
  row('gpt-6-sol', 'GPT-6 Sol', 1_050_000, 128_000, [2, 0.2, 10], withNone(GPT_5_6, LOW_TO_MAX), 2.5),
  row('gpt-6-luna', 'GPT-6 Luna', 1_050_000, 128_000, [0.1, 0.01, 0.5], withNone(GPT_5_6, LOW_TO_MAX), 0.125),
  row('gpt-5.6-sol', 'GPT-5.6 Sol', 1_050_000, 128_000, [4, 0.4, 20], withNone(GPT_5_6, LOW_TO_MAX), 5),
  row('gpt-5.6-terra', 'GPT-5.6 Terra', 1_050_000, 128_000, [2, 0.2, 12], withNone(GPT_5_6, LOW_TO_MAX), 2.5),
  row('gpt-5.6-luna', 'GPT-5.6 Luna', 1_050_000, 128_000, [0.2, 0.02, 1.2], withNone(GPT_5_6, LOW_TO_MAX), 0.25),
  row('gpt-5.5', 'GPT-5.5', 1_050_000, 128_000, [5, 0.5, 30], withNone(GPT_5_3, LOW_TO_XHIGH)),
  row('gpt-5.4', 'GPT-5.4', 1_050_000, 128_000, [2.5, 0.25, 15], withNone(GPT_5_3, LOW_TO_XHIGH)),
  row('gpt-5.4-mini', 'GPT-5.4 mini', 400_000, 128_000, [0.75, 0.075, 4.5], withNone(GPT_5_3, LOW_TO_XHIGH)),
  row('gpt-5.4-nano', 'GPT-5.4 nano', 400_000, 128_000, [0.2, 0.02, 1.25], withNone(GPT_5_3, LOW_TO_XHIGH)),
  row('gpt-5.3-codex', 'GPT-5.3 Codex', 400_000, 128_000, [1.75, 0.175, 14], { ...GPT_5_3, efforts: LOW_TO_XHIGH }),
  row('gpt-5.2', 'GPT-5.2', 400_000, 128_000, [1.75, 0.175, 14], withNone(GPT_5, LOW_TO_XHIGH)),
  row('gpt-5.2-codex', 'GPT-5.2 Codex', 400_000, 128_000, [1.75, 0.175, 14], { ...GPT_5, efforts: LOW_TO_XHIGH }),
  row('gpt-5.1', 'GPT-5.1', 400_000, 128_000, [1.25, 0.125, 10], withNone(GPT_5, LOW_TO_HIGH)),
  row('gpt-5', 'GPT-5', 400_000, 128_000, [1.25, 0.125, 10], { ...REASONING, efforts: ['minimal', ...LOW_TO_HIGH] }),
  row('gpt-5-mini', 'GPT-5 mini', 400_000, 128_000, [0.25, 0.025, 2], {
    ...REASONING,
    efforts: ['minimal', ...LOW_TO_HIGH],
  }),
  row('gpt-5-nano', 'GPT-5 nano', 400_000, 128_000, [0.05, 0.005, 0.4], {
    ...REASONING,
    efforts: ['minimal', ...LOW_TO_HIGH],
  }),
  row('gpt-5-codex', 'GPT-5 Codex', 400_000, 128_000, [1.25, 0.125, 10], REASONING),
  row('gpt-5-pro', 'GPT-5 pro', 400_000, 272_000, undefined, { ...REASONING, efforts: ['high'] }),
  // Named like its reasoning sibling, but not a snapshot of it: it refuses every reasoning parameter.
  row('gpt-5-chat-latest', 'GPT-5 chat', 128_000, 16_384, [1.25, 0.125, 10], PLAIN),
  row('o4-mini', 'o4-mini', 200_000, 100_000, [1.1, 0.275, 4.4], REASONING),
  row('o3', 'o3', 200_000, 100_000, [2, 0.5, 8], REASONING),
  row('o3-mini', 'o3-mini', 200_000, 100_000, [1.1, 0.55, 4.4], REASONING),
  row('o1', 'o1', 200_000, 100_000, [15, 7.5, 60], { ...REASONING, summaries: false }),
  row('gpt-4.1', 'GPT-4.1', 1_047_576, 32_768, [2, 0.5, 8], PLAIN),
  row('gpt-4.1-mini', 'GPT-4.1 mini', 1_047_576, 32_768, [0.4, 0.1, 1.6], PLAIN),
  row('gpt-4o', 'GPT-4o', 128_000, 16_384, [2.5, 1.25, 10], PLAIN),
  row('gpt-4o-mini', 'GPT-4o mini', 128_000, 16_384, [0.15, 0.075, 0.6], PLAIN),
];

function row(
  id: string,
  label: string,
  window: number,
  output: number,
  price: Row['price'],
  traits: ResponsesTraits,
  cacheWrite?: number,
): Row {
  return {
    id,
    label,
    window,
    output,
    traits,
    ...(price !== undefined && { price }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  };
}

function withNone(traits: ResponsesTraits, efforts: readonly Effort[]): ResponsesTraits {
  return { ...traits, efforts: ['none', ...efforts] };
}

export const OPENAI_RESPONSES_MODELS: readonly ModelInfo[] = ROWS.map(
  ({ id, label, window, output, traits, ...cost }) => {
    const price = priceOf(cost);
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
      known: true,
      ...(price !== undefined && { price }),
      traits: { ...traits },
    };
  },
);

function priceOf({ price, cacheWrite }: Pick<Row, 'price' | 'cacheWrite'>): Price | undefined {
  if (price === undefined) return undefined;
  const [input, cachedInput, output] = price;
  return { input, cachedInput, output, asOf: AS_OF, ...(cacheWrite !== undefined && { cacheWrite }) };
}

/**
 * A model whose family is known is asked for the efforts that all of it take. Any other is called without a reasoning
 * parameter: that works with every model, though only with its default effort.
 */
export const openaiResponsesModelInfo = modelLookup(OPENAI_RESPONSES_MODELS, (id) => {
  const other = unknownModel(id, { bindsThinkingToPrefix: false, reasoning: 'summary' });
  const found = openaiFamily(id);
  // The first of the o-series are served by Chat Completions alone.
  if (found === null || !found.takesSystem) return other;
  const limits = { contextWindow: found.window, maxOutputTokens: found.output, family: found.family };
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
