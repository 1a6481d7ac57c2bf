import type { Lane } from './lane.ts';

/** What the participants of a round share. */
export interface Stage {
  readonly lane: Lane;
  /** No new work is begun once this is set. */
  closing: boolean;
  /** Ends every connection and every wait of the round; `ended` resolves with it. */
  readonly over: AbortController;
  readonly ended: Promise<void>;
  /** Open connections, including those to a frozen server: its last words count too. */
  readonly connections: Set<Promise<void>>;
  /** Unsuccessful answers, by code. */
  readonly refusals: Map<string, number>;
}

export function createStage(lane: Lane): Stage {
  const over = new AbortController();
  const ended = new Promise<void>((resolve) => {
    over.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  return {
    lane,
    closing: false,
    over,
    ended,
    connections: new Set(),
    refusals: new Map(),
  };
}
