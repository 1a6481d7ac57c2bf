import type { Branch, NodeId, Turn } from '@bough/core';
import type { ReplyLimits } from '../assemble/index.ts';
import type { TurnLog } from './log.ts';
import type { Turnstile } from './turnstile.ts';

/** A turn that this process runs. `tip` moves as its parts are stored. */
export interface RunningTurn {
  readonly turn: Turn;
  /** As it was when the turn began, with the summaries that were made for the turn since. */
  branch: Branch;
  readonly toolChoice: 'auto' | 'none';
  /** What was asked of this turn alone. */
  readonly limits: ReplyLimits;
  readonly log: TurnLog;
  readonly abort: AbortController;
  /** Replies are stored a few at a time: meanwhile their raw is in memory in several forms, many times its length. */
  readonly storing: Turnstile;
  readonly startedAt: number;
  /** Another program makes its calls, and goes on whatever happens to what is written down here. */
  readonly isRecorded: boolean;
  tip: NodeId;
  /** Everything stored for the turn; null where another run of it stored a part. */
  readonly nodeIds: NodeId[] | null;
  /**
   * False once the provider refused to continue from one of its own responses: from then on the full context is sent.
   */
  mayContinue: boolean;
  /** False once the provider refused what its other models had thought: from then on each model gets its own alone. */
  mayShareReasoning: boolean;
  /**
   * Whether the next call may name the containers of earlier ones. `gone`: the provider said that one is. `doubtful`:
   * its servers failed, and that may have been why. What is sent without them is stored and stays so; then the next
   * call may name those that were made since.
   */
  containers: 'usable' | 'gone' | 'doubtful';
  /** The ids of the files that the new container of that next call is to have. */
  containerFiles: readonly string[];
  /** False once the provider said that it no longer has a file which was given to it: from then on none is named. */
  mayBringFiles: boolean;
  /** Whether the conversation may still be summarised before the turn: not once it is in a loop of tools. */
  mayCompact: boolean;
  /** Calls made so far; counted against the limit. */
  calls: number;
  /** Somebody asked to stop it; a server that shuts down interrupts its turns, too. */
  isStopped: boolean;
  /** Another server took it over: nothing more may be written. */
  isLost: boolean;
}
