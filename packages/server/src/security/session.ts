import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { StoredSettings } from '../keys/index.ts';

/**
 * The sessions of browsers. A session is a random id, sealed with the token: every server with the same token
 * recognises it.
 */
export interface Sessions {
  /** The `Set-Cookie` of a new session. */
  readonly open: (isSecure: boolean) => string;
  /** The session id in a `Cookie` header; null where there is none, or it is over. */
  readonly of: (cookies: string | undefined) => string | null;
  /** Ends the session in a `Cookie` header for good, and returns the `Set-Cookie` that removes it. */
  readonly close: (cookies: string | undefined, isSecure: boolean) => string;
}

const COOKIE = 'bough_session';
const LIFETIME_MS = 30 * 24 * 60 * 60 * 1_000;

export function createSessions(
  token: string,
  ended: Pick<StoredSettings, 'isEnded' | 'endSession'>,
  now: () => number = Date.now,
): Sessions {
  // Another token is another key: a changed token ends all sessions.
  const key = createHash('sha256').update(`${COOKIE}\n${token}`).digest();
  const seal = (id: string, expires: string): string =>
    createHmac('sha256', key).update(`${id}.${expires}`).digest('base64url');
  const read = (cookies: string | undefined): { readonly id: string; readonly expires: number } | null => {
    const [, id, expires, given] = SESSION.exec(cookies ?? '') ?? [];
    if (id === undefined || expires === undefined || given === undefined) return null;
    if (!isSame(given, seal(id, expires)) || Number(expires) <= now()) return null;
    return { id: hashOf(id), expires: Number(expires) };
  };
  return {
    open: (isSecure) => {
      const id = randomBytes(24).toString('base64url');
      const expires = String(now() + LIFETIME_MS);
      return cookie(`${id}.${expires}.${seal(id, expires)}`, LIFETIME_MS / 1_000, isSecure);
    },
    of: (cookies) => {
      const session = read(cookies);
      return session === null || ended.isEnded(session.id) ? null : session.id;
    },
    close: (cookies, isSecure) => {
      const session = read(cookies);
      if (session !== null && !ended.isEnded(session.id)) ended.endSession(session.id, session.expires);
      return cookie('', 0, isSecure);
    },
  };
}

const SESSION = new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w-]{1,64})\\.(\\d{1,16})\\.([\\w-]{1,64})(?:;|$)`);

/** No script can read it and no other site can use it. */
function cookie(value: string, maxAge: number, isSecure: boolean): string {
  return `${COOKIE}=${value}; Path=/api; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
}

/** The settings file must not reveal sessions to its readers. */
function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}

/** In constant time, over hashes, so that not even the length can be measured. */
export function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(createHash('sha256').update(given).digest(), createHash('sha256').update(expected).digest());
}
