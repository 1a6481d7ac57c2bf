import type { Prompt, Reply } from './reply.ts';

/** What the simulator knows and decides: the same for every protocol, and determined by a seed. */
export interface World {
  /** Plans the reply to a request. */
  readonly plan: (prompt: Prompt) => Reply;
  /** A keyed hash: the simulator's signatures. `purpose` separates kinds of signatures from each other. */
  readonly sign: (purpose: string, payload: string) => string;
  /** Ids that look like the provider's: `newId('toolu_', 24)`. */
  readonly newId: (prefix: string, length: number) => string;
  /** What was issued before, by its opaque token: signatures, encrypted items, responses. Bounded. */
  readonly remember: (kind: string, key: string, value: unknown) => void;
  readonly recall: (kind: string, key: string) => unknown;
  /** Records that history was accepted or that something was silently dropped, for `GET /__simulator/log`. */
  readonly note: (entry: {
    readonly kind: 'silent_drop' | 'rejected' | 'accepted';
    readonly rule?: string;
    readonly detail: string;
    readonly withheld?: readonly string[];
  }) => void;
  readonly now: () => number;
}
