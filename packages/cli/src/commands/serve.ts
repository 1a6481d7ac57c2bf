import type { Program } from '@bough/server';
import { createLog, defaultWebDir, startProgram, StoppedError, sweepSooner } from '@bough/server';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from '../command.ts';
import { announce, settingsOf, STORE_OPTIONS, withdraw } from '../connect/index.ts';
import { printJson } from '../terminal/index.ts';
import { openInBrowser } from './browser.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'Serve the workspace and its HTTP API.',
  positionals: [],
  options: {
    port: { description: 'the port (default 4870; 0 takes a free one)', value: 'number' },
    host: { description: 'the address to listen on (default 127.0.0.1)', value: 'address' },
    ...STORE_OPTIONS,
    open: { description: 'open the page in a browser' },
  },
  examples: ['bough', 'bough serve --port 8080 --open', 'bough serve --store files --data ./conversations'],
  run: async (input, terminal) => {
    sweepSooner();
    const { config, env } = settingsOf(input, terminal);
    const log = createLog(terminal.warn, () => new Date());
    let program: Program;
    try {
      const withPage = { ...config, webDir: config.webDir ?? builtPage() };
      program = await startProgram(withPage, env, log, terminal.signal);
    } catch (error) {
      // Told to stop while starting: that is done, and not a failure.
      if (error instanceof StoppedError) return 0;
      throw error;
    }
    try {
      await announce(config.dataDir, { url: program.url, pid: process.pid, store: config.store });
      if (input.flag('json')) printJson(terminal, { url: program.url });
      else terminal.write(`Bough is running at ${program.url}\n`);
      if (input.flag('open')) openInBrowser(program.url, env, (problem) => log.error('open', { problem }));
      await aborted(terminal.signal);
    } finally {
      await withdraw(config.dataDir, process.pid);
      const { interrupted } = await program.stop();
      log.info('stopped', { interrupted });
    }
    return 0;
  },
};

/**
 * Next to the bundle in the installed package, or in the workspace: there this file is in the bundle, or one folder
 * deeper.
 */
function builtPage(): string | null {
  const here = dirname(fileURLToPath(import.meta.url));
  const places = [join(here, 'web'), defaultWebDir(here), defaultWebDir(join(here, '..'))];
  return places.find((dir) => existsSync(join(dir, 'index.html'))) ?? null;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
