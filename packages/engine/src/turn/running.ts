import type { Branch, NodeId, Turn } from '@bough/core';
import type { ReplyLimits } from '../assemble/index.ts';
import type { TurnLog } from './log.ts';
import type { Turnstile } from './turnstile.ts';

/** A turn that this process runs. `tip` moves as its parts are stored. */
export interface RunningTurn {
  readonly turn: Turn;
  readonly branch: Branch;
  readonly toolChoice: 'auto' | 'none';
  /** What was asked of this turn alone. */
  readonly limits: ReplyLimits;
  readonly log: TurnLog;
  readonly abort: AbortController;
  /** Replies are stored a few at a time: meanwhile their raw is in memory in several forms, many times its length. */
  readonly storing: Turnstile;
  readonly startedAt: number;
  tip: NodeId;
  /** Everything stored for the turn; null where another run of it stored a part. */
  readonly nodeIds: NodeId[] | null;
  /**
   * False once the provider refused to continue from one of its own responses: from then on the full context is sent.
   */
  mayContinue: boolean;
  /** False once the provider refused what its other models had thought: from then on each model gets its own alone. */
  mayShareReasoning: boolean;
  /** Calls made so far; counted against the limit. */
  calls: number;
  /** Somebody asked to stop it; a server that shuts down interrupts its turns, too. */
  isStopped: boolean;
}
