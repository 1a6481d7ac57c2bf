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
export function checkOrigin({ host, token }: OriginOptions): MiddlewareHandler {
  return async (context, next) => {
    const named = context.req.header('host') ?? '';
    const hostname = named.replace(/:\d+$/, '');
    const known = isLoopback(hostname) || hostname === host || (token !== null && !isLoopback(host));
    const authority = hostOf(`http://${named}`);
    // An invalid authority would fail wherever the request's URL is read; a different one in the request line is
    // another host.
    if (!known || authority === null || authority !== hostOf(context.req.url))
      throw new HttpProblem(
        403,
        'forbidden_host',
        `This server does not answer for "${hostname.slice(0, 100)}". Use the address that it printed.`,
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

function hostOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).host : null;
}
