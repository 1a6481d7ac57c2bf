import { BoughError } from '@bough/core';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig } from './config/index.ts';
import { createLog } from './log.ts';
import { defaultWebDir, startProgram } from './program.ts';

// The program: reads its settings, starts, and stops when it is told to. Signal handlers stand before the address is printed: whoever reads it may stop us.
const log = createLog(
  (line) => process.stderr.write(line),
  () => new Date(),
);

let stop: (() => void) | null = null;
const stopped = new Promise<void>((resolve) => {
  stop = resolve;
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    log.info('signal', { signal });
    stop?.();
  });
}

try {
  const config = readConfig(process.env, process.cwd());
  const built = defaultWebDir(dirname(fileURLToPath(import.meta.url)));
  const program = await startProgram(
    { ...config, webDir: config.webDir ?? (existsSync(built) ? built : null) },
    process.env,
    log,
  );
  process.stdout.write(`Bough is running at ${program.url}\n`);
  await stopped;
  const { interrupted } = await program.stop();
  log.info('stopped', { interrupted });
  process.exit(0);
} catch (error) {
  if (!(error instanceof BoughError)) throw error;
  process.stderr.write(`Bough cannot start. ${error.message}\n`);
  process.exit(1);
}
