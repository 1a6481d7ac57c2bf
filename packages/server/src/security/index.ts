import { createHash, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { isLoopback } from '../config/index.ts';
import { HttpProblem } from '../problem.ts';

export interface SecurityOptions {
  readonly host: string;
  readonly token: string | null;
  readonly requestsPerMinute: number;
  readonly maxBodyBytes: number;
  readonly now: () => number;
}

/**
 * Who may talk to this server. A page of another origin must not be able to (cross-site requests), nor one whose name was pointed at this machine (DNS rebinding): so the
 * Host must be ours, and an Origin, where there is one, must be the same.
 */
export function checkOrigin({ host, token }: Pick<SecurityOptions, 'host' | 'token'>): MiddlewareHandler {
  return async (context, next) => {
    const named = context.req.header('host') ?? '';
    const hostname = named.replace(/:\d+$/, '');
    const known = isLoopback(hostname) || hostname === host || (token !== null && !isLoopback(host));
    if (!known)
      throw new HttpProblem(
        403,
        'forbidden_host',
        `This server does not answer for "${hostname}". Use the address that it printed.`,
      );
    const origin = context.req.header('origin');
    if (origin !== undefined && origin !== 'null' && hostOf(origin) !== named) {
      throw new HttpProblem(403, 'forbidden_origin', 'Requests from other sites are not taken.');
    }
    if (origin === 'null' || context.req.header('sec-fetch-site') === 'cross-site') {
      throw new HttpProblem(403, 'forbidden_origin', 'Requests from other sites are not taken.');
    }
    await next();
  };
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}

/** Where a browser leaves the token and takes it back: it cannot bring it along before. */
const SESSION_PATH = '/api/session';

/** With a token set, every API request carries it, or a browser's session that was opened with it. */
export function checkToken(token: string | null): MiddlewareHandler {
  return async ({ req }, next) => {
    if (token === null || (req.path === SESSION_PATH && req.method !== 'GET')) return next();
    const bearer = /^Bearer (.+)$/.exec(req.header('authorization') ?? '')?.[1];
    const isKnown = bearer === undefined ? isSession(req.header('cookie'), token) : isSame(bearer, token);
    if (!isKnown)
      throw new HttpProblem(401, 'unauthorized', 'Send the token of this server as "Authorization: Bearer …".');
    return next();
  };
}

const COOKIE = 'bough_session';
const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** A cookie that no script can read and no other site can use. It holds a hash: whoever reads it out of a browser does not have the token. */
export function sessionCookie(token: string, given: string, isSecure: boolean): string {
  if (!isSame(given, token)) throw new HttpProblem(401, 'unauthorized', 'This is not the token of this server.');
  return cookie(sessionOf(token), YEAR_SECONDS, isSecure);
}

export function endOfSession(isSecure: boolean): string {
  return cookie('', 0, isSecure);
}

function cookie(value: string, maxAge: number, isSecure: boolean): string {
  return `${COOKIE}=${value}; Path=/api; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
}

function isSession(cookies: string | undefined, token: string): boolean {
  const given = new RegExp(`(?:^|;\\s*)${COOKIE}=([^;]+)`).exec(cookies ?? '')?.[1];
  return given !== undefined && isSame(given, sessionOf(token));
}

function sessionOf(token: string): string {
  return createHash('sha256').update(`${COOKIE}\n${token}`).digest('hex');
}

/** In constant time, over hashes, so that not even the length can be measured. */
function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}

/** A bound on requests per minute over all clients of a loopback server: against runaway scripts, not against attackers. */
export function limitRate({
  requestsPerMinute,
  now,
}: Pick<SecurityOptions, 'requestsPerMinute' | 'now'>): MiddlewareHandler {
  let windowStart = now();
  let count = 0;
  return async (_, next) => {
    if (now() - windowStart >= 60_000) {
      windowStart = now();
      count = 0;
    }
    count += 1;
    if (count > requestsPerMinute)
      throw new HttpProblem(429, 'too_many_requests', 'Too many requests in this minute. Wait a little.');
    await next();
  };
}

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "manifest-src 'self'",
].join('; ');

export const securityHeaders: MiddlewareHandler = async (context, next) => {
  await next();
  const { headers } = context.res;
  headers.set('x-content-type-options', 'nosniff');
  headers.set('x-frame-options', 'DENY');
  headers.set('referrer-policy', 'no-referrer');
  headers.set('cross-origin-opener-policy', 'same-origin');
  headers.set('cross-origin-resource-policy', 'same-origin');
  headers.set('content-security-policy', CONTENT_SECURITY_POLICY);
  if (context.req.path.startsWith('/api/') && !headers.has('cache-control')) headers.set('cache-control', 'no-store');
};
