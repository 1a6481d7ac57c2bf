import { UnknownIdError } from '@bough/core';
import type { Deployment, ModelInfo } from '@bough/providers';
import { simulatedDeployments } from '@bough/providers';
import { jsonAnswer } from '../../deliver/send.ts';
import type { Answer } from '../../simulated-protocol.ts';

/** What the simulator plays here: its own models, then Google's, so that a client may ask for a real one by name. */
export function playedDeployment(): Deployment {
  const played = simulatedDeployments('http://127.0.0.1').find(({ protocol }) => protocol === 'gemini');
  if (played === undefined) throw new UnknownIdError('simulated deployment', 'gemini');
  return played;
}

export function listModels(): Answer {
  return jsonAnswer(200, { models: playedDeployment().models.map(describe) });
}

export function describeModel(id: string): Answer {
  return jsonAnswer(200, describe(playedDeployment().modelInfo(id)));
}

function describe({ id, label, contextWindow, maxOutputTokens, canThink }: ModelInfo): unknown {
  return {
    name: `models/${id}`,
    version: '001',
    displayName: label,
    inputTokenLimit: contextWindow,
    outputTokenLimit: maxOutputTokens,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
    thinking: canThink,
  };
}
