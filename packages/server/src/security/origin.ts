import type { MiddlewareHandler } from 'hono';
import { isLoopback } from '../config/index.ts';
import { HttpProblem } from '../problem.ts';

export interface OriginOptions {
  readonly host: string;
  readonly token: string | null;
}

/**
 * Who may talk to this server. A page of another origin must not be able to (cross-site requests), nor one whose name
 * was pointed at this machine (DNS rebinding): so the Host must be ours, and an Origin, if present, must match it.
 */
export function checkOrigin(options: OriginOptions): MiddlewareHandler {
  return async (context, next) => {
    const { req } = context;
    const problem = originProblem((name) => req.header(name), req.url, options);
    if (problem !== null) throw problem;
    await next();
  };
}

/** Null for a request that may come in. `url` is that of the request line, if it names a host. */
export function originProblem(
  header: (name: string) => string | undefined,
  url: string | null,
  { host, token }: OriginOptions,
): HttpProblem | null {
  const named = header('host') ?? '';
  const hostname = named.replace(/:\d+$/, '');
  const known = isLoopback(hostname) || hostname === host || (token !== null && !isLoopback(host));
  const authority = hostOf(`http://${named}`);
  // An invalid authority would fail wherever the request's URL is read; a different one in the request line is another
  // host.
  if (!known || authority === null || (url !== null && authority !== hostOf(url)))
    return new HttpProblem(
      403,
      'forbidden_host',
      `This server does not answer for "${hostname.slice(0, 100)}". Use the address that it printed.`,
    );
  const origin = header('origin');
  const isForeign = origin === 'null' || (origin !== undefined && hostOf(origin) !== named);
  if (isForeign || header('sec-fetch-site') === 'cross-site')
    return new HttpProblem(403, 'forbidden_origin', 'Requests from other sites are not taken.');
  return null;
}

function hostOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).host : null;
}
