import type { News } from './hub.ts';

/** More than this waiting means that the client is slow: then it reads the log at its own pace instead. */
const MAX_WAITING = 256;

/** What a watcher has not taken yet. Bounded, so that a client that does not read cannot fill the memory. */
export class Inbox {
  #waiting: News[] = [];
  #wake: (() => void) | null = null;
  #closed = false;

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  readonly put = (news: News): void => {
    if (this.#waiting.length >= MAX_WAITING) this.#waiting = [{ type: 'progress' }];
    else this.#waiting.push(news);
    this.#wake?.();
  };

  /** The watcher left: whoever waits is woken, nobody waits again. */
  readonly close = (): void => {
    this.#closed = true;
    this.#wake?.();
  };

  /** All news that there are, the oldest first; none when the time is up or the watcher left. */
  async take(milliseconds: number): Promise<readonly News[]> {
    if (this.#waiting.length === 0 && !this.#closed) await this.#wait(milliseconds);
    const news = this.#waiting;
    this.#waiting = [];
    return news;
  }

  async #wait(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = null;
  }
}
