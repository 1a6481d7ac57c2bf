import type { ProviderToolName } from '@bough/core';
import type { ThinkingFact } from '../../models/facts.ts';
import { unknownModel } from '../../models/lookup.ts';
import type { ModelInfo } from '../../models/model.ts';
import { priced } from '../../models/prices.ts';
import type { ClaudeTraits, Effort } from './traits.ts';
import { CONSERVATIVE, EFFORTS, THINKING_TYPES, traitsOf, withTraits } from './traits.ts';

// As of 2026-11, from the vendor's model pages, error reference and migration guides (platform.claude.com/docs).

const LOW_TO_HIGH: readonly Effort[] = ['low', 'medium', 'high'];
const UP_TO_MAX: readonly Effort[] = [...LOW_TO_HIGH, 'max'];
const ALL_EFFORTS: readonly Effort[] = [...LOW_TO_HIGH, 'xhigh', 'max'];

// In order of release: a model from before October 2026 reads the thinking of those released before it.
const BEFORE_4_5 = ['claude-3-7-sonnet', 'claude-sonnet-4', 'claude-opus-4', 'claude-opus-4-1'];
const SONNET_4_5 = [...BEFORE_4_5, 'claude-sonnet-4-5'];
const HAIKU_4_5 = [...SONNET_4_5, 'claude-haiku-4-5'];
const OPUS_4_5 = [...HAIKU_4_5, 'claude-opus-4-5'];
const GENERATION_4_6 = [...OPUS_4_5, 'claude-opus-4-6', 'claude-sonnet-4-6'];
const OPUS_4_7 = [...GENERATION_4_6, 'claude-opus-4-7'];
const OPUS_4_8 = [...OPUS_4_7, 'claude-opus-4-8'];
const FABLE_5 = [...OPUS_4_8, 'claude-fable-5', 'claude-mythos-5'];
const SONNET_5 = [...FABLE_5, 'claude-sonnet-5'];
const OPUS_5 = [...SONNET_5, 'claude-opus-5'];
const withoutFable = (models: readonly string[]) => models.filter((id) => !/fable|mythos/.test(id));

const ALWAYS_ON: ClaudeTraits = {
  thinking: ['adaptive'],
  thinkingDefault: 'on',
  displayDefault: 'omitted',
  effort: ALL_EFFORTS,
  forcedToolChoice: 'rejected',
  prefill: false,
  sampling: 'rejected',
  prefixCheck: 'new_accounts',
  systemMessages: true,
  // Adaptive thinking goes on between tools by itself.
  interleaves: 'never',
  reads: [],
};
const GENERATION_5_2 = ['claude-fable-5-2', 'claude-mythos-5-2'];
const FABLE_5_2: ClaudeTraits = {
  ...ALWAYS_ON,
  prefixCheck: 'every_account',
  refusedTools: ['computer_20251124'],
  advisors: GENERATION_5_2,
  reads: GENERATION_5_2,
};
const FABLE_5_1: ClaudeTraits = {
  ...ALWAYS_ON,
  reads: [...OPUS_5, 'claude-fable-5-1', 'claude-mythos-5-1', 'claude-opus-5-5', 'claude-haiku-5-5'],
};
const SWITCHABLE: ClaudeTraits = {
  ...ALWAYS_ON,
  thinking: ['adaptive', 'disabled'],
  forcedToolChoice: 'accepted',
  prefixCheck: 'none',
};
const ADAPTIVE_BY_REQUEST: ClaudeTraits = { ...SWITCHABLE, thinkingDefault: 'off' };
const MANUAL: ClaudeTraits = {
  thinking: ['enabled', 'disabled'],
  thinkingDefault: 'off',
  displayDefault: 'summarized',
  effort: [],
  forcedToolChoice: 'rejected_while_thinking',
  prefill: true,
  sampling: 'thinking_off',
  prefixCheck: 'none',
  systemMessages: false,
  interleaves: 'by_header',
  reads: BEFORE_4_5,
};
const MANUAL_OR_ADAPTIVE: ClaudeTraits = {
  ...MANUAL,
  thinking: ['adaptive', 'enabled', 'disabled'],
  effort: UP_TO_MAX,
  forcedToolChoice: 'rejected_in_manual_mode',
  prefill: false,
  interleaves: 'never',
  reads: GENERATION_4_6,
};

const MILLION = 1_000_000;

/** What is run for every model that is listed, and for those that come after them. */
const RUNS: readonly ProviderToolName[] = ['web_search', 'web_fetch', 'code_execution', 'remote_mcp'];

