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
  /** Everything that it holds on the disk. */
  readonly bytes: () => Promise<number>;
}

/**
 * A keeper that stores what a running conversation really brings: the question when it is asked, the answer with its
 * raw when it is there.
 */
export interface TurnKeeper extends Keeper {
  readonly runTurn: (turn: TurnPayload) => Promise<void>;
}
