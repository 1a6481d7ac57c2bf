import { isPlainObject } from '@bough/core';
import type { World } from '../../world.ts';
import { text } from './wire.ts';

/**
 * What a reasoning item knows about itself. It is written into its encrypted content, so that it survives a restart.
 */
export interface Sealed {
  readonly model: string;
  readonly id: string;
  /** The item that was written right after it; empty if there was none. */
  readonly follower: string;
  readonly followerKind: string;
}

const LOOK = 'gAAAAAB';
const PURPOSE = 'openai-responses reasoning';

/** Looks like the provider's tokens; carries its own proof. */
export function seal(world: World, sealed: Sealed): string {
  const payload = JSON.stringify([sealed.model, sealed.id, sealed.follower, sealed.followerKind]);
  const envelope = JSON.stringify([payload, world.sign(PURPOSE, payload)]);
  return LOOK + Buffer.from(envelope, 'utf8').toString('base64url');
}

/** Null for anything that this simulator did not seal, or that was altered. */
export function unseal(world: World, token: string): Sealed | null {
  if (!token.startsWith(LOOK)) return null;
  const encoded = token.slice(LOOK.length);
  const envelope = parse(Buffer.from(encoded, 'base64url').toString('utf8'));
  if (!Array.isArray(envelope)) return null;
  const payload = text(envelope[0]);
  if (payload === '' || envelope[1] !== world.sign(PURPOSE, payload)) return null;
  // Base64 decoding ignores stray characters at the end; a token that is not exactly ours was altered.
  if (Buffer.from(JSON.stringify(envelope), 'utf8').toString('base64url') !== encoded) return null;
  const [model, id, follower, followerKind] = ([] as unknown[]).concat(parse(payload)).map(text);
  if (model === undefined || id === undefined || follower === undefined || followerKind === undefined) return null;
  return { model, id, follower, followerKind };
}

function parse(json: string): unknown {
  try {
    const value: unknown = JSON.parse(json);
    return isPlainObject(value) ? null : value;
  } catch {
    return null;
  }
}
