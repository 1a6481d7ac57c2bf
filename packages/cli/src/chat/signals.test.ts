import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Place } from '../testing/run-cli.ts';
import { makePlace } from '../testing/run-cli.ts';

const PROGRAM = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'dist', 'bough.mjs');
const ENDLESS = '/sim slow 1000 /sim long 2000';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.dispose());

function start(words: readonly string[]) {
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    cwd: place.dir,
    env: { PATH: process.env['PATH'] ?? '', ...place.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const ended = once(child, 'close').then(([code]: unknown[]) => ({ code, out, err }));
  return { child, out: () => out, err: () => err, ended };
}

interface Node {
  readonly role: string;
  readonly interrupted: boolean;
  readonly content: string;
}

const nodes = async (): Promise<readonly Node[]> =>
  ((await place.bough(['log', '--json'])).json() as Node[]).toReversed();

describe('Ctrl-C', () => {
  it('CLI-106: in a chat stops the reply, and the conversation goes on', async () => {
    const chat = start(['chat', '--name', 'Stopped', '--thinking', 'full']);
    chat.child.stdin.write(`${ENDLESS}\n`);
    await expect.poll(chat.out, { interval: 10, timeout: 60_000 }).not.toBe('');
    chat.child.kill('SIGINT');
    const before = chat.out().length;
    chat.child.stdin.write('Hello again\n');
    await expect.poll(() => chat.out().slice(before), { interval: 10, timeout: 60_000 }).toContain('Hello again');
    chat.child.stdin.end();
    // A script is told that a reply is missing.
    expect((await chat.ended).code).toBe(1);
    expect(chat.err()).toContain('Stopped before its end.');
    const said = (await nodes()).map(({ role, interrupted }) => `${role}${interrupted ? ', interrupted' : ''}`);
    expect(said).toEqual(['user', 'assistant, interrupted', 'user', 'assistant']);
  });

  it('CLI-106: with a single message it stops the reply on the server too, which is no success', async () => {
    const server = await place.serve();
    try {
      const chat = start(['chat', '--name', 'Stopped', '-m', ENDLESS, '--json']);
      await expect.poll(chat.out, { interval: 10, timeout: 60_000 }).toContain('"thinking"');
      chat.child.kill('SIGINT');
      const { code, out } = await chat.ended;
      expect(code).toBe(1);
      expect(JSON.parse(out.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ type: 'done', status: 'interrupted' });
    } finally {
      await server.stop();
    }
  });
});

describe('a server', () => {
  it('CLI-109: that dies in the middle of a reply is told, and it is no success', async () => {
    const server = start(['serve', '--port', '0', '--json']);
    await expect.poll(server.out, { interval: 10, timeout: 60_000 }).toContain('"url"');
    const { url } = JSON.parse(server.out()) as { url: string };
    const chat = start(['chat', '--name', 'Lost', '-m', ENDLESS, '--server', url, '--json']);
    await expect.poll(chat.out, { interval: 10, timeout: 60_000 }).toContain('"thinking"');
    server.child.kill('SIGKILL');
    await expect.poll(chat.err, { interval: 10, timeout: 60_000 }).toContain('The server does not answer');
    const { code, out } = await chat.ended;
    expect(code).toBe(1);
    expect(out).toContain('"code": "unreachable"');
  });
});

describe('what a chat writes', () => {
  it('CLI-107: is JSON, line by line, also with piped input; errors too', async () => {
    const input = 'First\n/branches\n/switch nowhere\nSecond\n';
    const { code, out } = await place.bough(['chat', '--name', 'Piped', '--json'], { input });
    expect(code).toBe(0);
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.filter(({ type }) => type === 'done')).toHaveLength(2);
    expect(lines).toContainEqual({ branches: [expect.objectContaining({ name: 'main' })] });
    expect(lines).toContainEqual({ error: { code: 'unknown_id', message: expect.stringContaining('nowhere') } });
  });

  it('CLI-108: a provider or model that contradicts the lock of the branch is refused, not ignored', async () => {
    expect((await place.bough(['chat', '--name', 'Locked', '-m', 'Hi'])).code).toBe(0);
    const more = (...words: string[]) => place.bough(['chat', '-p', 'Locked', '-m', 'More', ...words]);
    const refused = await more('--provider', 'simulated_gemini');
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('locked to simulated/sim-thinker')]);
    expect((await more('--model', 'sim-fast')).code).toBe(1);
    expect(await nodes()).toHaveLength(2);
    expect((await more('--provider', 'simulated', '--model', 'sim-thinker')).code).toBe(0);
  });

  it('CLI-110: the output is what the model says; banner and notes are beside it', async () => {
    const single = await place.bough(['chat', '--name', 'Quiet', '-m', '/sim say Only this.']);
    expect(single.out.trim()).toBe('Only this.');
    expect(single.err).toContain('(thought:');
    const input = '/sim say Only this.\n/branch aside\n';
    const talk = await place.bough(['chat', '-p', 'Quiet'], { input });
    expect(talk.out.trim()).toBe('Only this.');
    expect(talk.err).toMatch(/Quiet \(.*\/help[^]*Now on aside\./);
  });
});
