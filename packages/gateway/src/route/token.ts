import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CallId, ProjectId } from '@bough/core';
import { callId, projectId } from '@bough/core';

/** What a token names: the call that a stored reply came from. */
export interface Named {
  readonly project: ProjectId;
  readonly call: CallId;
}

/** What clients of a route get as the signature of reasoning. */
export interface Tokens {
  readonly write: (named: Named) => string;
  /** Null if it is none, or was not made here. */
  readonly read: (token: string) => Named | null;
}

/** Six letters are eight in base64: every token begins alike. */
const MARK = 'bough1';
export const TOKEN_START = 'Ym91Z2gx';
const MAC_BYTES = 16;

/**
 * Whether a signature is one of Bough's. It means nothing to any provider, and must never be sent to one: whoever made
 * it does not matter for that.
 */
export const isToken = (signature: string): boolean => signature.startsWith(TOKEN_START);

/**
 * The names are readable, and nobody can make a token for others: a client that sends back what it did not get is told
 * apart. All of it is base64, because some clients decode and encode signatures.
 */
export function createTokens(secret: string | Uint8Array): Tokens {
  const macOf = (content: Uint8Array): Buffer =>
    createHmac('sha256', secret).update(content).digest().subarray(0, MAC_BYTES);
  return {
    write: ({ project, call }) => {
      const content = Buffer.from(`${MARK}${JSON.stringify([project, call])}`);
      return Buffer.concat([content, macOf(content)]).toString('base64');
    },
    read: (token) => {
      if (!isToken(token)) return null;
      const bytes = Buffer.from(token, 'base64');
      const content = bytes.subarray(0, -MAC_BYTES);
      const mac = bytes.subarray(-MAC_BYTES);
      if (mac.length !== MAC_BYTES || !timingSafeEqual(mac, macOf(content))) return null;
      const [project, call] = JSON.parse(content.subarray(MARK.length).toString()) as [string, string];
      return { project: projectId(project), call: callId(call) };
    },
  };
}
