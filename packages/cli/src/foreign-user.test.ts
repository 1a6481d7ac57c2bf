import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';

/** Where the tests run as root, to whom nothing is forbidden, the program switches to this user before it is loaded. */
const NOBODY = 65_534;
const AS_NOBODY = `data:text/javascript,process.setgroups([]);process.setgid(${NOBODY});process.setuid(${NOBODY});`;
const WORDS = process.getuid?.() === 0 ? ['--import', AS_NOBODY] : [];
const BUNDLE = join(dirname(fileURLToPath(import.meta.url)), '..', 'dist', 'bough.mjs');

let place: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'bough-foreign-'));
  await chmod(place, 0o755);
  onTestFinished(async () => {
    for (const name of await readdir(place)) await chmod(join(place, name), 0o755);
    await rm(place, { recursive: true, force: true });
  });
  // The repository itself may be closed to others.
  await copyFile(BUNDLE, join(place, 'bough.mjs'));
  await chmod(join(place, 'bough.mjs'), 0o755);
});

interface Ran {
  readonly code: unknown;
  readonly out: string;
  readonly err: string;
}

function bough(words: readonly string[], dataDir: string, more: Record<string, string> = {}): Promise<Ran> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: place,
    PORT: '0',
    BOUGH_STORE: 'files',
    BOUGH_DATA_DIR: dataDir,
    ...more,
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [...WORDS, join(place, 'bough.mjs'), ...words], { env, cwd: place }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, out, err }),
    );
  });
}

const COMMANDS = [['serve'], ['ls'], ['verify'], ['doctor']];

describe.each(COMMANDS)('bough %s', (...words) => {
  const expectSentence = ({ code, out, err }: Ran, sentence: RegExp): void => {
    const said = words[0] === 'doctor' ? out : err;
    expect(said).toMatch(sentence);
    expect(err).not.toMatch(/^ {4}at /m);
    expect(code).toBe(1);
  };

  it('CLI-25: a data directory that may not be written is one sentence', async () => {
    const data = join(place, 'data');
    await mkdir(data);
    await chmod(data, 0o555);
    expectSentence(
      await bough(words, data),
      /The data directory \S+ (?:belongs to user|may not be written).* set BOUGH_DATA_DIR/,
    );
  });

  it('CLI-25: one that cannot even be reached is one sentence', async () => {
    const closed = join(place, 'closed');
    await mkdir(closed);
    await chmod(closed, 0o000);
    expectSentence(
      await bough(words, join(closed, 'data')),
      /The data directory|closed\S* (?:cannot be read|may not be used)/,
    );
  });

  it('CLI-25: one that cannot be made is one sentence', async () => {
    const closed = join(place, 'closed');
    await mkdir(closed);
    await chmod(closed, 0o555);
    expectSentence(
      await bough(words, join(closed, 'deep', 'data')),
      /The data directory \S+ cannot be made or reached by user \d+/,
    );
  });
});

it('CLI-25: files in the data directory that belong to somebody else are one sentence', async () => {
  const data = join(place, 'data');
  await mkdir(data);
  await chmod(data, 0o777);
  await writeFile(join(data, 'key'), 'x'.repeat(44));
  await chmod(join(data, 'key'), 0o000);
  for (const words of [['serve'], ['ls']]) {
    const { code, err } = await bough(words, data);
    expect(code).toBe(1);
    expect(err).toMatch(/key\S* (?:may not be|does not hold)/);
    expect(err).not.toMatch(/^ {4}at /m);
  }
});

it('CLI-25: a working directory that is gone is one sentence', async () => {
  const gone = join(place, 'gone');
  await mkdir(gone);
  const script = 'cd "$1" && rmdir "$1" && shift && exec "$@"';
  const words = ['-c', script, 'sh', gone, process.execPath, join(place, 'bough.mjs'), 'ls'];
  const { code, err } = await new Promise<Ran>((resolve) => {
    execFile('sh', words, { env: { PATH: process.env['PATH'], HOME: place } }, (error, out, said) =>
      resolve({ code: error?.code ?? 0, out, err: said }),
    );
  });
  expect([code, err]).toEqual([1, 'bough: The working directory is gone. Change to one that is there.\n']);
});
