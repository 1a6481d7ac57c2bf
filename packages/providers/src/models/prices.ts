import type { Price } from './model.ts';

/**
 * What models cost, in US dollars per million tokens: the one place for prices. A model that is not here has no known
 * price, which is not the same as none. A configuration may say otherwise: `models: [{ id, price }]`.
 */
interface PriceList {
  /** The vendor's own page. */
  readonly source: string;
  /** When it was read. */
  readonly asOf: string;
  readonly models: Readonly<Record<string, Rates>>;
}

/** Input, output, then what reading from the cache, writing to it and writing for an hour cost where that differs. */
type Rates = readonly [input: number, output: number, read?: number, write?: number, longWrite?: number];

/** Reading costs a tenth of input, writing a quarter more, and writing for an hour twice as much. */
const claude = (input: number, output: number): Rates => [input, output, input / 10, input * 1.25, input * 2];

/** From GPT-5.6 on writing costs a quarter more than input; before, nothing more. */
const written = (input: number, read: number, output: number): Rates => [input, output, read, input * 1.25];

/** Reading from the implicit cache costs a tenth of input. */
const gemini = (input: number, output: number): Rates => [input, output, input / 10];

export const PRICE_LISTS = {
  anthropic: {
    source: 'https://platform.claude.com/docs/en/about-claude/pricing',
    asOf: '2026-11-15',
    // Not here: Fable 5.2, Mythos 5.1 and 5.2 (no price seen), Haiku 5.5 (depends on the length of the prompt).
    models: {
      'claude-fable-5-1': claude(10, 50),
      'claude-opus-5-5': claude(4, 20),
      'claude-sonnet-5-5': claude(2, 10),
      'claude-opus-5': claude(5, 25),
      'claude-sonnet-5': claude(2, 10),
      'claude-fable-5': claude(10, 50),
      'claude-mythos-5': claude(10, 50),
      'claude-opus-4-8': claude(5, 25),
      'claude-opus-4-7': claude(5, 25),
      'claude-opus-4-6': claude(5, 25),
      'claude-sonnet-4-6': claude(3, 15),
      'claude-opus-4-5': claude(5, 25),
      'claude-sonnet-4-5': claude(3, 15),
      'claude-haiku-4-5': claude(1, 5),
      'claude-opus-4-1': claude(15, 75),
      'claude-opus-4': claude(15, 75),
      'claude-sonnet-4': claude(3, 15),
      'claude-3-7-sonnet': claude(3, 15),
    },
  },
  openai: {
    source: 'https://developers.openai.com/api/docs/pricing',
    asOf: '2026-11-15',
    models: {
      'gpt-6.1-sol': written(2, 0.1, 10),
      'gpt-6-astra': written(10, 1, 50),
      'gpt-6-sol': written(2, 0.2, 10),
      'gpt-6-luna': written(0.1, 0.01, 0.5),
      'gpt-5.6-sol': written(4, 0.4, 20),
      'gpt-5.6-terra': written(2, 0.2, 12),
      'gpt-5.6-luna': written(0.2, 0.02, 1.2),
      'gpt-5.5': [5, 30, 0.5],
      'gpt-5.4': [2.5, 15, 0.25],
      'gpt-5.4-mini': [0.75, 4.5, 0.075],
      'gpt-5.4-nano': [0.2, 1.25, 0.02],
      'gpt-5.3-codex': [1.75, 14, 0.175],
      'gpt-5.2': [1.75, 14, 0.175],
      'gpt-5.2-codex': [1.75, 14, 0.175],
      'gpt-5.1': [1.25, 10, 0.125],
      'gpt-5': [1.25, 10, 0.125],
      'gpt-5-mini': [0.25, 2, 0.025],
      'gpt-5-nano': [0.05, 0.4, 0.005],
      'gpt-5-codex': [1.25, 10, 0.125],
      'gpt-5-chat-latest': [1.25, 10, 0.125],
      'o4-mini': [1.1, 4.4, 0.275],
      o3: [2, 8, 0.5],
      'o3-mini': [1.1, 4.4, 0.55],
      o1: [15, 60, 7.5],
      'gpt-4.1': [2, 8, 0.5],
      'gpt-4.1-mini': [0.4, 1.6, 0.1],
      'gpt-4o': [2.5, 10, 1.25],
      'gpt-4o-mini': [0.15, 0.6, 0.075],
    },
  },
  gemini: {
    source: 'https://ai.google.dev/gemini-api/docs/pricing',
    asOf: '2026-10-07',
    // The cheaper of two prices if one is for long prompts: the cost shown is then a lower bound, never a guess. The
    // price of 3.6 to 3.8 Flash doubles on 2027-01-01.
    models: {
      'gemini-3.8-flash': gemini(0.75, 3.75),
      'gemini-3.7-flash': gemini(0.75, 3.75),
      'gemini-3.6-flash': gemini(0.75, 3.75),
      'gemini-3.5-flash': gemini(1.5, 9),
      'gemini-3.5-flash-lite': gemini(0.3, 2.5),
      'gemini-3.1-pro-preview': gemini(2, 12),
      'gemini-2.5-pro': gemini(1.25, 10),
      'gemini-2.5-flash': gemini(0.3, 2.5),
      'gemini-2.5-flash-lite': gemini(0.1, 0.4),
    },
  },
  deepseek: {
    source: 'https://api-docs.deepseek.com/quick_start/pricing',
    asOf: '2026-07-01',
    models: { 'deepseek-v4-pro': [0.435, 0.87, 0.003625], 'deepseek-v4-flash': [0.14, 0.28, 0.0028] },
  },
  moonshot: {
    source: 'https://platform.moonshot.ai/docs/pricing/chat',
    asOf: '2026-07-01',
    models: {
      'kimi-k2.7-code': [0.95, 4, 0.19],
      'kimi-k2.6': [0.95, 4, 0.16],
      'kimi-k2.5': [0.6, 3, 0.1],
      'kimi-k2-thinking': [0.6, 2.5, 0.15],
    },
  },
  groq: {
    source: 'https://groq.com/pricing',
    asOf: '2026-07-01',
    models: {
      'openai/gpt-oss-120b': [0.15, 0.6, 0.075],
      'openai/gpt-oss-20b': [0.075, 0.3, 0.0375],
      'qwen/qwen3-32b': [0.29, 0.59],
      'llama-3.3-70b-versatile': [0.59, 0.79],
    },
  },
  mistral: {
    source: 'https://mistral.ai/pricing',
    asOf: '2026-07-01',
    models: {
      'mistral-small-latest': [0.15, 0.6],
      'magistral-medium-latest': [2, 5],
      'mistral-large-latest': [0.5, 1.5],
      'ministral-8b-latest': [0.1, 0.1],
    },
  },
  xai: {
    source: 'https://docs.x.ai/docs/models',
    asOf: '2026-07-01',
    models: {
      'grok-4.3': [1.25, 2.5, 0.2],
      'grok-4.20-0309-reasoning': [1.25, 2.5, 0.2],
      'grok-4.20-0309-non-reasoning': [1.25, 2.5, 0.2],
    },
  },
} as const satisfies Readonly<Record<string, PriceList>>;

/** What a vendor asks for a model; undefined where that is not known. */
export function listedPrice(vendor: string, model: string): Price | undefined {
  const list = isVendor(vendor) ? (PRICE_LISTS[vendor] as PriceList) : undefined;
  const rates = list?.models[model];
  if (list === undefined || rates === undefined) return undefined;
  const [input, output, cachedInput, cacheWrite, longCacheWrite] = rates;
  return {
    input,
    output,
    ...(cachedInput !== undefined && { cachedInput }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...(longCacheWrite !== undefined && { longCacheWrite }),
    asOf: list.asOf,
  };
}

const isVendor = (vendor: string): vendor is keyof typeof PRICE_LISTS => Object.hasOwn(PRICE_LISTS, vendor);

/** The price as a part of a model's facts: nothing where it is not known. */
export function priced(vendor: string, model: string): { readonly price?: Price } {
  const price = listedPrice(vendor, model);
  return price === undefined ? {} : { price };
}

/** The price of a model whose vendor is not named: an adviser, for example. */
export function priceByName(model: string): Price | undefined {
  const name = model.replace(/-\d{8}$/, '');
  return Object.keys(PRICE_LISTS)
    .map((vendor) => listedPrice(vendor, name))
    .find((price) => price !== undefined);
}
