import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CLI, makePlace, processesIn, startEntry } from '../../server/src/testing/entry.ts';

const MUTE = `
  require('node:fs').writeFileSync('mute.pid', '');
  process.on('SIGTERM', () => {});
  process.stdin.resume();
  setInterval(() => {}, 1000);`;

it.each([
  ['that is interrupted', '/sim slow 1000 /sim long 2000', true],
  ['that is done', 'Hello', false],
])('CLI-26: a command %s lets go of what it started, and ends', async (_, message, interrupt) => {
  const place = await makePlace({ mcpServers: { mute: { command: process.execPath, args: ['-e', MUTE] } } });
  const command = startEntry(place, [CLI, 'chat', '-m', message, '--provider', 'simulated', '--json']);
  if (interrupt) {
    await expect.poll(() => existsSync(join(place.dataDir, 'mute.pid')), { interval: 10, timeout: 60_000 }).toBe(true);
    await command.said(/"thinking"/);
    command.child.kill('SIGINT');
  }
  expect(await command.ended, command.err()).toBe(interrupt ? 1 : 0);
  expect(command.err()).not.toMatch(/^ {4}at /m);
  expect(await processesIn(place.dir)).toEqual([]);
  // Nobody holds the store: the next command opens it.
  expect(await startEntry(place, [CLI, 'ls']).ended).toBe(0);
});
