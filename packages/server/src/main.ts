import { BoughError, stopSignals } from '@bough/core';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ignoredNotice, readConfig } from './config/index.ts';
import { systemTrouble } from './data-directory/system-trouble.ts';
import { sweepSooner } from './garbage.ts';
import { createLog } from './log.ts';
import { defaultWebDir, startProgram } from './program.ts';
import { StoppedError } from './stopped.ts';

// The program: reads its settings, starts, and stops when told to. Signal handlers are installed before anything runs:
// we may be told to stop at once.
const log = createLog(
  (line) => process.stderr.write(line),
  () => new Date(),
);

sweepSooner();
const stop = new AbortController();
for (const signal of stopSignals(process.platform)) {
  process.on(signal, () => {
    log.info('signal', { signal });
    // A second signal means not waiting for what is under way.
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
  });
}

try {
  const config = readConfig(process.env, process.cwd());
  if (config.ignored !== null) process.stderr.write(`${ignoredNotice(config.ignored)}\n`);
  const built = defaultWebDir(dirname(fileURLToPath(import.meta.url)));
  const program = await startProgram(
    { ...config, webDir: config.webDir ?? (existsSync(built) ? built : null) },
    process.env,
    log,
    stop.signal,
  );
  process.stdout.write(`Bough is running at ${program.url}\n`);
  if (!stop.signal.aborted)
    await new Promise((resolve) => {
      stop.signal.addEventListener('abort', resolve, { once: true });
    });
  const { interrupted } = await program.stop();
  log.info('stopped', { interrupted });
  process.exit(0);
} catch (caught) {
  if (caught instanceof StoppedError) process.exit(0);
  const error = systemTrouble(caught) ?? caught;
  if (!(error instanceof BoughError)) throw caught;
  process.stderr.write(`Bough cannot start. ${error.message}\n`);
  process.exit(1);
}
