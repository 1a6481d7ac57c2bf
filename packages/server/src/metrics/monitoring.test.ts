import { routes } from '@bough/api';
import type { Call } from '@bough/core';
import { callId, projectId, turnId } from '@bough/core';
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { startTestServer } from '../testing/start.ts';
import { createMetrics } from './index.ts';

const file = (name: string): Promise<string> =>
  readFile(new URL(`../../../../deploy/monitoring/${name}`, import.meta.url), 'utf8');

interface Dashboard {
  readonly panels: readonly { readonly id: number; readonly targets: readonly { readonly expr: string }[] }[];
  readonly templating: { readonly list: readonly { readonly query: unknown }[] };
}
interface Alerts {
  readonly groups: readonly { readonly rules: readonly Alert[] }[];
}
interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

const alerts = async (): Promise<readonly Alert[]> =>
  (parse(await file('alerts.yaml')) as Alerts).groups.flatMap(({ rules }) => rules);

async function expressions(): Promise<readonly string[]> {
  const { panels, templating } = JSON.parse(await file('grafana-dashboard.json')) as Dashboard;
  const drawn = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  return [
    ...drawn,
    ...templating.list.map(({ query }) => JSON.stringify(query)),
    ...(await alerts()).map((one) => one.expr),
  ];
}

function failedCall(errorCode: string, model = 'm'): Call {
  return {
    id: callId('c'),
    projectId: projectId('p'),
    turnId: turnId('t'),
    nodeId: null,
    provider: 'anthropic',
    deployment: 'd',
    model,
    status: 'error',
    requestHash: '',
    providerRequestId: null,
    responseId: null,
    startedAt: '2026-11-18T12:00:00.000Z',
    firstByteAt: '2026-11-18T12:00:00.700Z',
    endedAt: '2026-11-18T12:02:00.000Z',
    usage: { inputTokens: 100, cachedInputTokens: 40, cacheWriteTokens: 25, outputTokens: 30, reasoningTokens: 20 },
    cost: 0.25,
    errorCode,
  };
}

/** Every series that a server can have, with its labels, as a server writes them. */
function everySeries(): ReadonlyMap<string, ReadonlySet<string>> {
  const metrics = createMetrics(() => 0);
  metrics.request('GET', 200, 1);
  for (const event of [
    { type: 'turn_recovered', turnId: turnId('t') },
    { type: 'turn_ended', turnId: turnId('t'), status: 'complete', durationMs: 1 },
    { type: 'call_ended', call: failedCall('server') },
    { type: 'dropped', reason: 'r', count: 1 },
    { type: 'violation', rule: 'r', repaired: true },
    { type: 'budget', budget: 'b', outcome: 'refused' },
    { type: 'problem', what: 'w', message: 'm' },
  ] as const)
    metrics.observe(event);
  metrics.gateway({ type: 'asked', provider: 'p', operation: 'conversation' } as Parameters<typeof metrics.gateway>[0]);
  metrics.gateway({ type: 'unrecorded', why: 'store', message: 'm' });
  const series = new Map<string, ReadonlySet<string>>();
  for (const [, name = '', labels = ''] of metrics.text().matchAll(/^((?:bough|gen_ai)_\w+)(?:\{(.*)\})? /gm))
    series.set(name, new Set([...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label)));
  return series;
}

/** What the scraper adds to every series. */
const OF_THE_SCRAPER = ['job', 'instance'];
/** What a bucket of a histogram ends at. */
const OF_A_BUCKET = 'le';

