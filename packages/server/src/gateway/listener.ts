import type { Gateway, GatewayAnswer } from '@bough/gateway';
import { BrokenOffError, isGatewayPath, protocolOfPath, refusalAnswer } from '@bough/gateway';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EarlyListener } from '../http/index.ts';
import { uploading } from '../http/index.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics/index.ts';
import { HttpProblem } from '../problem.ts';
import type { OriginOptions } from '../security/origin.ts';
import type { RateLimit } from '../security/index.ts';
import { originProblem } from '../security/index.ts';
import type { HeaderRecord, Telemetry } from '../telemetry/index.ts';
import { arriving } from './arriving.ts';

export interface GatewayListenerParts {
  readonly gateway: Gateway;
  readonly options: OriginOptions;
  readonly requests: RateLimit;
  readonly wrongTokens: RateLimit;
  readonly metrics: Metrics;
  readonly telemetry: Telemetry;
  readonly log: Log;
}

const MAX_LOGGED_PATH = 300;

/** What a vendor answers is shown by no browser, and is no part of this page. */
const SECURITY = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; sandbox",
} as const;

/**
 * Other clients' requests, straight from Node's server: the bytes pass without being wrapped into requests and
 * responses of the application, which cost more than everything else here (docs/performance.md).
 */
export function createGatewayListener(parts: GatewayListenerParts): EarlyListener {
  return (incoming, outgoing) => {
    if (!isGatewayPath(incoming.url ?? '')) return false;
    serve(incoming, outgoing, parts).catch((error: unknown) => {
      parts.log.error('gateway_failed', { message: error instanceof Error ? error.message : String(error) });
      outgoing.destroy();
    });
    return true;
  };
}

async function serve(incoming: IncomingMessage, outgoing: ServerResponse, parts: GatewayListenerParts): Promise<void> {
  const { metrics, log, telemetry } = parts;
  const started = performance.now();
  const requestId = randomUUID();
  const method = incoming.method ?? 'GET';
  const path = (incoming.url ?? '/').replace(/\?.*$/s, '');
  const left = new AbortController();
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) left.abort();
  });
  // A client that leaves while it is written to is told by `close`.
  outgoing.on('error', () => undefined);
  // Without the query: it may hold a key.
  const shown = path.length <= MAX_LOGGED_PATH ? path : `${path.slice(0, MAX_LOGGED_PATH)}…`;
  await telemetry.passing({ method, path: shown, headers: headersOf(incoming) }, async (headers) => {
    const answer = await answerTo(incoming, headers, path, left.signal, parts);
    const milliseconds = Math.round(performance.now() - started);
    metrics.request(method, answer.status, milliseconds);
    log.info('gateway', { requestId, method, path: shown, status: answer.status, milliseconds });
    await write(answer, outgoing, { ...SECURITY, 'x-bough-request-id': requestId });
    return answer;
  });
}

async function answerTo(
  incoming: IncomingMessage,
  headers: HeaderRecord,
  path: string,
  signal: AbortSignal,
  { gateway, options, requests, wrongTokens }: GatewayListenerParts,
): Promise<GatewayAnswer> {
  const address = incoming.socket.remoteAddress ?? '';
  const body = hasBody(headers) ? arriving(incoming, uploading) : null;
  try {
    const problem = originProblem((name) => headers[name], null, options);
    if (problem !== null) throw problem;
    requests.take(address);
    const url = incoming.url ?? '/';
    const answer = await gateway.handle({ method: incoming.method ?? 'GET', url, headers, body, signal });
    if (answer.isWrongToken === true) wrongTokens.take(address);
    return answer;
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    const isRate = error.status === 429;
    const refusal = { status: error.status, message: error.message, retry: isRate };
    const { headers: own, ...rest } = refusalAnswer(protocolOfPath(path), refusal);
    return { ...rest, headers: { ...own, ...error.headers } };
  }
}

/** Several values of one header are joined, as HTTP allows for all that matter here. */
function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}

function hasBody(headers: Readonly<Record<string, string>>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

async function write(
  { status, headers, body }: GatewayAnswer,
  outgoing: ServerResponse,
  more: Readonly<Record<string, string>>,
): Promise<void> {
  if (body instanceof Uint8Array) {
    outgoing.writeHead(status, { ...headers, ...more, 'content-length': String(body.length) });
    outgoing.end(outgoing.req.method === 'HEAD' ? undefined : body);
    return;
  }
  try {
    outgoing.writeHead(status, { ...headers, ...more });
    // A client must see that it was answered before the model has thought.
    if (headers['content-length'] === undefined) outgoing.flushHeaders();
    for await (const piece of body) {
      if (outgoing.destroyed) break;
      if (!outgoing.write(piece)) await room(outgoing);
    }
    outgoing.end();
  } catch (error) {
    // Neither a whole answer nor an error in its words: cut off, as it was towards us.
    outgoing.destroy();
    if (!(error instanceof BrokenOffError)) throw error;
  }
}

/** Waits until what was written has left, or nobody is there any more. */
function room(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (outgoing.destroyed) return resolve();
    const done = (): void => {
      outgoing.off('drain', done);
      outgoing.off('close', done);
      resolve();
    };
    outgoing.on('drain', done);
    outgoing.on('close', done);
  });
}
