import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { busyPort } from './testing/busy-port.ts';
import { ENTRIES, makePlace, processesIn, startEntry } from './testing/entry.ts';

describe.each(Object.entries(ENTRIES))('stopping %s', (_, words) => {
  const MUTE = `
    require('node:fs').writeFileSync('mute.pid', String(process.pid));
    process.on('SIGTERM', () => {});
    process.stdin.resume();
    setInterval(() => {}, 1000);`;

  it('SV-20: a tool server that never answers and obeys no signal holds nobody up, and ends with what it started', async () => {
    const place = await makePlace({
      mcpServers: {
        mute: { command: process.execPath, args: ['-e', MUTE] },
        wrapped: { command: 'sh', args: ['-c', 'sleep 600; true'] },
      },
    });
    const entry = startEntry(place, words);
    await entry.said(/running at/);
    await isThere(join(place.dataDir, 'mute.pid'));
    entry.child.kill('SIGTERM');
    const began = Date.now();
    expect(await entry.ended).toBe(0);
    // The handshake itself would time out only after a minute.
    expect(Date.now() - began).toBeLessThan(30_000);
    expect(await processesIn(place.dir)).toEqual([]);
  });

  it('SV-20: a tool server at an address that never answers holds nobody up', async () => {
    const silent = await busyPort();
    const place = await makePlace({ mcpServers: { far: { url: `http://127.0.0.1:${silent}/mcp` } } });
    const entry = startEntry(place, words);
    await entry.said(/running at/);
    entry.child.kill('SIGTERM');
    const began = Date.now();
    expect(await entry.ended).toBe(0);
    expect(Date.now() - began).toBeLessThan(30_000);
  });

  it('SV-20: SIGTERM stops a start that is under way, with its PostgreSQL', async () => {
    const place = await makePlace();
    const entry = startEntry(place, words, { BOUGH_STORE: 'postgres' });
    // The first thing it does in the data directory is to make the database.
    await expect
      .poll(async () => (await processesIn(join(place.dataDir, 'postgres'))).length, { interval: 5, timeout: 60_000 })
      .toBeGreaterThan(0);
    entry.child.kill('SIGTERM');
    expect(await entry.ended, entry.err()).toBe(0);
    expect(entry.out()).toBe('');
    expect(await processesIn(place.dir)).toEqual([]);
  });

  it('SV-20: SIGTERM stops a start that waits for a database', async () => {
    const silent = await busyPort();
    const place = await makePlace();
    const entry = startEntry(place, words, {
      BOUGH_STORE: 'postgres',
      DATABASE_URL: `postgres://nobody@127.0.0.1:${silent}/nothing`,
    });
    await isThere(join(place.dataDir, 'key'));
    entry.child.kill('SIGTERM');
    const began = Date.now();
    expect(await entry.ended, entry.err()).toBe(0);
    expect(Date.now() - began).toBeLessThan(10_000);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('SV-20: a second %s ends it at once', async (signal) => {
    const place = await makePlace();
    const entry = startEntry(place, words, { BOUGH_GRACE_MS: '600000' });
    await entry.said(/running at/);
    const url = /running at (\S+)/.exec(entry.out())?.[1] ?? '';
    const created = await post(`${url}/api/projects`, { name: 'Slow' });
    const { project } = (await created.json()) as { project: { id: string } };
    const message = '/sim slow 1000 /sim long 2000';
    const turn = await post(`${url}/api/projects/${project.id}/chat`, { ref: 'main', message });
    expect(turn.status).toBe(200);
    entry.child.kill('SIGTERM');
    // Once it has received the first signal, no new connection is accepted.
    const open = (): Promise<boolean> =>
      fetch(`${url}/api/healthz`).then(
        () => true,
        () => false,
      );
    await expect.poll(open, { timeout: 60_000 }).toBe(false);
    entry.child.kill(signal);
    expect(await entry.ended).toBe(130);
    await turn.body?.cancel().catch(() => undefined);
  });
});

async function isThere(path: string): Promise<void> {
  await expect.poll(() => existsSync(path), { interval: 10, timeout: 60_000 }).toBe(true);
}

function post(url: string, body: unknown): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}
