import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface Lines {
  /**
   * The next line, or null at the end of the input, or when the signal says that it is not wanted any more. The latest
   * caller is served first: an approval is asked for in the middle of a turn.
   */
  readonly next: (until?: AbortSignal) => Promise<string | null>;
  /** Sees every line that comes while nobody asks for one; returns true for those that it takes. */
  readonly watch: (watcher: ((line: string) => boolean) | null) => void;
  readonly close: () => void;
}

/**
 * Lines as they are typed. Node's own async iteration drops lines that come while nobody waits; a pipe delivers them
 * all at once.
 */
export function readTyped(input: Readable): Lines {
  const reader = createInterface({ input, terminal: false });
  const typed: string[] = [];
  const waiting: ((line: string | null) => void)[] = [];
  let watcher: ((line: string) => boolean) | null = null;
  let ended = false;
  reader.on('line', (line) => {
    const asked = waiting.pop();
    if (asked !== undefined) asked(line);
    else if (watcher?.(line) !== true) typed.push(line);
  });
  reader.on('close', () => {
    ended = true;
    for (const asked of waiting.splice(0)) asked(null);
  });
  return {
    next: (until) => {
      const line = until?.aborted === true ? null : typed.shift();
      if (line !== undefined) return Promise.resolve(line);
      if (ended) return Promise.resolve(null);
      return new Promise((resolve) => {
        waiting.push(resolve);
        until?.addEventListener('abort', () => {
          // Otherwise the line that is typed next would go to somebody who has left.
          const place = waiting.indexOf(resolve);
          if (place >= 0) waiting.splice(place, 1);
          resolve(null);
        });
      });
    },
    watch: (next) => {
      watcher = next;
    },
    close: () => reader.close(),
  };
}