function claude(
  id: string,
  label: string,
  traits: ClaudeTraits,
  limits: { readonly window: number; readonly output: number },
): ModelInfo {
  return {
    id,
    label,
    contextWindow: limits.window,
    maxOutputTokens: limits.output,
    reasoning: 'summary',
    canThink: true,
    alwaysThinks: traits.thinkingDefault === 'on' && !traits.thinking.includes('disabled'),
    bindsThinkingToPrefix: traits.prefixCheck !== 'none',
    canUseTools: true,
    // Every model that is listed takes pictures and PDFs; none takes sound.
    canSee: true,
    canReadPdfs: true,
    providerTools: RUNS,
    known: true,
    ...priced('anthropic', id),
    traits: withTraits(traits),
  };
}

const LARGE = { window: MILLION, output: 128_000 };
const small = (output = 64_000) => ({ window: 200_000, output });

/** The models on offer. */
export const CLAUDE_MODELS: readonly ModelInfo[] = [
  claude('claude-fable-5-2', 'Claude Fable 5.2', FABLE_5_2, LARGE),
  claude('claude-mythos-5-2', 'Claude Mythos 5.2', FABLE_5_2, LARGE),
  claude('claude-fable-5-1', 'Claude Fable 5.1', FABLE_5_1, LARGE),
  // Sources disagree on whether Mythos 5.1 checks the prefix; the newer one says that it does, for all accounts.
  claude('claude-mythos-5-1', 'Claude Mythos 5.1', { ...FABLE_5_1, prefixCheck: 'every_account' }, LARGE),
  claude(
    'claude-opus-5-5',
    'Claude Opus 5.5',
    { ...ALWAYS_ON, reads: [...withoutFable(OPUS_5), 'claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-5-5'] },
    LARGE,
  ),
  claude(
    'claude-sonnet-5-5',
    'Claude Sonnet 5.5',
    {
      ...ALWAYS_ON,
      thinking: ['adaptive', 'between_tools'],
      reads: [...withoutFable(OPUS_4_8), 'claude-sonnet-5', 'claude-sonnet-5-5', 'claude-haiku-5-5'],
    },
    LARGE,
  ),
  claude(
    'claude-haiku-5-5',
    'Claude Haiku 5.5',
    { ...SWITCHABLE, sampling: 'fixed', prefixCheck: 'new_accounts', reads: ['claude-haiku-5-5'] },
    LARGE,
  ),
  claude('claude-opus-5', 'Claude Opus 5', { ...SWITCHABLE, reads: OPUS_5 }, LARGE),
  claude('claude-sonnet-5', 'Claude Sonnet 5', { ...SWITCHABLE, systemMessages: false, reads: SONNET_5 }, LARGE),
  claude(
    'claude-fable-5',
    'Claude Fable 5',
    { ...ALWAYS_ON, forcedToolChoice: 'accepted', prefixCheck: 'none', reads: FABLE_5 },
    LARGE,
  ),
  claude(
    'claude-mythos-5',
    'Claude Mythos 5',
    { ...ALWAYS_ON, forcedToolChoice: 'accepted', prefixCheck: 'none', reads: FABLE_5 },
    LARGE,
  ),
  claude('claude-opus-4-8', 'Claude Opus 4.8', { ...ADAPTIVE_BY_REQUEST, reads: OPUS_4_8 }, LARGE),
  claude(
    'claude-opus-4-7',
    'Claude Opus 4.7',
    { ...ADAPTIVE_BY_REQUEST, systemMessages: false, reads: OPUS_4_7 },
    LARGE,
  ),
  claude('claude-opus-4-6', 'Claude Opus 4.6', MANUAL_OR_ADAPTIVE, LARGE),
  claude('claude-sonnet-4-6', 'Claude Sonnet 4.6', MANUAL_OR_ADAPTIVE, {
    window: MILLION,
    output: 64_000,
  }),
  claude('claude-opus-4-5', 'Claude Opus 4.5', { ...MANUAL, effort: LOW_TO_HIGH, reads: OPUS_4_5 }, small()),
  claude('claude-sonnet-4-5', 'Claude Sonnet 4.5', { ...MANUAL, reads: SONNET_4_5 }, small()),
  claude('claude-haiku-4-5', 'Claude Haiku 4.5', { ...MANUAL, runsPrograms: false, reads: HAIKU_4_5 }, small()),
];

