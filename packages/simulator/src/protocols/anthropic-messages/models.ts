import { UnknownIdError } from '@bough/core';
import type { Deployment, ModelInfo } from '@bough/providers';
import { simulatedDeployments } from '@bough/providers';
import { jsonAnswer } from '../../deliver/send.ts';
import type { Answer, SimulatedRequest } from '../../simulated-protocol.ts';
import { servedModel, unlistedOf } from '../../unlisted/index.ts';

/** What the simulator plays here: its own models, then Claude's, so that a client may ask for a real one by name. */
export function playedDeployment(): Deployment {
  const played = simulatedDeployments('http://127.0.0.1').find(({ protocol }) => protocol === 'anthropic-messages');
  if (played === undefined) throw new UnknownIdError('simulated deployment', 'anthropic-messages');
  return played;
}

const PAGE = 20;

/** A page of the list: the newest models first, twenty if no number is asked for. */
export function listModels({ query }: Pick<SimulatedRequest, 'query'>): Answer {
  const all = [
    ...playedDeployment().models.map(describe),
    ...unlistedOf('anthropic').map(({ id, entry }) => ({ id, ...entry })),
  ];
  const start = all.findIndex(({ id }) => id === query.get('after_id')) + 1;
  const data = all.slice(start, start + Number(query.get('limit') ?? PAGE));
  const hasMore = start + data.length < all.length;
  return jsonAnswer(200, { data, has_more: hasMore, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null });
}

/** The model that a request names, as the provider itself knows it; null if there is no such model. */
export function modelNamed(id: string): ModelInfo | null {
  return servedModel('anthropic', playedDeployment(), id);
}

/** Null if there is no such model. */
export function describeModel(id: string): Answer | null {
  const unlisted = unlistedOf('anthropic').find((model) => model.id === id);
  if (unlisted !== undefined) return jsonAnswer(200, { id, ...unlisted.entry });
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
