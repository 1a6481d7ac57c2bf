import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context, MiddlewareHandler } from 'hono';
import type { RequestVariables } from '../handlers/parts.ts';
import { HttpProblem } from '../problem.ts';
import type { RateLimit } from './rate.ts';
import type { Sessions } from './session.ts';
import { isSame } from './session.ts';

/** Where a browser leaves the token and takes it back: it cannot bring it along before. */
const SESSION_PATH = '/api/session';

/** How those who have the token are told from those who have not. */
export interface Access {
  /** Null where no token is asked for. */
  readonly sessions: Sessions | null;
  /** Counts wrong tokens by the address that they come from. */
  readonly wrongTokens: RateLimit;
}

/**
 * With a token set, every API request carries it, or a browser's session that was opened with it. Right ones are taken
 * whatever the number of wrong ones: strangers must not be able to lock anybody out. Notes who asks, for the rate
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
      // Behind a proxy that brings the token itself, everybody comes from its address.
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
