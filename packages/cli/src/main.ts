#!/usr/bin/env node
import { isatty } from 'node:tty';
import { run } from './run.ts';
import { shown } from './terminal/shown.ts';

const PATIENCE_MS = 2_000;

// The process: its streams, its signals and its exit code. Handlers stand before anything runs: whoever starts us may
// stop us at once.
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // Whoever asks a second time does not want to wait for what is under way.
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
  });
}
// `bough log | head` closes the pipe early; that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

// What nobody thought of: its message may hold words of a file, and Node would print them as they are.
process.on('uncaughtException', (error) => {
  process.stderr.write(`${shown(error.stack ?? String(error))}\n`);
  process.exit(1);
});

const code = await run(process.argv.slice(2), {
  env: process.env,
  // Asked for when it is needed: a working directory that is gone is then told in a sentence.
  get cwd() {
    return process.cwd();
  },
  write: (text) => process.stdout.write(text),
  warn: (text) => process.stderr.write(text),
  input: process.stdin,
  isInteractive: isatty(1),
  signal: stop.signal,
});
process.exitCode = code;
// Standard input that nobody reads any more would keep the process alive.
process.stdin.destroy();
// So would whatever was forgotten: a command that is done must not hang in the terminal.
setTimeout(() => process.exit(code), PATIENCE_MS).unref();
