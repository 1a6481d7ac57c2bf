import type { Call } from '@bough/core';
import { callId, projectId, turnId } from '@bough/core';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { CALLS, startStage } from '../gateway/testing.ts';
import { say, startTestServer } from '../testing/start.ts';
import { createTelemetry } from './index.ts';
import { callSpan } from './span.ts';
import { readTraceparent } from './trace.ts';

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

let received: string[] = [];
let sentWith: IncomingHttpHeaders = {};
const collector = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
  request.on('end', () => {
    received.push(body);
    sentWith = request.headers;
    response.end('{}');
  });
});
beforeAll(() => new Promise<void>((resolve) => void collector.listen(0, '127.0.0.1', () => resolve())));
afterAll(() => new Promise<void>((resolve) => void collector.close(() => resolve())));
beforeEach(() => void (received = []));

const collecting = () => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
});

function spans(): readonly SentSpan[] {
  return received
    .map((body) => JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] })
    .flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
    );
}

it('SV-16: with a collector set, every call is a span with the GenAI names and without content', async () => {
  const server = await startTestServer(collecting());
  try {
    const { project } = await server.client.createProject({});
    await say(server.client, project.id, 'main', 'a very private sentence');
  } finally {
    await server.dispose();
  }
  const [span] = spans();
  const keys = span?.attributes.map(({ key }) => key);
  for (const key of [
    'gen_ai.operation.name',
    'gen_ai.provider.name',
    'gen_ai.request.model',
    'gen_ai.conversation.id',
    'gen_ai.response.finish_reasons',
    'gen_ai.response.time_to_first_chunk',
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.output_tokens',
    'gen_ai.usage.reasoning.output_tokens',
  ])
    expect(keys).toContain(key);
  // Names that the conventions no longer have.
  for (const key of ['gen_ai.system', 'gen_ai.usage.reasoning_tokens', 'gen_ai.usage.cache_creation.input_tokens'])
    expect(keys).not.toContain(key);
  expect(received.join('')).not.toContain('private sentence');
});

it('SV-822: the collector gets the headers that were set for it, whole, and the name of the service', async () => {
  const telemetry = createTelemetry(
    {
      ...collecting(),
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20dXNlcjprZXk=,x-plain = 100% , nonsense',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-scope=traces=1',
      OTEL_SERVICE_NAME: 'bough-2',
    },
    (message) => expect.unreachable(message),
  );
  await telemetry.passing({ method: 'POST', path: '/', headers: {} }, () => Promise.resolve({ status: 200 }));
  await telemetry.close();
  expect(sentWith).toMatchObject({ authorization: 'Basic dXNlcjprZXk=', 'x-plain': '100%', 'x-scope': 'traces=1' });
  expect(received.join('')).toContain('{"key":"service.name","value":{"stringValue":"bough-2"}}');
});

it('SV-16: what went into a cache, why a reply ended and what Google calls a call have the names of the conventions', () => {
  const call: Call = {
    id: callId('c'),
    projectId: projectId('p'),
    turnId: turnId('t'),
    nodeId: null,
    provider: 'gemini',
    deployment: 'gemini',
    model: 'm',
    status: 'complete',
    requestHash: '',
    providerRequestId: null,
    responseId: null,
    startedAt: '2026-11-18T12:00:00.000Z',
    firstByteAt: null,
    endedAt: '2026-11-18T12:00:01.000Z',
    usage: { inputTokens: 100, cacheWriteTokens: 25 },
    cost: null,
    errorCode: 'max_tokens',
  };
  const span = callSpan(call, null);
  expect(span.name).toBe('generate_content m');
  expect(span.attributes).toEqual(
    expect.arrayContaining([
      { key: 'gen_ai.operation.name', value: { stringValue: 'generate_content' } },
      { key: 'gen_ai.provider.name', value: { stringValue: 'gcp.gemini' } },
      { key: 'gen_ai.usage.cache_write.input_tokens', value: { intValue: 25 } },
      {
        key: 'gen_ai.response.finish_reasons',
        value: { arrayValue: { values: [{ stringValue: 'max_tokens' }] } },
      },
    ]),
  );
});

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CLIENT_SPAN = '00f067aa0ba902b7';
const TRACEPARENT = `00-${TRACE}-${CLIENT_SPAN}-01`;

/** A request of another client, which knows of a trace or does not. */
async function passThrough(env: Readonly<Record<string, string>>, traceparent: string | null) {
  const { server, at, tee } = await startStage(env);
  const [{ provider, path, headers, body }] = CALLS;
  const response = await fetch(`${at(provider)}${path()}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers, ...(traceparent !== null && { traceparent }) },
    body: body(true),
  });
  await response.arrayBuffer();
  expect(response.status).toBe(200);
  // Sends what it has.
  await server.dispose();
  return { onward: tee.seen()[0]?.headers['traceparent'] };
}

it('SV-291: a trace leads through the gateway: from the client, over this server, to the call and to the vendor', async () => {
  const { onward } = await passThrough(collecting(), TRACEPARENT);
  const request = spans().find(({ kind }) => kind === 2);
  const call = spans().find(({ kind }) => kind === 3);
  expect(request).toMatchObject({ traceId: TRACE, parentSpanId: CLIENT_SPAN });
  expect(call).toMatchObject({ traceId: TRACE, parentSpanId: request?.spanId });
  expect(onward).toBe(`00-${TRACE}-${request?.spanId}-01`);
});

it('SV-291: a client that names no trace gets one here, and the vendor is told nothing', async () => {
  const { onward } = await passThrough(collecting(), null);
  const [request, call] = [2, 3].map((kind) => spans().find((span) => span.kind === kind));
  expect(request?.parentSpanId).toBeUndefined();
  expect(call).toMatchObject({ traceId: request?.traceId, parentSpanId: request?.spanId });
  expect(onward).toBeUndefined();
});

it('SV-291: without a collector, what a client says of its trace goes on as it came', async () => {
  const { onward } = await passThrough({}, TRACEPARENT);
  expect(onward).toBe(TRACEPARENT);
  expect(received).toStrictEqual([]);
});

it('SV-291: a traceparent that is none begins no trace of its own making', () => {
  for (const wrong of [
    undefined,
    '',
    'hello',
    `ff-${TRACE}-${CLIENT_SPAN}-01`,
    `00-${'0'.repeat(32)}-${CLIENT_SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${CLIENT_SPAN}-01`,
  ])
    expect(readTraceparent(wrong), wrong).toBeNull();
  expect(readTraceparent(TRACEPARENT)).toStrictEqual({ traceId: TRACE, spanId: CLIENT_SPAN, flags: '01' });
});
