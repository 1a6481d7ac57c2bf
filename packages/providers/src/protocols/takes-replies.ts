import type { Lock, Taken } from '@bough/core';
import type { Deployment } from '../deployment.ts';
import type { ModelInfo } from '../models/model.ts';
import { readsThinkingOf } from './anthropic-messages/models.ts';
import { traitsOf } from './anthropic-messages/traits.ts';
import { readQuirks, readTraits } from './openai-responses/traits.ts';

/**
 * What a model takes of a reply that another model made. Models of one deployment share the form of replies and ids;
 * which of them read each other's reasoning is the vendor's to say. Gemini refuses the signatures of its other models,
 * and behind the chat protocol anyone may be answering.
 */
export function takesReplyOf(maker: Lock, deployment: Deployment, model: ModelInfo): Taken {
  if (maker.provider !== deployment.id) return 'text';
  switch (deployment.protocol) {
    case 'anthropic-messages':
      return readsThinkingOf(model.id, traitsOf(model), maker.model) ? 'all' : 'reply';
    case 'openai-responses': {
      const reads = readQuirks(deployment).sharesReasoning && readTraits(model).efforts.length > 0;
      return reads ? 'all' : 'reply';
    }
    case 'openai-chat':
    case 'gemini':
      return 'text';
  }
}
