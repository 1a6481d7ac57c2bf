import { foreignConversations } from '@bough/testkit';
import type { ImportReport } from '@bough/transfer';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Place } from './testing/run-cli.ts';
import { makePlace } from './testing/run-cli.ts';

const PROGRAM = join(dirname(fileURLToPath(import.meta.url)), '..', 'dist', 'bough.mjs');
const { chatGpt } = foreignConversations;
const conversation = (index: number, grown = false): object => ({
  ...chatGpt(grown),
  title: `Talk ${index}`,
  conversation_id: `c-${index}`,
});

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.dispose());

function start(words: readonly string[], flags: readonly string[] = []) {
  const child = spawn(process.execPath, [...flags, PROGRAM, ...words], {
    cwd: place.dir,
    env: { PATH: process.env['PATH'] ?? '', ...place.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const ended = once(child, 'close').then(([code]: unknown[]) => ({ code, out, err }));
  return { child, ended };
}

const outcomes = (report: ImportReport): readonly string[] => report.projects.map(({ outcome }) => outcome);

describe('a large import', () => {
  it('IM-142: needs the memory of its largest conversation, not of all of them', async () => {
    const path = join(place.dir, 'conversations.json');
    const text = 'All work and no play makes a dull tree. '.repeat(20_000);
    const large = JSON.stringify({ ...conversation(0), padding: text });
    await pipeline(function* () {
      for (let index = 0; index < 200; index += 1)
        yield `${index === 0 ? '[' : ','}${large.replace('"c-0"', `"c-${index}"`)}`;
      yield ']';
    }, createWriteStream(path));
    // 160 MB of conversations.
    const command = start(['import', path, '--dry-run', '--json'], ['--max-old-space-size=80']);
    const { code, out, err } = await command.ended;
    expect([code, err]).toEqual([0, '']);
    expect((JSON.parse(out) as ImportReport).projects).toHaveLength(200);
  });

  it('IM-143: one that Ctrl-C ends says so, keeps whole conversations, and goes on where it was', async () => {
    const count = 250;
    const path = join(place.dir, 'conversations.json');
    await writeFile(path, JSON.stringify(Array.from({ length: count }, (_, index) => conversation(index))));
    const files = join(place.env['BOUGH_DATA_DIR'] ?? '', 'files');
    const first = start(['import', path, '--on-error', 'skip']);
    const stored = async (): Promise<number> => (await readdir(files).catch(() => [])).length;
    await expect.poll(stored, { interval: 5, timeout: 60_000 }).toBeGreaterThan(20);
    first.child.kill('SIGINT');
    const { code, err } = await first.ended;
    expect([code, err]).toEqual([130, expect.stringMatching(/Stopping[^]*Interrupted\. \d+ conversation/)]);
    const kept = Number(/(\d+) conversation/.exec(err)?.[1]);
    expect(kept).toBeLessThan(count);
    const again = (await place.bough(['import', path, '--json'])).json() as ImportReport;
    const there = outcomes(again).filter((outcome) => outcome === 'unchanged').length;
    // The one that was being written when the signal came may have become whole.
    expect(there - kept).toBeGreaterThanOrEqual(0);
    expect(there - kept).toBeLessThanOrEqual(1);
    expect(outcomes(again).filter((outcome) => outcome === 'new')).toHaveLength(count - there);
    expect((await place.bough(['verify'])).code).toBe(0);
  });

  it('IM-144: progress names the pass that it is in, and counts conversations', async () => {
    const path = join(place.dir, 'conversations.json');
    await writeFile(path, JSON.stringify([conversation(1), conversation(2)]));
    const { err } = await place.bough(['import', path], { isInteractive: true });
    expect(err).toMatch(/Checking \(1 of 2\)[^]*Writing \(2 of 2\)/);
    const rehearsed = await place.bough(['import', path, '--dry-run'], { isInteractive: true });
    expect(rehearsed.err).toContain('Checking [');
    expect(rehearsed.err).not.toContain('of 2');
  });
});

describe('a rehearsal', () => {
  it('IM-145: tells what is new from what is there, also while a server runs, and changes nothing', async () => {
    const path = join(place.dir, 'conversations.json');
    await writeFile(path, JSON.stringify([conversation(1), conversation(2)]));
    expect((await place.bough(['import', path])).code).toBe(0);
    await writeFile(path, JSON.stringify([conversation(1), conversation(2, true), conversation(3)]));
    const rehearse = async (): Promise<ImportReport> =>
      (await place.bough(['import', path, '--dry-run', '--json'])).json() as ImportReport;
    const expected = [
      { outcome: 'unchanged', addedNodes: 0 },
      { outcome: 'grown', addedNodes: 1 },
      { outcome: 'new', addedNodes: 4 },
    ];
    expect((await rehearse()).projects).toMatchObject(expected);
    const server = await place.serve();
    try {
      expect((await rehearse()).projects).toMatchObject(expected);
    } finally {
      await server.stop();
    }
    expect((await rehearse()).projects).toMatchObject(expected);
  });
});

describe('records that cannot be read', () => {
  it('CLI-105: are named, and the exit code is 3 where they were skipped', async () => {
    const path = join(place.dir, 'conversations.json');
    const whole = JSON.stringify([conversation(1), conversation(2), conversation(3)]);
    await writeFile(path, whole.replace('"title":"Talk 2","create_time"', '"title":"Talk 2,"create_time"'));
    const stopped = await place.bough(['import', path]);
    expect([stopped.code, stopped.err]).toEqual([1, expect.stringContaining('record 2')]);
    const skipped = await place.bough(['import', path, '--on-error', 'skip']);
    expect([skipped.code, skipped.out]).toEqual([3, expect.stringContaining('1 record(s) skipped:\n  record 2')]);
    expect(skipped.out).toContain('Imported 2 project(s)');
  });
});
