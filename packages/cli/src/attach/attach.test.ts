import { isAttachedBlock } from '@bough/core';
import type { ContentBlock } from '@bough/core';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Place } from '../testing/run-cli.ts';
import { makePlace } from '../testing/run-cli.ts';

const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
  await writeFile(join(place.dir, 'dot.png'), Buffer.from(DOT, 'base64'));
  await writeFile(join(place.dir, 'notes.txt'), 'Notes of a meeting');
});
afterEach(() => place.dispose());

interface Node {
  readonly id: string;
  readonly role: string;
  readonly contentBlocks: readonly ContentBlock[];
}

/** The user's messages on a branch, oldest first, as the names of their files and their texts. */
async function messages(branch = 'main'): Promise<readonly (readonly string[])[]> {
  const nodes = (await place.bough(['log', branch, '--json'])).json() as Node[];
  return nodes
    .filter(({ role }) => role === 'user')
    .map(({ contentBlocks }) =>
      contentBlocks.map((block) =>
        isAttachedBlock(block) ? `${block.type} ${block.name}` : String('text' in block && block.text),
      ),
    )
    .toReversed();
}

describe('attaching files', () => {
  it('CLI-50: they go before the text, and lists and conversations name them', async () => {
    const ran = await place.bough(['chat', '-a', 'dot.png', '--attach', 'notes.txt', '-m', 'Compare them']);
    expect([ran.code, ran.err]).toEqual([0, expect.stringMatching(/^\(thought: \d+ characters\)\n$/)]);
    expect(await messages()).toEqual([['image dot.png', 'file notes.txt', 'Compare them']]);
    expect((await place.bough(['log'])).out).toContain('[dot.png, 70 bytes] [notes.txt, 18 bytes] Compare them');
    expect((await place.bough(['show'])).out).toContain('[dot.png, 70 bytes]\n[notes.txt, 18 bytes]\nCompare them');
  });

  it('CLI-51: what is piped in is a file too', async () => {
    const ran = await place.bough(['chat', '-a', '-', '-m', 'What went wrong?'], { input: 'line 1\nline 2\n' });
    expect(ran.code).toBe(0);
    expect(await messages()).toEqual([['file input', 'What went wrong?']]);
  });

  it.each([
    ['the input without a message', ['-a', '-'], 2, 'say what to do with it with -m'],
    ['the input twice', ['-a', '-', '-a', '-', '-m', 'x'], 2, 'only once'],
    ['a file that is not there', ['-a', 'gone.txt', '-m', 'x'], 1, 'gone.txt cannot be read'],
    ['a directory', ['-a', 'folder', '-m', 'x'], 1, 'folder is not a file'],
    ['a file that cannot be sent', ['-a', 'page.png', '-m', 'x'], 1, 'page.png says that it is a picture'],
  ])('CLI-52: %s is told, and no project is made', async (_, words, code, sentence) => {
    await mkdir(join(place.dir, 'folder'));
    await writeFile(join(place.dir, 'page.png'), '<html></html>');
    const ran = await place.bough(['chat', ...words]);
    expect(ran.err).toContain(sentence);
    expect(ran.code).toBe(code);
    expect((await place.bough(['ls', '--json'])).json()).toEqual([]);
  });

  it('CLI-56: what the model does not take is told before it is sent, with what can be done', async () => {
    const plain = ['--provider', 'simulated_chat', '--model', 'sim-plain'];
    const told = async (...words: readonly string[]) =>
      (await place.bough(['chat', ...plain, '-a', 'dot.png', '-a', 'notes.txt', '-m', 'Look', ...words])).err;
    expect(await told()).toBe(
      'sim-plain does not take dot.png: it gets a line with the name.\n' +
        '(--files-otherwise omit leaves it out; --model begins with another model.)\n',
    );
    expect(await told('--files-otherwise', 'omit')).toBe(
      'sim-plain does not take dot.png: that is left out.\n' +
        '(--files-otherwise text sends its text or name; --model begins with another model.)\n',
    );
    expect((await place.bough(['chat', '-a', 'dot.png', '-m', 'Look'])).err).not.toContain('does not take');
  });

  it('CLI-53: in a chat they go with the next message, once', async () => {
    const input = new PassThrough();
    const script = ['First', '/attach notes.txt', '/attach gone.txt', 'Second', 'Third', '/quit'];
    const onWrite = (text: string): void => {
      if (text.includes('main>')) input.write(`${script.shift() ?? '/quit'}\n`);
    };
    const { err } = await place.bough(['chat', '-a', 'dot.png'], { input, onWrite, isInteractive: true });
    expect(err).toContain('It goes with your next message.');
    expect(err).toContain('gone.txt cannot be read');
    expect(await messages()).toEqual([['image dot.png', 'First'], ['file notes.txt', 'Second'], ['Third']]);
  });

  it('CLI-54: an edited message keeps its files, gets more, or leaves them out', async () => {
    await place.bough(['chat', '-a', 'dot.png', '-m', 'What is it?']);
    const [node] = ((await place.bough(['log', '--json'])).json() as Node[]).filter(({ role }) => role === 'user');
    const id = node?.id ?? '';
    const edit = (...words: readonly string[]) => place.bough(['edit', id, 'And this?', ...words]);
    expect((await edit('--branch', 'kept')).code).toBe(0);
    expect((await edit('--branch', 'more', '-a', 'notes.txt')).code).toBe(0);
    expect((await edit('--branch', 'bare', '--drop-files')).code).toBe(0);
    expect(await messages('kept')).toEqual([['image dot.png', 'And this?']]);
    expect(await messages('more')).toEqual([['image dot.png', 'file notes.txt', 'And this?']]);
    expect(await messages('bare')).toEqual([['And this?']]);
  });

  it('CLI-55: the request that a message with files would send can be looked at', async () => {
    await place.bough(['chat', '-m', 'Hello']);
    const ran = await place.bough(['context', 'main', '-a', 'notes.txt', '-m', 'Read this']);
    expect([ran.code, ran.err]).toEqual([0, '']);
    expect(ran.out).toContain('Read this');
    const command = await place.bough(['context', 'main', '-a', 'notes.txt', '-m', 'Read this', '--curl']);
    expect(command.out).toMatch(/<text of notes\.txt, \d+ bytes, sha256 /);
    expect(command.err).toMatch(/does not bring the bytes of a file: .*Put them there before you run it/);
    const plain = await place.bough(['context', 'main', '-m', 'Read this', '--curl']);
    expect(plain.err).toBe('');
  });
});
