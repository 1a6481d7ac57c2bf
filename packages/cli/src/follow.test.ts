import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { makePlace } from './testing/run-cli.ts';

const PROGRAM = join(dirname(fileURLToPath(import.meta.url)), '..', 'dist', 'bough.mjs');

const header = { type: 'session', version: 3, id: 'one', timestamp: '2026-01-01T00:00:00.000Z' };
const said = (id: string, parentId: string | null, text: string) => ({
  type: 'message',
  id,
  parentId,
  timestamp: '2026-01-01T00:00:01.000Z',
  message: { role: 'user', content: [{ type: 'text', text }] },
});
const lineOf = (value: unknown): string => `${JSON.stringify(value)}\n`;

it('CLI-90: --follow tells what is new while an agent writes; Ctrl-C ends it with the report', async () => {
  const place = await makePlace();
  onTestFinished(() => place.dispose());
  const path = join(place.dir, 'sessions', '2026-01-01T00-00-00-000Z_one.jsonl');
  await mkdir(dirname(path));
  await writeFile(path, lineOf(header) + lineOf(said('u1', null, 'A question')));
  const child = spawn(process.execPath, [PROGRAM, 'import', 'sessions', '--follow'], {
    cwd: place.dir,
    env: { PATH: process.env['PATH'] ?? '', ...place.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const ended = once(child, 'close');
  await expect.poll(() => err, { timeout: 30_000 }).toMatch(/A question {2}\(1 node\(s\) added\)/);
  await appendFile(path, lineOf(said('u2', 'u1', 'And another')));
  await expect.poll(() => err.match(/node\(s\) added/g)?.length, { timeout: 30_000 }).toBe(2);
  child.kill('SIGINT');
  expect((await ended)[0], err).toBe(0);
  expect(out).toContain('Imported 1 project(s): 1 new');
  expect(out).toContain('(new, 2 node(s) added)');
});

it('CLI-91: a session is imported by naming its directory; who made it may be said, and must be known', async () => {
  const place = await makePlace();
  onTestFinished(() => place.dispose());
  await mkdir(join(place.dir, 'sessions'));
  const content = [{ type: 'thinking', thinking: 'Hm.', thinkingSignature: 'sig' }];
  const reply = {
    ...said('a1', 'u1', ''),
    message: { role: 'assistant', content, api: 'anthropic-messages', provider: 'corporate', model: 'claude-opus-4-6' },
  };
  const lines = [header, said('u1', null, 'A question'), reply].map(lineOf).join('');
  await writeFile(join(place.dir, 'sessions', 'x_one.jsonl'), lines);
  const rehearsed = await place.bough(['import', 'sessions', '--dry-run']);
  expect(rehearsed.out).toContain(
    '1 reply(ies) hold reasoning that stays here: no provider that is set up here made it (--made-by names one).',
  );
  const refused = await place.bough(['import', 'sessions', '--made-by', 'nobody']);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('There is no provider "nobody"')]);
  const imported = await place.bough(['import', 'sessions', '--made-by', 'anthropic']);
  expect(imported.out).toContain('1 reply(ies) get their reasoning back when they go on with their model.');
  expect((await place.bough(['ls', 'A question'])).out).toContain('anthropic/claude-opus-4-6');
  const again = await place.bough(['import', 'sessions', '--made-by', 'simulated']);
  expect(again.err).toContain('keep the maker that they came with');
});
