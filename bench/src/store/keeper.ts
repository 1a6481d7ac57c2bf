import type { Role } from '../frame/contest.ts';
import type { TurnPayload } from './payload.ts';

/** The texts of messages, oldest first: what a reader shows, and what is compared with what was written. */
export type Texts = readonly string[];

/** Something that keeps one growing conversation. Every write is durable when it resolves. */
export interface Keeper {
  readonly name: string;
  readonly role: Role;
  /** Stores a question and its answer together. */
  readonly append: (turn: TurnPayload) => Promise<void>;
  /** The newest messages of the path that ends at `tip`. */
  readonly newestPage: (tip: string, messages: number) => Promise<Texts>;
  /** The whole path that ends at `tip`. */
  readonly path: (tip: string) => Promise<Texts>;
  /** Its total size on disk. */
  readonly bytes: () => Promise<number>;
}

/**
 * A keeper that stores what a running conversation really produces: the question when it is asked, the answer with its
 * raw when it arrives.
 */
export interface TurnKeeper extends Keeper {
  readonly runTurn: (turn: TurnPayload) => Promise<void>;
}
