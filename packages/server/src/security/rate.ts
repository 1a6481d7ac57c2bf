import type { MiddlewareHandler } from 'hono';
import type { RequestVariables } from '../handlers/parts.ts';
import { HttpProblem } from '../problem.ts';

/** Counts each client's requests separately, in windows of a minute. */
export interface RateLimit {
  /** Throws the refusal once the client has used up its quota for the minute. */
  readonly take: (client: string) => void;
}

const WINDOW_MS = 60_000;
/** Clients beyond this number share one count, so that invented ones cannot fill the memory. */
const MAX_CLIENTS = 10_000;
const OTHERS = 'others';

export function createRateLimit(perMinute: number, now: () => number): RateLimit {
  let windowStart = now();
  let counts = new Map<string, number>();
  return {
    take: (client) => {
      if (now() - windowStart >= WINDOW_MS) {
        windowStart = now();
        counts = new Map();
      }
      const counted = counts.has(client) || counts.size < MAX_CLIENTS ? client : OTHERS;
      const count = (counts.get(counted) ?? 0) + 1;
      counts.set(counted, count);
      if (count <= perMinute) return;
      const seconds = Math.max(1, Math.ceil((windowStart + WINDOW_MS - now()) / 1_000));
      throw new HttpProblem(
        429,
        'too_many_requests',
        `Too many requests in this minute. Wait ${seconds} s.`,
        { retryAfterSeconds: seconds },
        { 'retry-after': String(seconds) },
      );
    },
  };
}

/** Against runaway scripts, not against attackers: it counts accepted clients. Monitoring is not counted. */
export function limitRate(limit: RateLimit): MiddlewareHandler<RequestVariables> {
  return async (context, next) => {
    const client = context.get('client');
    if (client !== undefined && !context.req.path.startsWith('/api/healthz')) limit.take(client);
    await next();
  };
}
