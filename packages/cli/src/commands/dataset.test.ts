import { execFile } from 'node:child_process';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Place } from '../testing/run-cli.ts';
import { makePlace } from '../testing/run-cli.ts';

const run = promisify(execFile);
const SECRET = 'sk-ant-do-not-write-this-anywhere';
const EXAMPLES = fileURLToPath(new URL('../../../../examples/dataset', import.meta.url));

let place: Place;
beforeAll(async () => {
  place = await makePlace({ ANTHROPIC_API_KEY: SECRET });
  const envelope = ['--provider', 'simulated', '--tools', 'calculator'];
  const input = '/sim tools calculator\n/sim redacted 1\n';
  expect((await place.bough(['chat', '--name', 'Sums', ...envelope], { input })).code).toBe(0);
  expect((await place.bough(['regenerate', '--project', 'Sums'])).code).toBe(0);
});
afterAll(() => place.dispose());

const load = (name: string, directory: string) =>
  run(name.endsWith('.py') ? 'python3' : process.execPath, [join(EXAMPLES, name), join(place.dir, directory)]);

describe('bough dataset', () => {
  it('CLI-780: counts, then writes what both loaders take, and tells what is left out', async () => {
    const counted = await place.bough(['dataset', 'Sums']);
    expect([counted.err, counted.code]).toEqual(['', 0]);
    expect(counted.out).toMatch(/^2 record\(s\)\.\n(.*\n)*Left out of messages: .*reasoning encrypted.*\nNothing was/);
    const written = await place.bough([
      'dataset',
      '--all',
      '--shape',
      'prompt-completion',
      '--out',
      'replies',
      '--json',
    ]);
    const { records } = written.json() as { records: number };
    expect(records).toBeGreaterThan(2);
    for (const loader of ['load.mjs', 'load.py']) {
      const { stdout } = await load(loader, 'replies');
      expect(stdout).toContain(`${records} records, and every prompt is what the manifest says.`);
    }
    await appendFile(join(place.dir, 'replies', 'data.jsonl'), ' ');
    for (const loader of ['load.mjs', 'load.py'])
      await expect(load(loader, 'replies')).rejects.toThrow('data.jsonl is not what the manifest says');
  });

  it.each([
    ['messages', 'jsonl', 'every prompt is'],
    ['preference', 'jsonl', 'every prompt is'],
    ['sharegpt', 'jsonl', 'every record is'],
    ['messages', 'parquet', 'the file is'],
  ])('CLI-781: both loaders take %s as %s', async (shape, format, told) => {
    const out = `${shape}-${format}`;
    const words = ['dataset', 'Sums', '--shape', shape, '--format', format, '--out', out, '--json'];
    const { records } = (await place.bough(words)).json() as { records: number };
    for (const loader of ['load.mjs', 'load.py']) {
      const { stdout } = await load(loader, out);
      expect(stdout).toMatch(new RegExp(`^${records} records.*, and ${told} what the manifest says`));
    }
  });

  it('CLI-780: refuses what cannot be meant', async () => {
    const refused = async (...words: string[]) => (await place.bough(['dataset', ...words])).err;
    expect(await refused()).toContain('Name one project, or say --all.');
    expect(await refused('Sums', '--all')).toContain('Name one project, or say --all.');
    expect(await refused('Sums', '--since', 'yesterday')).toContain('Write a day');
    expect(await refused('Sums', '--shape', 'sharegpt', '--reasoning', 'field')).toContain('Ask for "think"');
    expect(await refused('Sums', '--server', 'http://localhost:1')).toContain('Use --data and --store');
  });
});