/** Models that are no longer offered but may occur in a stored conversation, or on a compatible server. */
const EARLIER_MODELS: readonly ModelInfo[] = [
  claude('claude-opus-4-1', 'Claude Opus 4.1', MANUAL, small(32_000)),
  claude('claude-opus-4', 'Claude Opus 4', MANUAL, small(32_000)),
  claude('claude-sonnet-4', 'Claude Sonnet 4', MANUAL, small()),
  {
    ...claude('claude-3-7-sonnet', 'Claude Sonnet 3.7', { ...MANUAL, interleaves: 'never' }, small()),
    reasoning: 'full',
  },
];

const BY_ID = new Map([...CLAUDE_MODELS, ...EARLIER_MODELS].map((model) => [model.id, model]));

/** A snapshot has the traits of its model: `…-20250929`, `…@20250929`, `…-latest`, `…-4-0`. */
export function catalogueId(model: string): string {
  return model.replace(/[-@]\d{8}$|-latest$/, '').replace(/^(claude-(?:opus|sonnet)-4)-0$/, '$1');
}

export function claudeModelInfo(model: string): ModelInfo {
  const known = BY_ID.get(catalogueId(model));
  if (known !== undefined) return { ...known, id: model };
  return unknownModel(model, {
    contextWindow: 200_000,
    maxOutputTokens: 8_192,
    reasoning: 'summary',
    traits: withTraits(CONSERVATIVE),
    ...familyOf(model),
  });
}

/** Takes no thinking parameter at all, and has nothing to bind. */
const BEFORE_THINKING: ClaudeTraits = { ...MANUAL, thinking: [], interleaves: 'never', reads: [] };
/** What every model since 4.7 takes; whether a new one binds its thinking is better assumed than found out. */
const SINCE_4_7: ClaudeTraits = { ...ALWAYS_ON, effort: LOW_TO_HIGH, prefixCheck: 'every_account' };

/** The one place where a name is interpreted: `claude-3-5-haiku`, `claude-opus-6`, `claude-sonnet-6-1`. */
function familyOf(model: string): Partial<Omit<ModelInfo, 'id' | 'known'>> {
  const name = catalogueId(model);
  if (/^claude-(?:2|instant|3-(?:5-)?(?:opus|sonnet|haiku))/.test(name)) {
    const facts = { reasoning: 'none', bindsThinkingToPrefix: false, maxOutputTokens: 4_096 } as const;
    return { ...facts, family: 'Claude 3', traits: withTraits(BEFORE_THINKING) };
  }
  const [, major, minor] = /^claude-[a-z]+-(\d+)(?:-(\d+))?$/.exec(name) ?? [];
  if (major === undefined || Number(`${major}.${minor ?? '0'}`) < 4.7) return {};
  const sees = { canSee: true, canReadPdfs: true, providerTools: RUNS };
  return { ...sees, family: `Claude ${major}`, canThink: true, alwaysThinks: true, traits: withTraits(SINCE_4_7) };
}

/** What was said about a model's thinking, in the traits of this protocol. */
export function claudeThinking(info: ModelInfo, { when, how = [] }: ThinkingFact): ModelInfo {
  const traits = traitsOf(info);
  const types = THINKING_TYPES.filter((type) => how.includes(type));
  const asks = traits.thinking.some((type) => type === 'adaptive' || type === 'enabled');
  const thinking = types.length > 0 ? types : when === 'never' ? [] : asks ? traits.thinking : (['adaptive'] as const);
  return {
    ...info,
    traits: {
      ...info.traits,
      ...withTraits({
        ...traits,
        thinking: when === 'always' ? thinking.filter((type) => type !== 'disabled') : thinking,
        thinkingDefault: when === 'never' ? 'off' : traits.thinkingDefault,
        effort: how.length === 0 ? traits.effort : EFFORTS.filter((effort) => how.includes(effort)),
      }),
    },
  };
}

/** The trait that says the same as `bindsThinkingToPrefix`. */
export function bindClaude(info: ModelInfo): ModelInfo {
  const prefixCheck = info.bindsThinkingToPrefix ? 'every_account' : 'none';
  return { ...info, traits: { ...info.traits, ...withTraits({ ...traitsOf(info), prefixCheck }) } };
}

/** Whether `reader` can use thinking that `writer` produced. A model always reads its own. */
export function readsThinkingOf(reader: string, traits: ClaudeTraits, writer: string): boolean {
  return reader === writer || catalogueId(reader) === catalogueId(writer) || traits.reads.includes(catalogueId(writer));
}
