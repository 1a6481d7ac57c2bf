import type { Deployment } from '../deployment.ts';
import type { ModelInfo } from '../models/model.ts';
import { traitsOf } from './anthropic-messages/traits.ts';
import { quirksOf } from './openai-chat/traits.ts';
import { readQuirks } from './openai-responses/traits.ts';

/** Whether it takes changes of its tools there, so that `tools` stays what it was at the beginning. */
export function takesToolChanges(deployment: Deployment, model: ModelInfo): boolean {
  if (deployment.protocol !== 'anthropic-messages') return false;
  return deployment.quirks['toolChanges'] === true && traitsOf(model).systemMessages;
}

/**
 * Whether a model takes instructions in the middle of a conversation. Where it does, changed instructions can be
 * appended, and everything before them stays what was sent before.
 */
export function takesSystemInPlace(deployment: Deployment, model: ModelInfo): boolean {
  switch (deployment.protocol) {
    case 'anthropic-messages':
      return traitsOf(model).systemMessages;
    case 'openai-responses':
      return readQuirks(deployment).dialect === 'openai';
    case 'openai-chat':
      return quirksOf(deployment, model).systemPlace === 'anywhere';
    case 'gemini':
      return false;
  }
}
