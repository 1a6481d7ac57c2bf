import { UnknownIdError } from '@bough/core';
import type { Deployment, ModelInfo } from '@bough/providers';
import { simulatedDeployments } from '@bough/providers';
import { jsonAnswer } from '../../deliver/send.ts';
import type { Answer } from '../../simulated-protocol.ts';

/** What the simulator plays here: its own models, then Claude's, so that a client may ask for a real one by name. */
export function playedDeployment(): Deployment {
  const played = simulatedDeployments('http://127.0.0.1').find(({ protocol }) => protocol === 'anthropic-messages');
  if (played === undefined) throw new UnknownIdError('simulated deployment', 'anthropic-messages');
  return played;
}

export function listModels(): Answer {
  const data = playedDeployment().models.map(describe);
  const ids = data.map(({ id }) => id);
  return jsonAnswer(200, { data, has_more: false, first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null });
}

/** Null if there is no such model. */
export function describeModel(id: string): Answer | null {
  const model = playedDeployment().modelInfo(id);
  return model.known ? jsonAnswer(200, describe(model)) : null;
}

function describe({ id, label, contextWindow, maxOutputTokens }: ModelInfo) {
  return {
    type: 'model',
    id,
    display_name: label,
    created_at: '2026-11-01T00:00:00Z',
    max_input_tokens: contextWindow,
    max_tokens: maxOutputTokens,
  };
}
