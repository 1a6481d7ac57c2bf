import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Running {
  readonly url: string;
  /** Tells it to stop, and gives its exit code. */
  readonly stop: () => Promise<number | null>;
}

/** A program that prints the address at which it runs. */
export async function startProgram(
  command: string,
  words: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<Running> {
  const child = spawn(command, [...words], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit').then(([code]: (number | null)[]) => code ?? null);
  const url = await Promise.race([addressOf(child), ended.then(() => null)]);
  if (url === null) throw new Error(`${command} ${words.join(' ')} ended with ${await ended} before it was ready.`);
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

function addressOf(child: ChildProcess): Promise<string> {
  let said = '';
  // Read and forgotten: a full pipe would hold the program up.
  child.stderr?.resume();
  return new Promise((resolve) => {
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
      const found = /running at (\S+)\n/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
}
