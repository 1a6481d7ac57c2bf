/** What the models of one of OpenAI's families have in common, on both of its APIs. */
export interface OpenAiFamily {
  readonly family: string;
  readonly thinks: 'always' | 'on_request' | 'never';
  /** The efforts that all models of the family take, weakest first. */
  readonly efforts: readonly string[];
  /** False for a model that refuses system and developer messages. */
  readonly takesSystem: boolean;
  readonly usesTools: boolean;
  /** All models of the family take pictures and PDFs. */
  readonly sees: boolean;
  /** On Chat Completions, function tools only work with the effort `none`. */
  readonly toolsNeedNoEffort: boolean;
  readonly window: number;
  readonly output: number;
}

const USUAL = { takesSystem: true, usesTools: true, sees: false, toolsNeedNoEffort: false } as const;
const PLAIN = { ...USUAL, thinks: 'never', efforts: [], window: 128_000, output: 16_384 } as const;
const O_SERIES = { ...USUAL, thinks: 'always', window: 200_000, output: 100_000 } as const;
const GPT = { ...USUAL, sees: true, window: 400_000, output: 128_000 } as const;
const LOW_TO_HIGH = ['low', 'medium', 'high'];

/**
 * The one place where the name of an OpenAI model that no catalogue lists is interpreted. Null if it tells nothing: a
 * name of somebody's own, or of a family that is not known yet.
 */
export function openaiFamily(id: string): OpenAiFamily | null {
  if (/^o1-(?:mini|preview)/.test(id)) {
    // The first of them: no system prompt, no tools, no effort.
    return {
      ...O_SERIES,
      family: 'o1-mini',
      efforts: [],
      takesSystem: false,
      usesTools: false,
      window: 128_000,
      output: 32_768,
    };
  }
  if (/^o\d+(?:-|$)/.test(id)) return { ...O_SERIES, family: 'o-series', efforts: LOW_TO_HIGH };
  if (/^(?:gpt-3|gpt-4|chatgpt-)/.test(id)) return { ...PLAIN, family: 'GPT-4' };
  const version = Number(/^gpt-(\d+(?:\.\d+)?)/.exec(id)?.[1]);
  if (!(version >= 5)) return null;
  const family = `GPT-${Math.floor(version)}`;
  if (/-chat(?:-|$)/.test(id)) return { ...PLAIN, family, usesTools: false };
  if (/-pro(?:-|$)/.test(id)) return { ...GPT, family, thinks: 'always', efforts: ['high'] };
  if (version < 5.1) return { ...GPT, family, thinks: 'always', efforts: ['minimal', ...LOW_TO_HIGH] };
  const switchable = { ...GPT, family, thinks: 'on_request', efforts: ['none', ...LOW_TO_HIGH] } as const;
  return { ...switchable, toolsNeedNoEffort: version >= 5.4 };
}
