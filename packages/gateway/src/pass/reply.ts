import type { StreamError } from '@bough/core';
import type { ForwardedBody, ForwardedPiece } from '@bough/providers';
import type { Outcome, Tap } from './hook.ts';

/** A reply that broke off where no words can be put: the client's connection is cut, as the vendor's was. */
export class BrokenOffError extends Error {}

export interface ReplyOptions {
  readonly body: ForwardedBody;
  /** Null: nobody looks. */
  readonly tap: Tap | null;
  /** Why the call was ended from here, if it was. */
  readonly why: () => 'left' | 'stopped' | null;
  /** How an error is said within this reply; null if it cannot hold one. */
  readonly errorEvent: ((error: StreamError) => string) | null;
  /** A piece or the end could not be kept. True: the client must not see what is not recorded. */
  readonly onUnkept: (error: unknown) => boolean;
  /** Told once, when everything is over. */
  readonly onOver: () => void;
}

const STOPPED: StreamError = { code: 'aborted', message: 'The reply was stopped in Bough.', retryable: true };
const UNKEPT: StreamError = { code: 'server', message: 'Bough could not record the reply.', retryable: true };

/**
 * The reply as the client gets it: every byte as it came, after the tap has kept it. Whoever iterates must call
 * `return` when it stops early, even before the first step: that ends the call and tells the tap.
 */
export function replyTo(options: ReplyOptions): AsyncIterableIterator<Uint8Array> {
  const { onUnkept, onOver, why } = options;
  let tap = options.tap;
  const { body } = options;
  let isOver = false;
  const tell = async (outcome: Outcome): Promise<void> => {
    const told = tap;
    tap = null;
    try {
      await told?.end(outcome);
    } catch (error) {
      onUnkept(error);
    }
  };
  /** False if the client must not get it. */
  const keep = async (bytes: Uint8Array): Promise<boolean> => {
    try {
      await tap?.piece(bytes);
      return true;
    } catch (error) {
      const mustRefuse = onUnkept(error);
      await tell({ type: 'lost' });
      return !mustRefuse;
    }
  };
  async function* steps(): AsyncGenerator<Uint8Array, void, void> {
    const border = createBorder();
    let problem: StreamError | null = null;
    for (;;) {
      const piece = await body.next();
      if (piece.type !== 'bytes') {
        const outcome = outcomeOf(piece, why());
        await tell(outcome);
        problem = outcome.type === 'failed' ? outcome.error : outcome.type === 'stopped' ? STOPPED : null;
        break;
      }
      if (!(await keep(piece.bytes))) {
        problem = UNKEPT;
        break;
      }
      border.add(piece.bytes);
      yield piece.bytes;
    }
    if (problem === null) return;
    // In the middle of an event, words would only spoil it: a client that cannot read it must not take it for whole.
    if (options.errorEvent === null || !border.isBetweenEvents()) throw new BrokenOffError(problem.message);
    yield Buffer.from(options.errorEvent(problem));
  }
  const running = steps();
  const finish = async (): Promise<void> => {
    if (isOver) return;
    isOver = true;
    body.abandon();
    await tell({ type: why() ?? 'left' });
    onOver();
  };
  return {
    next: async () => {
      try {
        const step = await running.next();
        if (step.done === true) await finish();
        return step;
      } catch (error) {
        await finish();
        throw error;
      }
    },
    return: async () => {
      body.abandon();
      await running.return();
      await finish();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function outcomeOf(last: Exclude<ForwardedPiece, { type: 'bytes' }>, why: 'left' | 'stopped' | null): Outcome {
  switch (last.type) {
    case 'end':
      return { type: 'complete' };
    case 'aborted':
      return { type: why ?? 'stopped' };
    case 'failed':
      return last;
  }
}

/** Whether what was written so far ends between two events, that is, with an empty line. */
function createBorder(): { readonly add: (bytes: Uint8Array) => void; readonly isBetweenEvents: () => boolean } {
  let tail = '';
  return {
    add: (bytes) => {
      tail = (tail + Buffer.from(bytes.subarray(-4)).toString('latin1')).slice(-4);
    },
    isBetweenEvents: () => tail === '' || tail.endsWith('\n\n') || tail.endsWith('\r\n\r\n') || tail.endsWith('\r\r'),
  };
}
