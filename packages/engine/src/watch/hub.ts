import type { NodeId, StreamLine, TurnId, TurnStatus } from '@bough/core';
import type { PublishedEntry } from '../turn/log.ts';

/** What a watcher is told: the entry itself where this process made it, or only that there is something new to read. */
export type News =
  | { readonly type: 'entry'; readonly entry: PublishedEntry }
  | { readonly type: 'progress' }
  | { readonly type: 'ended'; readonly end: TurnEnd | null }
  /** The turn stopped and cannot be stored at the moment: the last line shown, and the only one that is not durable. */
  | { readonly type: 'failed'; readonly line: StreamLine };

/** How a turn ended, as it is stored; for watchers that saw all of it and need not read it again. */
export interface TurnEnd {
  readonly status: Exclude<TurnStatus, 'running' | 'awaiting_approval'>;
  readonly nodeIds: readonly NodeId[];
}

/** Passes the news of turns to their watchers in this process. */
export class Hub {
  readonly #watchers = new Map<TurnId, Set<(news: News) => void>>();

  watch(turn: TurnId, listener: (news: News) => void): () => void {
    const listeners = this.#watchers.get(turn) ?? new Set();
    this.#watchers.set(turn, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#watchers.get(turn) === listeners) this.#watchers.delete(turn);
    };
  }

  tell(turn: TurnId, news: News): void {
    for (const listener of this.#watchers.get(turn) ?? []) listener(news);
  }
}
