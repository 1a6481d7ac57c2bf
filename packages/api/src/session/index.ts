import type { StreamLine } from '@bough/core';
import type { Client } from '../client/index.ts';
import { ApiError } from '../client/index.ts';
import { readLines } from './lines.ts';

export { readLines } from './lines.ts';

export interface TurnSessionOptions {
  readonly client: Client;
  readonly projectId: string;
  readonly signal?: AbortSignal;
  /** Silence after which the connection is considered dead; the server sends heartbeats far more often. */
  readonly silenceMs?: number;
  /** Waits before the next attempt; injected so that tests do not wait. */
  readonly pause?: (attempt: number) => Promise<void>;
  /** How long it goes on trying to reach a server that does not answer; for ever if absent. */
  readonly patienceMs?: number;
  /** Called when the connection is lost and when it is back. */
  readonly onConnection?: (connected: boolean) => void;
}

const DEFAULT_SILENCE_MS = 45_000;

/**
 * The lines of one turn, each exactly once and in order, from a first response or from its id. Survives a lost
 * connection, a sleeping machine and a restarted server: it reconnects with `after` until the `done` line has been
 * seen. Ends after `done`; throws only what a retry cannot fix (the turn is gone, the token is wrong), or what none has
 * fixed for as long as the caller has patience.
 */
export async function* turnLines(
  options: TurnSessionOptions,
  start: { readonly response: Response } | { readonly turnId: string; readonly after?: number },
): AsyncGenerator<StreamLine, void> {
  let turnId = 'turnId' in start ? start.turnId : null;
  let after = 'turnId' in start ? (start.after ?? 0) : 0;
  let response = 'response' in start ? start.response : null;
  let lostAt: number | null = null;
  for (let attempt = 0; ; attempt += 1) {
    if (isAborted(options)) return;
    try {
      response ??= await reconnect(options, turnId, after);
      lostAt = null;
      options.onConnection?.(true);
      for await (const line of linesUntilSilent(response, options)) {
        if (line.type === 'turn') turnId = line.turnId;
        // Lines seen before the connection was lost may come again.
        if (line.seq <= after) continue;
        after = line.seq;
        attempt = 0;
        yield line;
        if (line.type === 'done') return;
      }
    } catch (error) {
      if (isAborted(options)) return;
      if (!isPassing(error) || turnId === null) throw error;
      lostAt ??= Date.now();
      if (Date.now() - lostAt >= (options.patienceMs ?? Number.POSITIVE_INFINITY)) throw error;
    }
    if (isAborted(options)) return;
    response = null;
    options.onConnection?.(false);
    await (options.pause ?? backOff)(attempt);
  }
}

// A function, because TypeScript would take a property that was checked once as constant.
function isAborted({ signal }: TurnSessionOptions): boolean {
  return signal?.aborted === true;
}

async function reconnect(options: TurnSessionOptions, turnId: string | null, after: number): Promise<Response> {
  if (turnId === null) {
    throw new ApiError({ status: 0, code: 'unreachable', detail: 'The connection was lost before the turn began.' });
  }
  return options.client.turnStream(options.projectId, turnId, after, options.signal);
}

async function* linesUntilSilent(response: Response, options: TurnSessionOptions): AsyncGenerator<StreamLine, void> {
  if (response.body === null) return;
  const lines = readLines(response.body);
  try {
    for (;;) {
      const next = await unlessSilent(lines.next(), options);
      if (next === 'silent' || next.done === true) return;
      if (next.value.type !== 'heartbeat') yield next.value;
    }
  } finally {
    await response.body.cancel().catch(() => undefined);
  }
}

/**
 * A caller that stops listening must not have to wait for the next line: the first response was requested without its
 * signal.
 */
async function unlessSilent<Value>(work: Promise<Value>, options: TurnSessionOptions): Promise<Value | 'silent'> {
  const { signal, silenceMs = DEFAULT_SILENCE_MS } = options;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let leave: () => void = () => undefined;
  const silence = new Promise<'silent'>((resolve) => {
    leave = () => resolve('silent');
    timer = setTimeout(leave, silenceMs);
    signal?.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', leave);
    // If the silence won, the read fails later, when the body is cancelled; nothing waits for it any more.
    work.catch(() => undefined);
  }
}

/** Network failures and a starting server are temporary; an unknown turn or a wrong token is not. */
function isPassing(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status === 429 || error.status >= 500;
}

async function backOff(attempt: number): Promise<void> {
  const milliseconds = Math.min(250 * 2 ** attempt, 10_000);
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
}
