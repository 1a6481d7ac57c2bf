import { clamp, nearestLevel } from '../request/thinking.ts';
import type { ThinkingLevel } from '../traits.ts';
import { THINKING_LEVELS } from '../traits.ts';
import type { ParsedRequest, WireThinkingConfig } from '../wire.ts';
import type { GeminiRule } from './context.ts';
import { finding, withRequest } from './context.ts';

const PATH = 'generation_config.thinking_config';

const configOf = ({ request }: ParsedRequest): WireThinkingConfig => request.generationConfig?.thinkingConfig ?? {};

export const oneThinkingControl: GeminiRule = {
  id: 'GEM-THINK-1',
  title: 'A level or a budget, not both.',
  reference: 'https://github.com/sterlp/eclipse-peon-ai/issues/115',
  kind: 'rejection',
  check: (parsed) => {
    const { thinkingBudget, thinkingLevel } = configOf(parsed);
    return thinkingBudget !== undefined && thinkingLevel !== undefined
      ? [finding(PATH, 'You can only set only one of thinking budget and thinking level.')]
      : [];
  },
  repair: (parsed, { traits }) => without(parsed, traits.thinking.by === 'level' ? 'thinkingBudget' : 'thinkingLevel'),
};

export const thinkingWhereSupported: GeminiRule = {
  id: 'GEM-THINK-2',
  title: 'No thinking settings for a model without thinking.',
  reference: 'https://github.com/Veloera/Veloera/issues/41',
  kind: 'rejection',
  check: (parsed, { traits, model }) =>
    model.known && traits.thinking.by === 'none' && parsed.request.generationConfig?.thinkingConfig !== undefined
      ? [finding(PATH, 'thinking_config is not supported')]
      : [],
  repair: (parsed) => {
    const { thinkingConfig: _, ...generationConfig } = parsed.request.generationConfig ?? {};
    return withRequest(parsed, { generationConfig });
  },
};

export const levelWhereSupported: GeminiRule = {
  id: 'GEM-THINK-3',
  title: 'A level only for models that know levels.',
  reference: 'https://github.com/RooCodeInc/Roo-Code/issues/10700',
  kind: 'rejection',
  check: (parsed, { traits }) =>
    traits.thinking.by === 'budget' && configOf(parsed).thinkingLevel !== undefined
      ? [finding(`${PATH}.thinking_level`, 'Thinking level is not supported for this model.')]
      : [],
  repair: (parsed) => without(parsed, 'thinkingLevel'),
};

export const supportedLevel: GeminiRule = {
  id: 'GEM-THINK-4',
  title: 'A level that the model has.',
  reference: 'https://github.com/earendil-works/pi/issues/9455',
  kind: 'rejection',
  check: (parsed, { traits: { thinking } }) => {
    const { thinkingLevel } = configOf(parsed);
    const level = readLevel(thinkingLevel);
    if (thinking.by !== 'level' || thinkingLevel === undefined || (level !== null && thinking.levels.includes(level)))
      return [];
    return [
      finding(
        `${PATH}.thinking_level`,
        `Thinking level ${thinkingLevel.toUpperCase()} is not supported for this model. Please retry with other thinking level.`,
      ),
    ];
  },
  repair: (parsed, { traits: { thinking } }) =>
    thinking.by === 'level'
      ? change(parsed, {
          thinkingLevel: nearestLevel(readLevel(configOf(parsed).thinkingLevel) ?? 'medium', thinking.levels),
        })
      : parsed,
};

export const thinkingStaysOn: GeminiRule = {
  id: 'GEM-THINK-5',
  title: 'A budget of zero only where thinking can be switched off.',
  reference: 'https://github.com/snailyp/gemini-balance/issues/206',
  kind: 'rejection',
  check: (parsed, { traits: { thinking } }) =>
    configOf(parsed).thinkingBudget === 0 &&
    (thinking.by === 'level' || (thinking.by === 'budget' && !thinking.canDisable))
      ? [finding(`${PATH}.thinking_budget`, 'Budget 0 is invalid. This model only works in thinking mode.')]
      : [],
  repair: (parsed, { traits: { thinking } }) =>
    thinking.by === 'budget' ? change(parsed, { thinkingBudget: thinking.min }) : without(parsed, 'thinkingBudget'),
};

/** The model chooses. */
const AUTOMATIC = -1;

export const budgetInRange: GeminiRule = {
  id: 'GEM-THINK-6',
  title: 'A budget within the range of the model.',
  reference: 'https://github.com/RooCodeInc/Roo-Code/issues/4399',
  kind: 'rejection',
  check: (parsed, { traits: { thinking } }) => {
    const { thinkingBudget: budget } = configOf(parsed);
    if (thinking.by !== 'budget' || budget === undefined || budget === 0 || budget === AUTOMATIC) return [];
    return budget >= thinking.min && budget <= thinking.max
      ? []
      : [finding(`${PATH}.thinking_budget`, `The thinking budget (${budget}) is invalid.`)];
  },
  repair: (parsed, { traits: { thinking } }) =>
    thinking.by === 'budget'
      ? change(parsed, { thinkingBudget: clamp(configOf(parsed).thinkingBudget ?? 0, thinking.min, thinking.max) })
      : parsed,
};

function readLevel(value: string | undefined): ThinkingLevel | null {
  const name = value?.toLowerCase().replace(/^thinking_level_/, '');
  return THINKING_LEVELS.find((level) => level === name) ?? null;
}

function change(parsed: ParsedRequest, config: Partial<WireThinkingConfig>): ParsedRequest {
  const thinkingConfig = { ...configOf(parsed), ...config };
  return withRequest(parsed, { generationConfig: { ...parsed.request.generationConfig, thinkingConfig } });
}

function without(parsed: ParsedRequest, field: 'thinkingBudget' | 'thinkingLevel'): ParsedRequest {
  const { [field]: _, ...thinkingConfig } = configOf(parsed);
  return withRequest(parsed, { generationConfig: { ...parsed.request.generationConfig, thinkingConfig } });
}