it('SV-292: the dashboard and the alerts name only series and labels that a server has', async () => {
  const known = everySeries();
  const named = new Set<string>();
  for (const expression of await expressions()) {
    const inside = [...expression.matchAll(/\b(?:bough|gen_ai_client)_\w+/g)].map(([name]) => name);
    inside.forEach((name) => named.add(name));
    expect(
      inside.filter((name) => !known.has(name)),
      expression,
    ).toEqual([]);
    const allowed = new Set([
      ...OF_THE_SCRAPER,
      OF_A_BUCKET,
      ...inside.flatMap((name) => [...(known.get(name) ?? [])]),
    ]);
    const labels = [
      ...[...expression.matchAll(/(\w+)(?:=~|!=|!~|=)"/g)].map(([, label = '']) => label),
      ...[...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/)),
    ];
    expect(
      labels.filter((label) => !allowed.has(label)),
      expression,
    ).toEqual([]);
  }
  // Whatever a server counts can be seen: of a histogram one of its three series.
  const seen = new Set([...named].map(withoutPart));
  expect([...known.keys()].filter((name) => !seen.has(withoutPart(name)))).toEqual([]);
});

function withoutPart(name: string): string {
  return name.replace(/_seconds_(?:bucket|sum|count)$/, '_seconds');
}

it('SV-820: times are counted in seconds, as Prometheus asks', () => {
  const metrics = createMetrics(() => 0);
  metrics.request('GET', 200, 1500);
  metrics.request('GET', 200, 250);
  expect(metrics.text()).toContain('bough_request_seconds_total{method="GET"} 1.75\n');
});

it('SV-820: calls are counted with the names of the GenAI conventions: how long, how soon, which tokens, what cost', () => {
  const metrics = createMetrics(() => 0);
  metrics.observe({ type: 'call_ended', call: failedCall('server') });
  metrics.observe({ type: 'call_ended', call: { ...failedCall(''), provider: 'gemini', status: 'complete' } });
  metrics.observe({ type: 'call_ended', call: { ...failedCall('network'), usage: null, endedAt: null, cost: null } });
  const lines = metrics.text().split('\n');
  const [claude, gemini] = [
    'gen_ai_operation_name="chat",gen_ai_provider_name="anthropic",gen_ai_request_model="m"',
    'gen_ai_operation_name="generate_content",gen_ai_provider_name="gcp.gemini",gen_ai_request_model="m"',
  ];
  const took = 'gen_ai_client_inference_duration_seconds';
  const waited = 'gen_ai_client_inference_time_to_first_chunk_seconds';
  expect(lines).toEqual(
    expect.arrayContaining([
      `# TYPE ${took} histogram`,
      `${took}_bucket{${claude},error_type="server",le="81.92"} 0`,
      `${took}_bucket{${claude},error_type="server",le="163.84"} 1`,
      `${took}_bucket{${claude},error_type="server",le="+Inf"} 1`,
      `${took}_sum{${claude},error_type="server"} 120`,
      `${took}_count{${gemini}} 1`,
      `${waited}_bucket{${claude},le="0.64"} 0`,
      `${waited}_bucket{${claude},le="1.28"} 2`,
      'bough_cost_dollars_total{provider="anthropic",model="m"} 0.25',
      ...['input 100', 'cache_read_input 40', 'cache_write_input 25', 'output 30', 'reasoning_output 20'].map((one) => {
        const [kind = '', tokens = ''] = one.split(' ');
        const name = `gen_ai_client_inference_usage_${kind}_tokens_total`;
        return `${name}{${claude},gen_ai_token_modality="unknown"} ${tokens}`;
      }),
    ]),
  );
  expect(lines.filter((line) => line.startsWith(`${took}_count{`))).toHaveLength(2);
});

it('SV-821: models that clients invent add no series without end', () => {
  const metrics = createMetrics(() => 0);
  for (let n = 0; n < 1_000; n += 1) metrics.observe({ type: 'call_ended', call: failedCall('not_found', `m${n}`) });
  metrics.observe({ type: 'call_ended', call: failedCall('not_found', 'm7') });
  const counted = metrics.text().match(/^bough_calls_total\{.*$/gm) ?? [];
  expect(counted).toHaveLength(301);
  expect(counted.find((line) => line.includes('"m7"'))).toMatch(/ 2$/);
  expect(counted.find((line) => line.includes('"others"'))).toMatch(/ 700$/);
});

it('SV-292: Prometheus reads the metrics under the name that the alerts ask for', async () => {
  const { scrape_configs: jobs, rule_files: rules } = parse(await file('prometheus.yaml')) as {
    readonly scrape_configs: readonly { readonly job_name: string; readonly metrics_path: string }[];
    readonly rule_files: readonly string[];
  };
  expect(jobs).toMatchObject([{ job_name: 'bough', metrics_path: routes.metrics.path }]);
  expect(rules).toEqual(['alerts.yaml']);
  const asked = (await expressions()).flatMap((one) => [...one.matchAll(/job="(\w+)"/g)].map(([, job]) => job));
  expect(asked).not.toEqual([]);
  for (const job of asked) expect(job).toBe('bough');
});

it('SV-292: an alert on a counter also sees its first event', async () => {
  // A series appears with its first event; to `increase` a series that begins has not increased.
  for (const { alert, expr } of await alerts())
    for (const [asked, series = ''] of expr.matchAll(/increase\(([^[]*)\[/g))
      expect(expr.replaceAll(/\s+/g, ' '), `${alert}: ${asked}`).toContain(`(${series} unless ${series} offset`);
});

it('SV-292: every alert says what is wrong and what to do', async () => {
  const rules = await alerts();
  expect(rules.length).toBeGreaterThan(5);
  for (const { alert, annotations } of rules) {
    expect(annotations['summary']?.length, alert).toBeGreaterThan(10);
    expect(annotations['action']?.length, alert).toBeGreaterThan(10);
  }
});

it('SV-293: a message that is too long is the concern of whoever wrote it: no problem is counted, and no alert asks for it', async () => {
  const server = await startTestServer();
  try {
    const { project } = await server.client.createProject({});
    const response = await fetch(`${server.url}/api/projects/${project.id}/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ref: 'main', message: '字'.repeat(900_000) }),
    });
    expect(await response.text()).toContain('context_too_long');
    const text = await (await fetch(`${server.url}/api/metrics`)).text();
    expect(text).toContain('bough_turns_total{status="error"} 1');
    expect(text).not.toContain('bough_problems_total');
  } finally {
    await server.dispose();
  }
  for (const { alert, expr } of await alerts()) {
    const asked = [...expr.matchAll(/error=~?"([^"]*)"/g)].flatMap(([, codes = '']) => codes.split('|'));
    for (const code of ['context_too_long', 'invalid_request', 'authentication', 'refusal', 'aborted', 'permission'])
      expect(asked, alert).not.toContain(code);
    // The same of a client's request that is too long to be recorded.
    for (const [series] of expr.matchAll(/bough_gateway_unrecorded_total(?:\{[^}]*\})?/g))
      expect(series, alert).toContain('why!="too_large"');
    // An alert on calls always says on which failures.
    if (/bough_calls_total\{[^}]*status="error"/.test(expr)) expect(asked.length, alert).toBeGreaterThan(0);
  }
});
