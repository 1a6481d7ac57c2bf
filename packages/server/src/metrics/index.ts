import type { EngineEvent } from '@bough/engine';
import type { GatewayEvent } from '@bough/gateway';
import { createCallMetrics } from './calls.ts';
import type { Labels } from './labels.ts';
import { labelText, limitNames } from './labels.ts';

export interface Metrics {
  readonly observe: (event: EngineEvent) => void;
  readonly request: (method: string, status: number, milliseconds: number) => void;
  readonly gateway: (event: GatewayEvent) => void;
  readonly drops: () => readonly { readonly reason: string; readonly count: number }[];
  /** Requests that a provider rejected because of their history. The promise is that this stays zero. */
  readonly rejections: () => number;
  /** The Prometheus text format. */
  readonly text: () => string;
}

/** Far more than a team asks, far fewer than a client could invent. */
const MAX_MODELS = 300;

const HELP: Readonly<Record<string, string>> = {
  bough_requests_total: 'HTTP requests by method and status.',
  bough_request_seconds_total: 'Time until the response to HTTP requests began; a stream goes on after that.',
  bough_turns_total: 'Turns by how they ended.',
  bough_turns_running: 'Turns that this server runs.',
  bough_turns_recovered_total: 'Turns of dead servers that this one closed.',
  bough_calls_total: 'Calls to providers by provider, model, status and error.',
  bough_cost_dollars_total: 'What calls cost in US dollars, where the price is known.',
  gen_ai_client_inference_usage_input_tokens_total: 'Tokens that were sent, those in caches included.',
  gen_ai_client_inference_usage_cache_read_input_tokens_total: 'Tokens of those that were sent, which a cache had.',
  gen_ai_client_inference_usage_cache_write_input_tokens_total:
    'Tokens of those that were sent, which were written into a cache.',
  gen_ai_client_inference_usage_output_tokens_total: 'Tokens that came back, reasoning included.',
  gen_ai_client_inference_usage_reasoning_output_tokens_total: 'Tokens of those that came back, which were reasoning.',
  bough_dropped_nodes_total: 'Nodes that were left out of a request, by reason.',
  bough_violations_total: 'Rules that a finished request broke, by rule and whether it was repaired.',
  bough_budgets_total: 'Requests that budgets had something to say about, by budget and what came of it.',
  bough_gateway_requests_total: 'Requests of other clients that were passed on, by provider and what they asked for.',
  bough_gateway_unrecorded_total:
    'Conversations of other clients that passed without being recorded as a whole, by reason.',
  bough_problems_total: 'Failures inside the server.',
};

export function createMetrics(running: () => number): Metrics {
  const counters = new Map<string, Map<string, number>>();
  const add = (name: string, labels: Labels, amount = 1): void => {
    const series = counters.get(name) ?? new Map<string, number>();
    counters.set(name, series);
    const key = labelText(labels);
    series.set(key, (series.get(key) ?? 0) + amount);
  };
  const calls = createCallMetrics(add);
  const modelName = limitNames(MAX_MODELS);
  const drops = new Map<string, number>();
  let rejections = 0;
  return {
    observe: (event) => {
      switch (event.type) {
        case 'turn_started':
          return;
        case 'turn_recovered':
          return add('bough_turns_recovered_total', {});
        case 'turn_ended':
          return add('bough_turns_total', { status: event.status });
        case 'call_ended': {
          const { provider, status, errorCode } = event.call;
          const model = modelName(event.call.model);
          calls.observe(event.call, model);
          if (errorCode === 'history_rejected') rejections += 1;
          return add('bough_calls_total', {
            provider,
            model,
            status,
            error: status === 'complete' ? '' : (errorCode ?? ''),
          });
        }
        case 'dropped':
          drops.set(event.reason, (drops.get(event.reason) ?? 0) + event.count);
          return add('bough_dropped_nodes_total', { reason: event.reason }, event.count);
        case 'violation':
          return add('bough_violations_total', { rule: event.rule, repaired: String(event.repaired) });
        case 'budget':
          return add('bough_budgets_total', { budget: event.budget, outcome: event.outcome });
        case 'problem':
          return add('bough_problems_total', { what: event.what });
      }
    },
    request: (method, status, milliseconds) => {
      add('bough_requests_total', { method, status: String(status) });
      add('bough_request_seconds_total', { method }, milliseconds / 1000);
    },
    gateway: (event) => {
      switch (event.type) {
        case 'asked':
          return add('bough_gateway_requests_total', { provider: event.provider, operation: event.operation });
        case 'unrecorded':
          return add('bough_gateway_unrecorded_total', { why: event.why });
        case 'problem':
          return add('bough_problems_total', { what: 'gateway' });
      }
    },
    drops: () => [...drops].map(([reason, count]) => ({ reason, count })),
    rejections: () => rejections,
    text: () => {
      const lines: string[] = [
        '# HELP bough_turns_running Turns that this server runs.',
        '# TYPE bough_turns_running gauge',
        `bough_turns_running ${running()}`,
      ];
      for (const [name, series] of counters) {
        lines.push(`# HELP ${name} ${HELP[name] ?? ''}`, `# TYPE ${name} counter`);
        for (const [labels, value] of series) lines.push(`${name}${labels === '' ? '' : `{${labels}}`} ${value}`);
      }
      lines.push(...calls.lines());
      return `${lines.join('\n')}\n`;
    },
  };
}
