import type { News } from './hub.ts';

/** More than this waiting means that the client is slow: then it reads the log at its own pace instead. */
const MAX_WAITING = 256;

/** What a watcher has not taken yet. Bounded, so that a client that does not read cannot fill the memory. */
export class Inbox {
  #waiting: News[] = [];
  #wake: (() => void) | null = null;

  readonly put = (news: News): void => {
    if (this.#waiting.length >= MAX_WAITING) this.#waiting = [{ type: 'progress' }];
    else this.#waiting.push(news);
    this.#wake?.();
  };

  /** The next news, or null when the time is up or the watcher left. */
  async take(milliseconds: number, signal: AbortSignal): Promise<News | null> {
    if (this.#waiting.length === 0 && !signal.aborted) await this.#wait(milliseconds, signal);
    return this.#waiting.shift() ?? null;
  }

  async #wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, milliseconds);
      const wake = (): void => done();
      signal.addEventListener('abort', wake, { once: true });
      this.#wake = wake;
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        resolve();
      }
    });
    this.#wake = null;
  }
}
