import type { News } from './hub.ts';

/** More than this waiting means that the client is slow: then it reads the log at its own pace instead. */
const MAX_WAITING = 256;
/** The same in characters: a fast model puts hundreds of kilobytes into one entry. */
const MAX_CHARACTERS = 256 * 1024;

/** What a watcher has not taken yet. Bounded, so that a client that does not read cannot fill the memory. */
export class Inbox {
  #waiting: News[] = [];
  #characters = 0;
  #wake: (() => void) | null = null;
  #closed = false;

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  readonly put = (news: News): void => {
    this.#characters += news.type === 'entry' ? news.entry.size : 0;
    // A single entry is accepted whatever its length: the client may be waiting for it.
    const isFull = this.#waiting.length > 0 && this.#characters > MAX_CHARACTERS;
    if (isFull || this.#waiting.length >= MAX_WAITING) {
      this.#waiting = [{ type: 'progress' }];
      this.#characters = 0;
    } else this.#waiting.push(news);
    this.#wake?.();
  };

  /** The watcher left: pending waits end, and nobody waits again. */
  readonly close = (): void => {
    this.#closed = true;
    this.#wake?.();
  };

  /** All pending news, oldest first; none when the time is up or the watcher left. */
  async take(milliseconds: number): Promise<readonly News[]> {
    if (this.#waiting.length === 0 && !this.#closed) await this.#wait(milliseconds);
    const news = this.#waiting;
    this.#waiting = [];
    this.#characters = 0;
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
