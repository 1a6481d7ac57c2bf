import type { Answer, Request } from './messages.ts';

export interface Thread {
  /**
   * Passes on the answers as they arrive and returns how many did. An answer that takes longer than `budgetMs` does not
   * arrive, nor do those after it: the thread is terminated, and the next question starts another. Rejects if no thread
   * can be started.
   */
  readonly ask: (request: Request, wanted: number, budgetMs: number, take: (answer: Answer) => void) => Promise<number>;
  readonly start: () => Promise<unknown>;
}

/** For answers that are already queued: a page that was busy itself must not consider them late. */
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
        // For example, it ran out of memory.
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
