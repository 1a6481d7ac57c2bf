import type { Deployment } from '../deployment.ts';
import type { ModelInfo } from '../models/model.ts';
import { quirksOf } from './openai-chat/traits.ts';

/**
 * Whether a model gets its own reasoning back as reasoning. If not, reasoning that the user wants in the context has to
 * be sent as text; if so, the text would say the same thing twice.
 */
export function replaysThinking(deployment: Deployment, model: ModelInfo): boolean {
  switch (deployment.protocol) {
    case 'anthropic-messages':
    case 'openai-responses':
      return true;
    case 'openai-chat': {
      const { reasoning, takesReasoning } = quirksOf(deployment, model);
      return takesReasoning && reasoning !== 'none';
    }
    case 'gemini':
      // Signatures are sent back, the text of the thoughts never is.
      return false;
  }
}
