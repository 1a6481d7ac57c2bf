import type { Answer, Request } from './messages.ts';

export interface Thread {
  /**
   * Hands over the answers as they come and returns how many came. One that takes longer than `budgetMs` does not come,
   * nor do those behind it: the thread was ended, and the next question starts another. Rejects where there is no
   * thread to be had.
   */
  readonly ask: (request: Request, wanted: number, budgetMs: number, take: (answer: Answer) => void) => Promise<number>;
  readonly start: () => Promise<unknown>;
}

/** For answers that lie in front of the page's door: a page that was busy itself must not take them for late. */
const GRACE_MS = 100;

/** One question at a time: the caller waits for the last answer before it asks again. */
export function createThread(spawn: () => Worker): Thread {
  let running: Promise<Worker> | null = null;
  const start = (): Promise<Worker> => (running ??= ready(spawn));
  return {
    start,
    ask: async (request, wanted, budgetMs, take) => {
      const worker = await start();
      return new Promise((resolve) => {
        let count = 0;
        let timer = 0;
        const close = (): void => {
          window.clearTimeout(timer);
          worker.onmessage = null;
          resolve(count);
        };
        const giveUp = (): void => {
          worker.terminate();
          running = null;
          close();
        };
        const wait = (): void => {
          timer = window.setTimeout(() => {
            timer = window.setTimeout(giveUp, GRACE_MS);
          }, budgetMs);
        };
        worker.onmessage = ({ data }: MessageEvent<Answer>) => {
          window.clearTimeout(timer);
          count += 1;
          take(data);
          if (count === wanted) close();
          else wait();
        };
        // Its memory ran out, for example.
        worker.onerror = giveUp;
        wait();
        worker.postMessage(request, []);
      });
    },
  };
}

async function ready(spawn: () => Worker): Promise<Worker> {
  const worker = spawn();
  await new Promise((resolve, reject) => {
    worker.onmessage = resolve;
    worker.onerror = () => reject(new Error('The thread that formats could not be loaded.'));
  });
  return worker;
}
