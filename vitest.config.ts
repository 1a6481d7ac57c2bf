import { statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { defineConfig } from 'vitest/config';
import { SlowFirst } from './scripts/slow-first.ts';

// Tests run from source: packages resolve each other by the `bough-source` export condition. (A plain `source` is used
// by other packages too, for code that Node cannot run.)
const resolve = { conditions: ['bough-source'] };

// Half of a store's tests is waiting for the disk. Files in memory survive `kill -9` as well as files on a disk do;
// only a power failure tells them apart, and no test makes one.
if (process.env['TMPDIR'] === undefined && hasRoomInMemory()) process.env['TMPDIR'] = '/dev/shm';

export default defineConfig({
  resolve,
  ssr: { resolve },
  test: {
    include: ['packages/*/src/**/*.test.{ts,tsx}', 'bench/src/**/*.test.ts', 'scripts/**/*.test.ts'],
    reporters: ['default', './scripts/closing-line-reporter.ts'],
    // Tests of running programs wait more than they work: one worker per core would leave the machine idle.
    maxWorkers: 4,
    sequence: { sequencer: SlowFirst },
    // Modules keep no state that a test could leave behind: loading each once per worker instead of once per file saves
    // a third of the processor time.
    isolate: false,
    // A second, as it is otherwise, is short on a machine that runs everything at once.
    expect: { poll: { timeout: 30_000 } },
    // A real browser, database and disk on a busy machine: in continuous integration a test gets a second try, and the
    // closing reporter names each that needed it. At a desk it fails at once, where somebody can look at it.
    retry: process.env['CI'] === undefined ? 0 : 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});

function hasRoomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return Math.min(bavail * bsize, freemem()) > 8e9;
  } catch {
    return false;
  }
}
