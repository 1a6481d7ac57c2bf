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

function failedCall(errorCode: string): Call {
  return {
    id: callId('c'),
    projectId: projectId('p'),
    turnId: turnId('t'),
    nodeId: null,
    provider: 'anthropic',
    deployment: 'd',
    model: 'm',
    status: 'error',
    requestHash: '',
    providerRequestId: null,
    responseId: null,
    startedAt: '',
    firstByteAt: null,
    endedAt: null,
    usage: null,
    cost: null,
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
  for (const [, name = '', labels = ''] of metrics.text().matchAll(/^(bough_\w+)(?:\{(.*)\})? /gm))
    series.set(name, new Set([...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label)));
  return series;
}

/** What the scraper adds to every series. */
const OF_THE_SCRAPER = ['job', 'instance'];

it('SV-292: the dashboard and the alerts name only series and labels that a server has', async () => {
  const known = everySeries();
  const named = new Set<string>();
  for (const expression of await expressions()) {
    const inside = [...expression.matchAll(/\bbough_\w+/g)].map(([name]) => name);
    inside.forEach((name) => named.add(name));
    expect(
      inside.filter((name) => !known.has(name)),
      expression,
    ).toEqual([]);
    const allowed = new Set([...OF_THE_SCRAPER, ...inside.flatMap((name) => [...(known.get(name) ?? [])])]);
    const labels = [
      ...[...expression.matchAll(/(\w+)(?:=~|!=|!~|=)"/g)].map(([, label = '']) => label),
      ...[...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/)),
    ];
    expect(
      labels.filter((label) => !allowed.has(label)),
      expression,
    ).toEqual([]);
  }
  // Whatever a server counts can be seen.
  expect([...known.keys()].filter((name) => !named.has(name))).toEqual([]);
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
    // An alert on calls always says on which failures.
    if (/bough_calls_total\{[^}]*status="error"/.test(expr)) expect(asked.length, alert).toBeGreaterThan(0);
  }
});
