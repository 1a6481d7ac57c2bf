import type { Deployment } from '../deployment.ts';
import type { ModelFacts, ThinkingFact } from '../models/facts.ts';
import type { ModelInfo } from '../models/model.ts';
import { bindClaude, claudeThinking } from './anthropic-messages/models.ts';
import { geminiThinking } from './gemini/models.ts';
import { quirksOf } from './openai-chat/traits.ts';
import { responsesThinking } from './openai-responses/models.ts';

/**
 * A model with what somebody said about it. Facts become the protocol's own traits here, once: a configuration and a
 * vendor's list cannot mean different things by the same word.
 */
export function withFacts(
  deployment: Pick<Deployment, 'protocol' | 'quirks'>,
  info: ModelInfo,
  { thinking, bindsThinkingToPrefix, traits, ...plain }: ModelFacts,
): ModelInfo {
  const named = { ...info, ...plain, traits: { ...info.traits, ...traits } };
  const thought = thinking === undefined ? named : thinkingAs(deployment, named, thinking, plain.reasoning);
  if (bindsThinkingToPrefix === undefined) return thought;
  const bound = { ...thought, bindsThinkingToPrefix };
  return deployment.protocol === 'anthropic-messages' ? bindClaude(bound) : bound;
}

function thinkingAs(
  deployment: Pick<Deployment, 'protocol' | 'quirks'>,
  info: ModelInfo,
  thinking: ThinkingFact,
  shows: ModelInfo['reasoning'] | undefined,
): ModelInfo {
  const thinks = thinking.when !== 'never';
  const alwaysThinks = thinking.when === 'thinks' ? info.alwaysThinks : thinking.when === 'always';
  const set = { ...info, canThink: thinks, alwaysThinks };
  const told = inTraits(deployment, set, thinking);
  if (!thinks) return { ...told, reasoning: 'none' };
  if (shows !== undefined || told.reasoning !== 'none') return told;
  return { ...told, reasoning: visible(deployment, told) };
}

function inTraits(
  deployment: Pick<Deployment, 'protocol' | 'quirks'>,
  info: ModelInfo,
  thinking: ThinkingFact,
): ModelInfo {
  switch (deployment.protocol) {
    case 'anthropic-messages':
      return claudeThinking(info, thinking);
    case 'openai-responses':
      return responsesThinking(info, thinking);
    case 'gemini':
      return geminiThinking(info, thinking);
    case 'openai-chat': {
      const { reasoning } = quirksOf(deployment, info);
      // A model without reasoning refuses thinking parts, one with reasoning wants its own back.
      const takes = reasoning === 'thinking_chunks' ? { takesReasoning: thinking.when !== 'never' } : {};
      const efforts = thinking.how === undefined ? {} : { efforts: thinking.how };
      return { ...info, traits: { ...info.traits, ...takes, ...efforts } };
    }
  }
}

/** What a person can expect to see of the reasoning of a model that nobody described further. */
function visible(deployment: Pick<Deployment, 'protocol' | 'quirks'>, info: ModelInfo): ModelInfo['reasoning'] {
  if (deployment.protocol !== 'openai-chat') return 'summary';
  return quirksOf(deployment, info).reasoning === 'none' ? 'none' : 'full';
}
