import { UnknownIdError } from '@bough/core';
import type { Deployment, ModelInfo } from '@bough/providers';
import { simulatedDeployments } from '@bough/providers';
import { jsonAnswer } from '../../deliver/send.ts';
import type { Answer, SimulatedRequest } from '../../simulated-protocol.ts';
import { servedModel, unlistedOf } from '../../unlisted/index.ts';

/** What the simulator plays here: its own models, then Google's, so that a client may ask for a real one by name. */
export function playedDeployment(): Deployment {
  const played = simulatedDeployments('http://127.0.0.1').find(({ protocol }) => protocol === 'gemini');
  if (played === undefined) throw new UnknownIdError('simulated deployment', 'gemini');
  return played;
}

const PAGE = 50;

/** A page of the list: fifty models if no number is asked for. */
export function listModels({ query }: Pick<SimulatedRequest, 'query'>): Answer {
  const all = [
    ...playedDeployment().models.map(describe),
    ...unlistedOf('gemini').map(({ id, entry }) => ({ name: `models/${id}`, ...entry })),
  ];
  const start = Number(query.get('pageToken') ?? 0);
  const end = start + Number(query.get('pageSize') ?? PAGE);
  return jsonAnswer(200, {
    models: all.slice(start, end),
    ...(end < all.length && { nextPageToken: String(end) }),
  });
}

/** The model as Google knows it. A name that it does not know is judged by its version. */
export function modelNamed(id: string): ModelInfo {
  return servedModel('gemini', playedDeployment(), id) ?? playedDeployment().modelInfo(id);
}

export function describeModel(id: string): Answer {
  return jsonAnswer(200, describe(modelNamed(id)));
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
