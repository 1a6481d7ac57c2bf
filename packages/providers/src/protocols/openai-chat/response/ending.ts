import type { StreamOutcome } from '../../../protocol.ts';
import type { Chunk } from './chunk.ts';

/**
 * Whether a reply has ended. A finish reason is the end only if nothing follows: some servers send one after each of
 * several calls, and a call that was cut off after the first must not be run.
 */
export class Ending {
  finish: string | null = null;
  done = false;

  take(chunk: Chunk): void {
    if (chunk.type === 'done') this.done = true;
    if (chunk.type !== 'chunk') return;
    if (chunk.finish !== null) this.finish = chunk.finish;
    // Sources and usage may come late; they add nothing to what was said.
    else if (chunk.pieces.some(({ kind }) => kind !== 'extra')) this.finish = null;
  }

  /**
   * After the finish reason a broken connection takes nothing away, unless there are calls: then more may have been
   * coming.
   */
  isComplete(outcome: StreamOutcome['type'], hasCalls: boolean): boolean {
    return this.done || (this.finish !== null && (outcome === 'closed' || !hasCalls));
  }
}
