import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { checkReply, replyBlocks, replyEvents, wishIn, wishText } from './reply.ts';
import { createTalk } from './talk.ts';

const run = promisify(execFile);
const file = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

it('the bench of the gateway runs, and says that a peer which is not installed is absent', async () => {
  await run(process.execPath, [file('node_modules/typescript/bin/tsc'), '-b', file('bench')]);
  const env = { ...process.env, BENCH_PORTKEY: file('bench/no-such-folder') };
  const { stdout, stderr } = await run(process.execPath, [file('bench/dist/main.js'), 'gateway', '--quick'], { env });
  const rows = stdout.split('\n').filter((line) => line.startsWith('| '));
  for (const work of ['first byte', 'processor', 'memory', 'session'])
    expect(
      rows.some((row) => row.includes(`gateway: ${work}`)),
      work,
    ).toBe(true);
  const rowsOf = (name: string): number => rows.filter((row) => row.includes(`| ${name} `)).length;
  expect(rowsOf('Bough')).toBeGreaterThan(3);
  expect(rowsOf('bare proxy')).toBeGreaterThan(3);
  // It takes part where repairing could cost something.
  expect(rowsOf('Bough, record only')).toBeGreaterThan(0);
  expect(stdout).not.toContain('NaN');
  expect(stdout).not.toContain('Portkey');
  expect(stderr).toMatch(/Portkey [\d.]+ is absent/);
}, 300_000);

it('a conversation has about the bytes that are asked for, and grows by what was said', () => {
  for (const bytes of [5_000, 500_000, 5_000_000]) {
    const talk = createTalk(bytes);
    const wish = { deltas: 4, everyMs: 0 };
    const first = talk.body(wish);
    expect(Math.abs(first.length - bytes) / bytes).toBeLessThan(0.1);
    expect(wishIn(Buffer.from(first))).toEqual(wish);
    talk.answered(wish);
    const { messages } = JSON.parse(talk.body({ deltas: 8, everyMs: 50 }));
    expect(messages.slice(0, -2)).toEqual(JSON.parse(first).messages);
    expect(messages.at(-2).content).toEqual(replyBlocks(4));
    expect(messages.at(-1).content).toContain(wishText({ deltas: 8, everyMs: 50 }));
  }
});

it('a reply that lost or changed a word is noticed', () => {
  const events = replyEvents(10);
  const bytes = Buffer.from(events.join(''));
  checkReply(bytes, 10);
  expect(() => checkReply(Buffer.from(events.slice(0, -1).join('')), 10)).toThrow('before its end');
  expect(() => checkReply(Buffer.from(events.toSpliced(3, 1).join('')), 10)).toThrow('other words');
  expect(() => checkReply(Buffer.from(bytes.toString().replace('c2ln', 'c2lo')), 10)).toThrow('other words');
});
