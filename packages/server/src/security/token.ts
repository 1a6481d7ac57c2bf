import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context, MiddlewareHandler } from 'hono';
import type { RequestVariables } from '../handlers/parts.ts';
import { HttpProblem } from '../problem.ts';
import type { RateLimit } from './rate.ts';
import type { Sessions } from './session.ts';
import { isSame } from './session.ts';

/** Where a browser opens a session with the token, and closes it: it cannot send the token along before that. */
const SESSION_PATH = '/api/session';

/** How clients with the token are told from those without. */
export interface Access {
  /** Null where no token is required. */
  readonly sessions: Sessions | null;
  /** Counts wrong tokens per source address. */
  readonly wrongTokens: RateLimit;
}

/**
 * With a token set, every API request carries it, or a browser session opened with it. Right tokens are accepted
 * however many wrong ones came: strangers must not be able to lock anybody out. Records who is asking, for the rate
 * limit.
 */
export function checkToken(
  token: string | null,
  { sessions, wrongTokens }: Access,
): MiddlewareHandler<RequestVariables> {
  return async (context, next) => {
    const { req } = context;
    if (token === null || sessions === null) {
      context.set('client', addressOf(context));
      return next();
    }
    if (req.path === SESSION_PATH && req.method !== 'GET') return next();
    const bearer = /^Bearer (.+)$/.exec(req.header('authorization') ?? '')?.[1];
    if (bearer !== undefined) {
      takeToken(bearer, token, wrongTokens, addressOf(context));
      // Behind a proxy that adds the token itself, all clients come from its address.
      context.set('client', `${addressOf(context)} ${(req.header('x-forwarded-for') ?? '').slice(0, 200)}`);
      return next();
    }
    const session = sessions.of(req.header('cookie'));
    if (session === null)
      throw new HttpProblem(401, 'unauthorized', 'Send the token of this server as "Authorization: Bearer …".');
    context.set('client', `session ${session}`);
    return next();
  };
}

/** Throws for a wrong token. */
export function takeToken(given: string, token: string, wrongTokens: RateLimit, address: string): void {
  if (isSame(given, token)) return;
  wrongTokens.take(address);
  throw new HttpProblem(401, 'unauthorized', 'This is not the token of this server.');
}

export function addressOf(context: Context): string {
  return getConnInfo(context).remote.address ?? '';
}
