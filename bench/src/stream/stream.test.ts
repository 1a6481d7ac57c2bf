import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { read, stamp } from './dialects.ts';

const run = promisify(execFile);
const file = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

it('the benches of streams and memory run, and every contestant tells its clients what the provider said', async () => {
  await run(process.execPath, [file('node_modules/typescript/bin/tsc'), '-b', file('bench')]);
  const { stdout } = await run(process.execPath, [
    file('bench/dist/main.js'),
    'stream',
    'latency',
    'memory',
    '--quick',
  ]);
  const rows = stdout.split('\n').filter((line) => line.startsWith('| '));
  for (const work of ['stream', 'latency', 'memory']) expect(rows.some((row) => row.includes(work))).toBe(true);
  for (const name of ['Bough', 'AI SDK', 'pipe'])
    expect(rows.filter((row) => row.includes(name)).length).toBeGreaterThan(2);
  expect(stdout).not.toContain('NaN');
}, 300_000);

it('a delta arrives when the last byte of its line does, however the bytes are cut', () => {
  const line = Buffer.from(`${JSON.stringify({ type: 'text', content: `ä${stamp(1_000)}`, seq: 1 })}\n`);
  const arrivals = Array.from(line, (_, at) => ({ bytes: line.subarray(at, at + 1), at: 2_000 + at }));
  expect(read('bough lines', arrivals).delays).toEqual([(2_000 + line.length - 1 - 1_000) / 1_000]);
  expect(read('bough lines', arrivals).whole).toBe(false);
});

it('the same words are the same in every dialect, other words are not', () => {
  const at = 0;
  const said = (...lines: readonly unknown[]) => [
    {
      bytes: Buffer.from(lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')),
      at,
    },
  ];
  const bough = read(
    'bough lines',
    said({ type: 'thinking', content: 'a' }, { type: 'text', content: 'bc' }, { type: 'done', status: 'complete' }),
  );
  const events = read(
    'provider events',
    said(
      { type: 'content_block_delta', delta: { thinking: 'a' } },
      { type: 'content_block_delta', delta: { text: 'b' } },
      { type: 'content_block_delta', delta: { text: 'c' } },
      { type: 'message_stop' },
    ),
  );
  const ui = read(
    'ui message stream',
    said(
      'data: {"type":"reasoning-delta","delta":"a"}',
      '',
      'data: {"type":"text-delta","delta":"bc"}',
      'data: {"type":"finish"}',
      'data: [DONE]',
    ),
  );
  expect(events).toEqual(bough);
  expect(ui).toEqual(bough);
  expect(bough.whole).toBe(true);
  expect(read('bough lines', said({ type: 'text', content: 'cb' })).text).not.toBe(bough.text);
});
