import type { SecretOf } from '../secrets/index.ts';
import { noSecrets } from '../secrets/index.ts';
import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { StreamError, StreamEvent } from '@bough/core';
import type { Deployment } from '../deployment.ts';
import { unknownModel } from '../models/lookup.ts';
import type { PreparedRequest, Protocol } from '../protocol.ts';
import type { Reply, ReplyBatch } from '../provider.ts';
import { eventsIn } from '../framing/index.ts';
import type { TransportOptions } from './options.ts';
import { settingsOf } from './options.ts';
import { send } from './send.ts';

/** The smallest protocol: every event is a text, `end` is the stop, `bug` makes the fold throw. */
const plain: Protocol = {
  id: 'anthropic-messages',
  prepare: () => {
    throw new Error('not needed');
  },
  renderingKeys: () => 'plain|',
  createFold: () => ({
    push: ({ data }) => {
      if (data === 'bug') throw new Error('a bug with sk-abc123456789');
      if (data === 'end') return [{ type: 'stop', reason: 'end_turn' }];
      return [{ type: 'text', index: 0, text: data }];
    },
    end: (outcome) => {
      if (outcome.type === 'aborted') return [{ type: 'stop', reason: 'interrupted' }];
      if (outcome.type === 'failed')
        return [
          { type: 'error', error: outcome.error },
          { type: 'stop', reason: 'error' },
        ];
      return [{ type: 'stop', reason: 'unknown' }];
    },
  }),
  foldBody: (body) => [
    { type: 'text', index: 0, text: body },
    { type: 'stop', reason: 'end_turn' },
  ],
  toContentBlocks: () => [],
  readError: (status, body) => ({
    code: status === 429 ? 'rate_limit' : 'server',
    message: `${status}: ${body}`,
    retryable: status === 429 || status >= 500,
  }),
  check: () => [],
};

const closers: (() => void)[] = [];

/** Closes every server that a test started. */
export function closeServers(): void {
  for (const close of closers.splice(0)) close();
}

export type Handler = (response: ServerResponse, request: IncomingMessage, attempt: number) => void;

export async function serve(handler: Handler): Promise<string> {
  let attempts = 0;
  const server = createHttpServer((request, response) => {
    attempts += 1;
    request.resume();
    handler(response, request, attempts);
  });
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that accepts and never shakes hands: for a TLS client the connection is never established. */
export async function serveSilence(): Promise<string> {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => socket.destroy());
  });
  closers.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export const KEY = 'top-secret-0123456789';

export function sendTo(
  baseUrl: string,
  options: TransportOptions & {
    signal?: AbortSignal;
    key?: string | null;
    request?: Partial<PreparedRequest>;
    secretOf?: SecretOf;
  } = {},
): Reply {
  const {
    signal = new AbortController().signal,
    key = KEY,
    request = {},
    secretOf = noSecrets,
    ...transport
  } = options;
  const deployment: Deployment = {
    id: 'test',
    label: 'Test',
    protocol: 'anthropic-messages',
    baseUrl,
    keyEnv: ['TEST_KEY'],
    baseUrlEnv: [],
    keyOptional: false,
    authorize: (secret) => ({ 'x-api-key': secret }),
    headers: {},
    models: [],
    defaultModel: 'm',
    modelInfo: unknownModel,
    quirks: {},
  };
  return send({
    deployment,
    protocol: plain,
    key,
    keyProblem: key === null ? { code: 'provider_not_ready', message: 'Set TEST_KEY.' } : null,
    secretOf,
    signal,
    settings: settingsOf({ backoffMs: 1, random: () => 0, ...transport }),
    request: {
      protocol: 'anthropic-messages',
      issuer: { provider: 'test', deployment: 'test@here', model: 'm' },
      method: 'POST',
      url: `${baseUrl}/reply`,
      headers: { 'content-type': 'application/json' },
      body: '{"hello":"world"}',
      text: null,
      stream: true,
      notes: [],
      violations: [],
      renderings: [],
      ...request,
    },
  });
}

/** Reads a reply to its end, and fails if it breaks its contract. */
export async function collect(reply: Reply): Promise<{ batches: ReplyBatch[]; events: StreamEvent[] }> {
  const batches: ReplyBatch[] = [];
  for await (const batch of reply.batches) batches.push(batch);
  const events = batches.flatMap((batch) => batch.events);
  const stops = events.filter((event) => event.type === 'stop').length;
  if (stops !== 1 || events.at(-1)?.type !== 'stop')
    throw new Error(`The reply has ${stops} stops, or one that is not last.`);
  const { whole, torn } = eventsIn(batches.map(({ text }) => text));
  if (JSON.stringify([...whole, ...torn]) !== JSON.stringify(reply.raw().payload))
    throw new Error('The batches and raw differ.');
  return { batches, events };
}

export const texts = (events: readonly StreamEvent[]): string =>
  events.map((event) => (event.type === 'text' ? event.text : '')).join('');
export const errorOf = (events: readonly StreamEvent[]): StreamError | undefined =>
  events.flatMap((event) => (event.type === 'error' ? [event.error] : []))[0];
export const stream = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': 'req_1' });
