#!/usr/bin/env node
import { stopSignals } from '@bough/core';
import { isatty } from 'node:tty';
import { run } from './run.ts';
import { shown } from './terminal/shown.ts';

const PATIENCE_MS = 2_000;

// The process: its streams, its signals and its exit code. Handlers are installed before anything runs: we may be told
// to stop at once.
const stop = new AbortController();
let taken: ((signal: NodeJS.Signals) => boolean) | null = null;
const obey = (signal: NodeJS.Signals): void => {
  if (taken?.(signal) === true) return;
  // A second signal means not waiting for what is under way.
  if (stop.signal.aborted) process.exit(130);
  stop.abort();
};
for (const signal of stopSignals(process.platform)) process.on(signal, obey);
// `bough log | head` closes the pipe early; that is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

// An unforeseen error: its message may hold text from a file, which Node would print unfiltered.
process.on('uncaughtException', (error) => {
  process.stderr.write(`${shown(error.stack ?? String(error))}\n`);
  process.exit(1);
});

const code = await run(process.argv.slice(2), {
  env: process.env,
  // Evaluated when needed: a missing working directory is then reported in a sentence.
  get cwd() {
    return process.cwd();
  },
  write: (text) => process.stdout.write(text),
  warn: (text) => process.stderr.write(text),
  input: process.stdin,
  isInteractive: isatty(1),
  signal: stop.signal,
  takeSignals: (take) => {
    // Otherwise nobody obeys these here, and a client that is told to end would be left alone.
    process.on('SIGHUP', obey);
    taken = take;
    return () => {
      taken = null;
      process.off('SIGHUP', obey);
    };
  },
});
process.exitCode = code;
// Standard input that is no longer read would keep the process alive.
process.stdin.destroy();
// So would anything else that was forgotten: a finished command must not hang in the terminal.
setTimeout(() => process.exit(code), PATIENCE_MS).unref();
