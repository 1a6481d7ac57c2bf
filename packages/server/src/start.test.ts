import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from './config/index.ts';
import { createLog } from './log.ts';
import { openStore } from './open-store.ts';
import { startProgram } from './program.ts';
import { busyPort } from './testing/busy-port.ts';
import type { Place } from './testing/entry.ts';
import { ENTRIES, makePlace, processesIn, startEntry } from './testing/entry.ts';

const TOKEN = 'a token of sixteen or more';

interface Failure {
  readonly what: string;
  readonly file?: unknown;
  /** More environment variables, after creating the obstacle. */
  readonly prepare?: (place: Place) => Promise<Record<string, string>>;
  readonly sentence: RegExp;
}

const FAILURES: readonly Failure[] = [
  {
    what: 'a port that is in use',
    prepare: async () => ({ PORT: String(await busyPort()) }),
    sentence: /PORT: \d+ is in use\. Stop the other program, or set PORT/,
  },
  {
    what: 'a host that nobody knows',
    prepare: async () => ({ HOST: 'no such host', BOUGH_TOKEN: TOKEN }),
    sentence: /HOST: "no such host" is not a name that this machine knows\. Use /,
  },
  {
    what: 'an address of another machine',
    prepare: async () => ({ HOST: '192.0.2.1', BOUGH_TOKEN: TOKEN }),
    sentence: /HOST: "192\.0\.2\.1" is not an address of this machine\. Use /,
  },
  {
    what: 'a provider that cannot be meant',
    file: { providers: { lab: { baseUrl: 'ftp://127.0.0.1' } } },
    sentence: /providers\.lab\.baseUrl: must be a URL/,
  },
  {
    what: 'a default provider that is not there',
    file: { defaults: { provider: 'nobody' } },
    sentence: /defaults\.provider: there is no provider "nobody"\. Known: anthropic/,
  },
  {
    what: 'a default model that is no name',
    file: { defaults: { provider: 'anthropic', model: 'two\nlines' } },
    sentence: /defaults\.model: must hold no control characters/,
  },
  {
    what: 'a tool server that cannot be meant',
    file: { mcpServers: { files: { command: 5 } } },
    sentence: /mcpServers\.files: /,
  },
  {
    what: 'a data directory that is a file',
    prepare: async ({ dir }) => {
      await writeFile(join(dir, 'file'), '');
      return { BOUGH_DATA_DIR: join(dir, 'file') };
    },
    sentence: /The data directory \S+ is not a directory, .* set BOUGH_DATA_DIR/,
  },
  {
    what: 'a data directory that is a link to nowhere',
    prepare: async ({ dir }) => {
      await symlink(join(dir, 'gone', 'away'), join(dir, 'link'));
      return { BOUGH_DATA_DIR: join(dir, 'link') };
    },
    sentence: /The data directory \S+ is a link to \S+, which is not there\. Make that directory/,
  },
  {
    what: 'a data directory where nothing can be made',
    prepare: async () => ({ BOUGH_DATA_DIR: '/proc/nothing/bough' }),
    sentence: /The data directory \/proc\/nothing\/bough cannot be made.* set BOUGH_DATA_DIR/,
  },
  {
    what: 'a key file that is a directory',
    prepare: async ({ dataDir }) => {
      await mkdir(join(dataDir, 'key'), { recursive: true });
      return {};
    },
    sentence: /EISDIR|key is a directory, where a file is expected/,
  },
  {
    what: 'a store that is a file',
    prepare: async ({ dataDir }) => {
      await writeFile(join(dataDir, 'files'), '');
      return {};
    },
    sentence: /files\S* (?:is in the way|cannot be reached|is no directory)/,
  },
  {
    what: 'a database that does not answer',
    prepare: async () => ({ BOUGH_STORE: 'postgres', DATABASE_URL: 'postgres://nobody@127.0.0.1:9/nothing' }),
    sentence: /127\.0\.0\.1/,
  },
];

describe.each(Object.entries(ENTRIES))('a start of %s that fails', (_, words) => {
  it.each(FAILURES)('SV-19: $what: exits with 1 and a sentence, and holds nothing', async (failure) => {
    const place = await makePlace(failure.file);
    const more = (await failure.prepare?.(place)) ?? {};
    const entry = startEntry(place, words, more);
    expect(await entry.ended, entry.err()).toBe(1);
    const lines = entry.err().trim().split('\n');
    expect(lines.at(-1)).toMatch(failure.sentence);
    expect(entry.err()).not.toMatch(/^ {4}at /m);
    expect(entry.out()).toBe('');
    expect(await processesIn(place.dir)).toEqual([]);
  });

  it('SV-19: a store that another process holds: it says whose it is, and the other goes on', async () => {
    const place = await makePlace();
    const first = startEntry(place, words);
    await first.said(/running at/);
    const url = /running at (\S+)/.exec(first.out())?.[1] ?? '';
    const second = startEntry(place, words);
    expect(await second.ended).toBe(1);
    expect(second.err()).toContain(`is in use by process ${first.child.pid}`);
    expect((await fetch(`${url}/api/healthz/ready`)).status).toBe(200);
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
  });
});

describe('a start that fails late', () => {
  it.each(['postgres', 'files', 'git'])(
    'SV-19: a port that is taken after the look at it: the %s store, its lock and its processes are let go',
    async (store) => {
      const { dir, dataDir, env } = await makePlace({
        mcpServers: { mute: { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] } },
      });
      const config = readConfig({ ...env, BOUGH_STORE: store }, dir);
      const busy = await busyPort();
      const before = await processesIn(dir);
      let looks = 0;
      const late = Object.defineProperty({ ...config }, 'port', { get: () => (++looks === 1 ? 0 : busy) });
      const log = createLog(
        () => undefined,
        () => new Date(),
      );
      await expect(startProgram(late, env, log)).rejects.toThrow(`PORT: ${busy} is in use.`);
      expect(await processesIn(dir)).toEqual(before);
      const again = await openStore(readConfig({ ...env, BOUGH_STORE: store, BOUGH_DATA_DIR: dataDir }, dir));
      await again.close();
    },
  );
});
