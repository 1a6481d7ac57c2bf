import { writeSync } from 'node:fs';
import { Readable } from 'node:stream';
import { run } from '../../run.ts';

// Many commands in one process: starting it under the watcher takes longer than everything that they do. Prints the
// outcome of each.

interface Order {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const orders = JSON.parse(process.argv[2] ?? '[]') as readonly Order[];
for (const { words, cwd, env } of orders) {
  const out: string[] = [];
  const err: string[] = [];
  process.chdir(cwd);
  const code = await run(words, {
    env: { ...process.env, ...env },
    cwd,
    write: (text) => out.push(text),
    warn: (text) => err.push(text),
    input: Readable.from([]),
    isInteractive: false,
    signal: new AbortController().signal,
  }).catch((error: unknown) => {
    err.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return null;
  });
  writeSync(1, `${JSON.stringify({ words, code, out: out.join(''), err: err.join('') })}\n`);
}
// Whatever a refused command left running is not examined here.
process.exit(0);
