import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Running {
  readonly url: string;
  /** Tells it to stop, and returns its exit code. */
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
  let complained = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (complained = (complained + chunk).slice(-4000)));
  const url = await Promise.race([addressOf(child), ended.then(() => null)]);
  if (url === null) throw new Error(`It ended with ${await ended} before it was ready: ${complained}`);
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
  return new Promise((resolve) => {
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
      const found = /running at (\S+)\n/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
}
