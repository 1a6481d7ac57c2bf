import type { Availability, ProtocolId } from '@bough/core';
import { PROVIDER_TOOL_NAMES } from '@bough/core';
import type { ModelInfo } from '../../models/model.ts';
import type { ClaudeTraits } from '../../protocols/anthropic-messages/traits.ts';
import { withTraits } from '../../protocols/anthropic-messages/traits.ts';
import type { GeminiTraits } from '../../protocols/gemini/traits.ts';
import type { Quirks } from '../../protocols/openai-chat/traits.ts';
import type { ResponsesTraits } from '../../protocols/openai-responses/traits.ts';

// Each model demonstrates one thing. Their ids mean the same in every protocol; a protocol lists those that it can
// show.

const CLAUDE: ClaudeTraits = {
  thinking: ['adaptive', 'enabled', 'disabled'],
  thinkingDefault: 'off',
  displayDefault: 'summarized',
  effort: ['low', 'medium', 'high'],
  forcedToolChoice: 'accepted',
  prefill: false,
  sampling: 'thinking_off',
  prefixCheck: 'none',
  systemMessages: true,
  interleaves: 'never',
  reads: [],
};

const RESPONSES: ResponsesTraits = {
  efforts: ['none', 'low', 'medium', 'high'],
  summaries: true,
  allTurns: true,
  modes: false,
  phases: true,
  sampling: 'without_reasoning',
  cacheOptions: true,
};

const CHAT: Partial<Quirks> = {
  reasoning: 'reasoning_content',
  demands: 'with_tools',
  // Between two tools it does not always think; then a blank stands in for the thought.
  blankReasoning: ' ',
  thinking: 'reasoning_effort',
  efforts: ['none', 'low', 'medium', 'high'],
};

const GEMINI: GeminiTraits = {
  thinking: { by: 'level', levels: ['minimal', 'low', 'medium', 'high'] },
  requiresSignatures: true,
  readsEarlierSignatures: true,
  refusesModelEnding: true,
  usesCallIds: true,
  combinesTools: true,
};

/** Only Gemini's protocol takes sound everywhere. */
const HEARS = { canHear: true } as const;

/** The plain models take nothing but text, and nothing is run for them. */
const NO_THINKING = {
  canThink: false,
  reasoning: 'none',
  canSee: false,
  canReadPdfs: false,
  canHear: false,
  providerTools: [],
} as const;

export const SIMULATED_MODELS: Readonly<Record<ProtocolId, readonly ModelInfo[]>> = {
  'anthropic-messages': [
    model('sim-thinker', 'Thinker: shows all of its reasoning', 'full', withTraits(CLAUDE)),
    model('sim-summary', 'Summariser: shows a summary of it', 'summary', withTraits(CLAUDE)),
    model(
      'sim-hidden',
      'Silent thinker: signs, but shows nothing',
      'none',
      withTraits({ ...CLAUDE, thinking: ['enabled', 'disabled'], displayDefault: 'omitted', interleaves: 'by_header' }),
    ),
    model('sim-redacted', 'Redactor: part of it is encrypted', 'redacted', withTraits(CLAUDE)),
    model('sim-interleaved', 'Interleaver: thinks between tools', 'full', withTraits(CLAUDE)),
    model('sim-parallel', 'Juggler: several tools at once', 'full', withTraits(CLAUDE)),
    model(
      'sim-bound',
      'Keeper: reasoning bound to its prefix',
      'full',
      withTraits({ ...CLAUDE, prefixCheck: 'every_account' }),
      {
        bindsThinkingToPrefix: true,
      },
    ),
    model(
      'sim-plain',
      'Plain: no reasoning',
      'none',
      withTraits({ ...CLAUDE, thinking: ['disabled'], effort: [] }),
      NO_THINKING,
    ),
  ],
  'openai-responses': [
    model('sim-summary', 'Summariser: a summary, and the rest encrypted', 'summary', { ...RESPONSES }),
    model('sim-hidden', 'Silent thinker: encrypted reasoning only', 'none', { ...RESPONSES, summaries: false }),
    model('sim-interleaved', 'Interleaver: thinks between tools', 'summary', { ...RESPONSES }),
    model('sim-parallel', 'Juggler: several tools at once', 'summary', { ...RESPONSES }),
    model('sim-plain', 'Plain: no reasoning', 'none', { ...RESPONSES, efforts: [], summaries: false }, NO_THINKING),
  ],
  'openai-chat': [
    model('sim-thinker', 'Thinker: reasoning that must come back', 'full', { ...CHAT }),
    model('sim-summary', 'Summariser: signed reasoning details', 'summary', {
      ...CHAT,
      reasoning: 'reasoning_details',
      demands: 'never',
    }),
    model(
      'sim-tags',
      'Tagger: reasoning inside the text',
      'full',
      { ...CHAT, reasoning: 'think_tags', demands: 'never' },
      // Sees, and does not read PDFs.
      { canReadPdfs: false },
    ),
    model('sim-interleaved', 'Interleaver: thinks between tools', 'full', { ...CHAT }),
    model('sim-parallel', 'Juggler: several tools at once', 'full', { ...CHAT }),
    model(
      'sim-plain',
      'Plain: no reasoning',
      'none',
      { reasoning: 'none', thinking: 'none', efforts: [] },
      NO_THINKING,
    ),
  ],
  gemini: [
    model('sim-summary', 'Summariser: thought summaries and signatures', 'summary', { ...GEMINI }, HEARS),
    model('sim-interleaved', 'Interleaver: thinks between tools', 'summary', { ...GEMINI }),
    model('sim-parallel', 'Juggler: several tools at once', 'summary', { ...GEMINI }),
    model(
      'sim-plain',
      'Plain: no reasoning',
      'none',
      { ...GEMINI, thinking: { by: 'none' }, requiresSignatures: false, readsEarlierSignatures: false },
      NO_THINKING,
    ),
  ],
};

function model(
  id: string,
  label: string,
  reasoning: Availability,
  traits: ModelInfo['traits'],
  change: Partial<ModelInfo> = {},
): ModelInfo {
  return {
    id,
    label,
    contextWindow: 200_000,
    maxOutputTokens: 32_000,
    reasoning,
    canThink: true,
    alwaysThinks: false,
    bindsThinkingToPrefix: false,
    canUseTools: true,
    canSee: true,
    canReadPdfs: true,
    providerTools: PROVIDER_TOOL_NAMES,
    known: true,
    // Nothing is bought: the cost is known, and it is zero.
    price: { input: 0, output: 0, asOf: '2026-11-15' },
    traits,
    ...change,
  };
}
