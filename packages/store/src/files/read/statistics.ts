import type { Call } from '@bough/core';
import { tallyCache } from '../../cache-findings.ts';
import { tallyRecorded } from '../../recorded-calls.ts';
import type { Statistics } from '../../store.ts';
import type { ProjectState } from '../state/project-state.ts';

type Availability = Statistics['availability'][number];
type CallGroup = Statistics['calls'][number];

export function countEverything(projects: readonly ProjectState[]): Statistics {
  const availability = new Map<string, Availability>();
  const calls = new Map<string, CallGroup>();
  const recorded = tallyRecorded();
  const cache = tallyCache();
  for (const state of projects) {
    for (const { provider, modelUsed: model, availability: shown } of state.nodes.values()) {
      if (shown === null || provider === null || model === null) continue;
      const key = JSON.stringify([provider, model, shown]);
      const count = (availability.get(key)?.count ?? 0) + 1;
      availability.set(key, { provider, model, availability: shown, count });
    }
    for (const turn of state.turns.values()) {
      for (const { call } of turn.calls) {
        addCall(calls, call);
        recorded.add(call);
        cache.add(call);
      }
    }
  }
  return {
    availability: [...availability.values()],
    calls: [...calls.values()],
    ...recorded.result(),
    ...cache.result(),
  };
}

function addCall(groups: Map<string, CallGroup>, call: Call): void {
  const { provider, model, status, errorCode, purpose = null, usage, cost } = call;
  const key = JSON.stringify([provider, model, status, errorCode, purpose]);
  const before = groups.get(key);
  groups.set(key, {
    provider,
    model,
    status,
    errorCode,
    purpose,
    count: (before?.count ?? 0) + 1,
    inputTokens: (before?.inputTokens ?? 0) + (usage?.inputTokens ?? 0),
    outputTokens: (before?.outputTokens ?? 0) + (usage?.outputTokens ?? 0),
    reasoningTokens: (before?.reasoningTokens ?? 0) + (usage?.reasoningTokens ?? 0),
    // Unknown is not zero: it adds nothing, and a sum of unknowns stays unknown.
    cost: cost === null ? (before?.cost ?? null) : (before?.cost ?? 0) + cost,
  });
}
