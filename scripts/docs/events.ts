import { callId, projectId, turnId } from '@bough/core';
import type { EngineEvent } from '@bough/engine';
import type { GatewayEvent } from '@bough/gateway';

const turn = turnId('turn');

/** One event of each type, typed as a record so that a new type cannot be forgotten. */
const ONE_OF_EACH: { readonly [Type in EngineEvent['type']]: EngineEvent & { readonly type: Type } } = {
  turn_started: { type: 'turn_started', turnId: turn },
  turn_recovered: { type: 'turn_recovered', turnId: turn },
  turn_ended: { type: 'turn_ended', turnId: turn, status: 'complete', durationMs: 1 },
  call_ended: {
    type: 'call_ended',
    call: {
      id: callId('call'),
      projectId: projectId('project'),
      turnId: turn,
      nodeId: null,
      provider: 'lab',
      deployment: 'lab@127.0.0.1',
      model: 'thinker',
      status: 'error',
      requestHash: '',
      providerRequestId: null,
      responseId: null,
      startedAt: '2026-01-01T00:00:00.000Z',
      firstByteAt: '2026-01-01T00:00:00.500Z',
      endedAt: '2026-01-01T00:00:02.000Z',
      usage: { inputTokens: 10, outputTokens: 5 },
      cost: 0.01,
      errorCode: 'server',
    },
  },
  dropped: { type: 'dropped', reason: 'trimmed', count: 1 },
  violation: { type: 'violation', rule: 'LAB-1', repaired: true },
  budget: { type: 'budget', budget: 'daily', outcome: 'warned' },
  problem: { type: 'problem', what: 'a signal', message: 'lost' },
};

export const EVENTS: readonly EngineEvent[] = Object.values(ONE_OF_EACH);

const ONE_OF_EACH_OF_THE_GATEWAY: {
  readonly [Type in GatewayEvent['type']]: GatewayEvent & { readonly type: Type };
} = {
  asked: { type: 'asked', provider: 'lab', operation: 'conversation', userAgent: 'client/1.0' },
  unrecorded: { type: 'unrecorded', why: 'store', message: '' },
  problem: { type: 'problem', message: '' },
};

export const GATEWAY_EVENTS: readonly GatewayEvent[] = Object.values(ONE_OF_EACH_OF_THE_GATEWAY);
