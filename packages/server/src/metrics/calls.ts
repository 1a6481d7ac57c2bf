import type { Call, Usage } from '@bough/core';
import { operationName, providerName } from '../telemetry/gen-ai.ts';
import { createHistogram } from './histogram.ts';
import type { Labels } from './labels.ts';

export interface CallMetrics {
  readonly observe: (call: Call, model: string) => void;
  readonly lines: () => readonly string[];
}

/** The conventions' buckets, in seconds, and three more: models that think take minutes. */
const SECONDS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 163.84, 327.68, 655.36,
];

/** What the conventions call the numbers of a call's usage. */
const TOKENS: readonly (readonly [kind: string, of: (usage: Usage) => number | undefined])[] = [
  ['input', ({ inputTokens }) => inputTokens],
  ['cache_read_input', ({ cachedInputTokens }) => cachedInputTokens],
  ['cache_write_input', ({ cacheWriteTokens }) => cacheWriteTokens],
  ['output', ({ outputTokens }) => outputTokens],
  ['reasoning_output', ({ reasoningTokens }) => reasoningTokens],
];

/**
 * What calls took and used, with the names of OpenTelemetry's GenAI conventions as a collector writes them for
 * Prometheus: a dashboard made for those fits.
 */
export function createCallMetrics(add: (name: string, labels: Labels, amount: number) => void): CallMetrics {
  const duration = createHistogram(
    'gen_ai_client_inference_duration_seconds',
    'How long calls took, until their reply had ended.',
    SECONDS,
  );
  const firstChunk = createHistogram(
    'gen_ai_client_inference_time_to_first_chunk_seconds',
    'How long it took until replies began.',
    SECONDS,
  );
  return {
    observe: (call, model) => {
      const { provider, usage, cost } = call;
      const labels = {
        gen_ai_operation_name: operationName(provider),
        gen_ai_provider_name: providerName(provider),
        gen_ai_request_model: model,
      };
      const failed = call.status === 'complete' ? {} : { error_type: call.errorCode ?? call.status };
      const took = secondsBetween(call.startedAt, call.endedAt);
      if (took !== null) duration.observe({ ...labels, ...failed }, took);
      const waited = secondsBetween(call.startedAt, call.firstByteAt);
      if (waited !== null) firstChunk.observe(labels, waited);
      // Vendors say how many, but hardly ever of which kind. A call without usage counts as none, as the conventions
      // have it: so the series are there from the first call on.
      for (const [kind, of] of TOKENS)
        add(
          `gen_ai_client_inference_usage_${kind}_tokens_total`,
          { ...labels, gen_ai_token_modality: 'unknown' },
          of(usage ?? {}) ?? 0,
        );
      if (cost !== null) add('bough_cost_dollars_total', { provider, model }, cost);
    },
    lines: () => [...duration.lines(), ...firstChunk.lines()],
  };
}

/** Null where one of them is not known, and where a clock was set back in between. */
function secondsBetween(from: string, to: string | null): number | null {
  const seconds = to === null ? Number.NaN : (Date.parse(to) - Date.parse(from)) / 1000;
  return seconds >= 0 ? seconds : null;
}
