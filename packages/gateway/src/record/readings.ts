import type { ReadBefore } from '../dialects/index.ts';
import { commonLength } from '../dialects/resume.ts';
import type { Cut } from './exchange.ts';
import type { KnownTrails } from './trail.ts';

/** What was made of a client's body, for the next one that begins with the same bytes. */
export interface Reading extends ReadBefore, KnownTrails {
  readonly model: string;
  /** What must come back exactly, up to each message; null if nobody asked. */
  firms: readonly string[] | null;
  /** How it was cut, and the hash of each segment. */
  cut: (Cut & { readonly segments: readonly string[] }) | null;
  /** The provider took the body as it came, and replied. */
  readonly verdict: { isTaken: boolean };
}

/** Characters that are held in all; most take a byte. A longer body is read whole each time. */
const MOST_CHARACTERS = 64_000_000;
const LONGEST = 16_000_000;
/** Histories that are held under one key: a conversation and what runs beside it. */
const MOST_OF_ONE = 8;

/**
 * The newest bodies of the conversations that pass through this process. A client repeats its whole history with every
 * request: what is the same, to the byte, need not be read, judged, cut and hashed again. It saves time and nothing
 * depends on it: what is forgotten, or came to another server, is read whole.
 */
export class Readings {
  readonly #byKey = new Map<string, readonly Reading[]>();
  #characters = 0;

  /** The one that has most in common with this text; null if none has enough. */
  find(key: string, text: string): { readonly reading: Reading; readonly common: number } | null {
    let best: { readonly reading: Reading; readonly common: number } | null = null;
    for (const reading of this.#byKey.get(key) ?? []) {
      const common = commonLength(text, reading.text);
      if (common > (best?.common ?? 0)) best = { reading, common };
    }
    return best;
  }

  /** Takes the place of the one that it goes on from. */
  keep(key: string, reading: Reading, before: Reading | null): void {
    const others = (this.#byKey.get(key) ?? []).filter((each) => each !== before);
    this.#forget(key);
    if (reading.text.length > LONGEST) return this.#put(key, others);
    this.#put(key, [reading, ...others].slice(0, MOST_OF_ONE));
    for (const oldest of this.#byKey.keys()) {
      if (this.#characters <= MOST_CHARACTERS || oldest === key) break;
      this.#forget(oldest);
    }
  }

  #put(key: string, readings: readonly Reading[]): void {
    if (readings.length === 0) return;
    this.#byKey.set(key, readings);
    this.#characters += sizeOf(readings);
  }

  #forget(key: string): void {
    this.#characters -= sizeOf(this.#byKey.get(key) ?? []);
    this.#byKey.delete(key);
  }
}

const sizeOf = (readings: readonly Reading[]): number => readings.reduce((sum, { text }) => sum + text.length, 0);
