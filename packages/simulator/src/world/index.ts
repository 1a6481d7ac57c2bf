import { createHmac } from 'node:crypto';
import type { World } from '../world.ts';

export interface WorldOptions {
  /** Decides the ids. Two simulators with the same seed give the same ids to the same requests in the same order. */
  readonly seed: string;
  /**
   * Decides the signatures. Kept apart from the seed: a conversation that was signed before a restart must still be
   * accepted after it, while tool call ids must not repeat in it.
   */
  readonly signingKey?: string;
  readonly plan: World['plan'];
  readonly note: World['note'];
  readonly now: () => number;
  /** How many things of a kind are remembered; the oldest are forgotten. */
  readonly memory?: number;
}

const DEFAULT_SIGNING_KEY = 'bough simulator';
const DEFAULT_MEMORY = 20_000;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function createWorld(options: WorldOptions): World {
  const signingKey = options.signingKey ?? DEFAULT_SIGNING_KEY;
  const limit = options.memory ?? DEFAULT_MEMORY;
  const memories = new Map<string, Map<string, unknown>>();
  let idCount = 0;

  return {
    plan: options.plan,
    note: options.note,
    now: options.now,
    sign: (purpose, payload) =>
      createHmac('sha256', signingKey).update(`${purpose.length}:${purpose}`).update(payload).digest('base64'),
    newId: (prefix, length) => {
      idCount += 1;
      return prefix + letters(options.seed, idCount, length);
    },
    remember: (kind, key, value) => {
      const memory = memories.get(kind) ?? new Map<string, unknown>();
      memories.set(kind, memory);
      // Moved to the end: what was used last is forgotten last.
      memory.delete(key);
      memory.set(key, value);
      if (memory.size > limit) {
        const [oldest] = memory.keys();
        if (oldest !== undefined) memory.delete(oldest);
      }
    },
    recall: (kind, key) => memories.get(kind)?.get(key),
  };
}

/** Letters and digits that look random but come from the seed and a counter alone. */
function letters(seed: string, count: number, length: number): string {
  let text = '';
  for (let block = 0; text.length < length; block += 1) {
    const bytes = createHmac('sha256', seed).update(`id:${count}:${block}`).digest();
    // Bytes above the last whole multiple of the alphabet are skipped, or some letters would come more often.
    for (const byte of bytes) if (byte < 248 && text.length < length) text += ALPHABET.charAt(byte % ALPHABET.length);
  }
  return text;
}
