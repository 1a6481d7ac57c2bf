import { isPlainObject } from '@bough/core';
import type { World } from '../../world.ts';
import { digest } from './turns.ts';

/**
 * What a signature says about its thought. It is written into the signature itself, so that a conversation is still
 * accepted by a simulator that was restarted and remembers nothing.
 */
export interface Claim {
  readonly kind: 'thinking' | 'redacted_thinking';
  readonly model: string;
  /** The reply that it came with, and its position among that reply's thoughts. */
  readonly reply: string;
  readonly place: number;
  /** A digest of the text that was shown; null if the text was withheld: then any text will do. */
  readonly text: string | null;
  /** What came before it, and the thought before it. */
  readonly prefix: string;
  readonly system: string;
  readonly previous: string | null;
}

const PURPOSE = 'anthropic thinking';

export function sign(claim: Claim, world: World): string {
  const text = JSON.stringify(claim);
  return Buffer.from(`${world.sign(PURPOSE, text)}.${text}`).toString('base64');
}

/** Null for a signature that this simulator did not make, or that was changed. */
export function readClaim(signature: unknown, world: World): Claim | null {
  if (typeof signature !== 'string') return null;
  const decoded = Buffer.from(signature, 'base64');
  // Base64 has several spellings of one value; only the one that was issued is the signature.
  if (decoded.toString('base64') !== signature) return null;
  const token = decoded.toString('utf8');
  const end = token.indexOf('.');
  const text = token.slice(end + 1);
  if (end < 0 || world.sign(PURPOSE, text) !== token.slice(0, end)) return null;
  const claim: unknown = JSON.parse(text);
  return isClaim(claim) ? claim : null;
}

/** The name of a thought in the chain of thoughts. */
export function nameOf(signature: string): string {
  return digest(signature);
}

function isClaim(value: unknown): value is Claim {
  return isPlainObject(value) && typeof value['prefix'] === 'string' && typeof value['model'] === 'string';
}

const BLOCK_PURPOSE = 'anthropic block';

/** A block of a type that no client knows; its seal distinguishes it from one that a client made up. */
export function sealedBlock(type: string, world: World): Readonly<Record<string, unknown>> {
  const block = { type, note: 'A block of a type that no client knows yet.' };
  return { ...block, seal: world.sign(BLOCK_PURPOSE, JSON.stringify(block)) };
}

export function isSealed(block: Readonly<Record<string, unknown>>, world: World): boolean {
  const { seal, ...rest } = block;
  return seal === world.sign(BLOCK_PURPOSE, JSON.stringify(rest));
}
