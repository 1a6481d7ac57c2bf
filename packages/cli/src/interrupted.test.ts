import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import type { Place } from './testing/run-cli.ts';
import { makePlace } from './testing/run-cli.ts';

const PROGRAM = join(dirname(fileURLToPath(import.meta.url)), '..', 'dist', 'bough.mjs');

/** A tool server that never answers and obeys no signal. */
const MUTE = `
  require('node:fs').writeFileSync('mute.pid', '');
  process.on('SIGTERM', () => {});
  process.stdin.resume();
  setInterval(() => {}, 1000);`;

function start(place: Place, words: readonly string[]) {
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    cwd: place.dir,
    env: { PATH: process.env['PATH'] ?? '', ...place.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  return { child, said: () => said, ended: once(child, 'close').then(([code]: unknown[]) => code) };
}

async function processesIn(directory: string): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const places = await Promise.all(pids.map((pid) => readlink(join('/proc', pid, 'cwd')).catch(() => '')));
  return pids.filter((_, index) => places[index]?.startsWith(directory)).map(Number);
}

it.each([
  ['that is interrupted', '/sim slow 1000 /sim long 2000', true],
  ['that is done', 'Hello', false],
])('CLI-26: a command %s lets go of what it started, and ends', async (_, message, interrupt) => {
  const place = await makePlace();
  onTestFinished(async () => {
    for (const pid of await processesIn(place.dir)) process.kill(pid, 'SIGKILL');
    await place.dispose();
  });
  await place.configure({ mcpServers: { mute: { command: process.execPath, args: ['-e', MUTE] } } });
  const command = start(place, ['chat', '-m', message, '--provider', 'simulated', '--json']);
  if (interrupt) {
    const isUnderWay = (): boolean =>
      existsSync(join(place.dir, 'data', 'mute.pid')) && command.said().includes('"thinking"');
    await expect.poll(isUnderWay, { interval: 10, timeout: 60_000 }).toBe(true);
    command.child.kill('SIGINT');
  }
  expect(await command.ended, command.said()).toBe(interrupt ? 1 : 0);
  expect(await processesIn(place.dir)).toEqual([]);
  // Nothing holds the store any more: the next command opens it.
  expect(await start(place, ['ls']).ended).toBe(0);
});
