import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Config, EnvironmentVariables } from './index.ts';
import { readConfig as read, SettingError, trustFile } from './index.ts';
import { strangerProblem } from './read-file.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bough-config-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Never uses the data directory of the person running the tests. */
const readConfig = (env: EnvironmentVariables, cwd: string): Config =>
  read({ BOUGH_DATA_DIR: join(dir, 'data'), ...env }, cwd);

const keyOf = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    if (error instanceof SettingError) return error.key;
    throw error;
  }
  return 'accepted';
};

describe('readConfig', () => {
  it.each<[Record<string, string>, string]>([
    [{ PORT: 'eighty' }, 'PORT'],
    [{ PORT: '70000' }, 'PORT'],
    [{ BOUGH_STORE: 'sqlite' }, 'BOUGH_STORE'],
    [{ BOUGH_GRACE_MS: '-1' }, 'BOUGH_GRACE_MS'],
    [{ BOUGH_SIMULATOR_PACE_MS: 'slow' }, 'BOUGH_SIMULATOR_PACE_MS'],
    [{ BOUGH_CONFIG: 'absent.json' }, 'BOUGH_CONFIG'],
    [{ HOST: '::' }, 'HOST'],
  ])('SV-15: %j names the key that cannot be used', (env, key) => {
    expect(keyOf(() => readConfig(env, dir))).toBe(key);
  });

  it('SV-15: an empty variable counts as unset', () => {
    expect(readConfig({ PORT: '', BOUGH_STORE: ' ' }, dir)).toMatchObject({
      port: 4870,
      store: 'postgres',
      host: '127.0.0.1',
    });
  });

  it.each([
    ['{', /not valid JSON/],
    ['{"surprise":1}', /surprise|Unrecognized/],
    ['{"mcpServers":{"a":{"command":5}}}', /mcpServers\.a/],
    ['{"tools":{"approval":{"x":"maybe"}}}', /tools\.approval\.x/],
  ])('SV-15: a configuration file with %s is refused with the place', async (content, expected) => {
    const path = join(dir, 'broken.json');
    await writeFile(path, content);
    expect(() => readConfig({ BOUGH_CONFIG: path }, dir)).toThrow(expected);
  });

  it.each([
    ['{"gateway":{"mode":"repair","whenStoreFails":"refuse"}}', 'accepted'],
    ['{"gateway":{"mode":"guess"}}', /gateway\.mode/],
    ['{"gateway":{"whenStoreFails":"panic"}}', /gateway\.whenStoreFails/],
    ['{"gateway":{"routes":[{"from":"anthropic","model":"claude-*"}]}}', /gateway\.routes\.0\.to/],
    ['{"gateway":{"surprise":1}}', /surprise/],
  ])('SV-144: the gateway in a configuration file: %s', async (content, expected) => {
    const path = join(dir, 'gateway.json');
    await writeFile(path, content);
    const reading = (): unknown => readConfig({ BOUGH_CONFIG: path }, dir).file.gateway;
    if (expected === 'accepted') expect(reading()).toEqual({ mode: 'repair', whenStoreFails: 'refuse' });
    else expect(reading).toThrow(expected);
  });

  it('SV-15: a sound file is read', async () => {
    const path = join(dir, 'sound.json');
    await writeFile(
      path,
      JSON.stringify({
        providers: { lab: { protocol: 'openai-chat', baseUrl: 'http://127.0.0.1:1/v1' } },
        tools: { approval: { 'files.*': 'ask' } },
      }),
    );
    expect(readConfig({ BOUGH_CONFIG: path }, dir).file.tools?.approval).toEqual({ 'files.*': 'ask' });
  });
});

describe('which file counts', () => {
  let data: string;
  let here: string;
  beforeEach(async () => {
    const place = await mkdtemp(join(dir, 'place-'));
    [data, here] = [join(place, 'data'), join(place, 'here')];
    for (const folder of [data, here]) await mkdir(folder, { mode: 0o700 });
  });
  const put = (folder: string, file: unknown, name = 'bough.config.json'): Promise<void> =>
    writeFile(join(folder, name), JSON.stringify(file), { mode: 0o600 });
  const chosen = (env: EnvironmentVariables = {}): Config => readConfig({ BOUGH_DATA_DIR: data, ...env }, here);

  it('SV-21: the named one, else the trusted one of the working directory, else that of the data directory', async () => {
    expect(chosen()).toMatchObject({ file: {}, filePath: null, ignored: null });
    await put(data, { limits: { maxCallsPerTurn: 1 } });
    await put(here, { limits: { maxCallsPerTurn: 2 } });
    await put(here, { limits: { maxCallsPerTurn: 3 } }, 'named.json');
    expect(chosen()).toMatchObject({
      file: { limits: { maxCallsPerTurn: 1 } },
      filePath: join(data, 'bough.config.json'),
      ignored: {
        path: join(here, 'bough.config.json'),
        changed: false,
        told: expect.stringMatching(/^It would set limits\. .*`bough trust`/),
      },
    });
    trustFile(data, join(here, 'bough.config.json'));
    expect(chosen()).toMatchObject({ file: { limits: { maxCallsPerTurn: 2 } }, ignored: null });
    expect(chosen({ BOUGH_CONFIG: 'named.json' })).toMatchObject({
      file: { limits: { maxCallsPerTurn: 3 } },
      ignored: null,
    });
    await put(here, { limits: { maxCallsPerTurn: 4 } });
    expect(chosen()).toMatchObject({ file: { limits: { maxCallsPerTurn: 1 } }, ignored: { changed: true } });
  });

  it('SV-21: that of the data directory counts there as anywhere', async () => {
    await put(data, { keepRaw: false });
    expect(readConfig({ BOUGH_DATA_DIR: data }, data)).toMatchObject({ file: { keepRaw: false }, ignored: null });
  });

  it('SV-22: paths in it are meant from where it lies, and ~ is the home directory', async () => {
    await put(data, {
      mcpServers: {
        bare: { command: 'node', args: ['server.mjs', '~/notes', '~other'] },
        own: { command: './bin/server', cwd: 'work' },
        home: { command: '~/bin/server', cwd: '~' },
        far: { url: 'http://127.0.0.1:1/mcp' },
      },
    });
    expect(chosen().file.mcpServers).toEqual({
      bare: { command: 'node', args: ['server.mjs', join(homedir(), 'notes'), '~other'], cwd: data },
      own: { command: join(data, 'bin', 'server'), cwd: join(data, 'work') },
      home: { command: join(homedir(), 'bin', 'server'), cwd: homedir() },
      far: { url: 'http://127.0.0.1:1/mcp' },
    });
  });

  it('SV-23: in the data directory, what others can write is refused, links included', async () => {
    const file = join(data, 'bough.config.json');
    await put(data, { keepRaw: false });
    await chmod(file, 0o646);
    expect(() => chosen()).toThrow(`${file}: can be written by others`);
    await chmod(file, 0o600);
    await chmod(data, 0o777);
    expect(() => chosen()).toThrow(`${data}: can be written by others`);
    await chmod(data, 0o755);
    expect(chosen().file).toEqual({ keepRaw: false });
    await put(here, { keepRaw: true }, 'elsewhere.json');
    await rm(file);
    await symlink(join(here, 'elsewhere.json'), file);
    expect(chosen().file).toEqual({ keepRaw: true });
    await chmod(join(here, 'elsewhere.json'), 0o666);
    expect(() => chosen()).toThrow('can be written by others');
  });

  it('SV-23: so is a list of trusted files', async () => {
    await put(here, { keepRaw: false });
    trustFile(data, join(here, 'bough.config.json'));
    await chmod(join(data, 'trusted.json'), 0o666);
    expect(() => chosen()).toThrow(`${join(data, 'trusted.json')}: can be written by others`);
    await writeFile(join(data, 'trusted.json'), '{"all":true}', { mode: 0o600 });
    await chmod(join(data, 'trusted.json'), 0o600);
    expect(() => chosen()).toThrow('is not a list of trusted files');
  });

  it.each<[string, { uid: number; gid: number; mode: number }, RegExp | null]>([
    ['a file of one’s own', { uid: 7, gid: 9, mode: 0o100_644 }, null],
    ['a file of root', { uid: 0, gid: 0, mode: 0o100_644 }, null],
    ['a file of somebody else', { uid: 8, gid: 8, mode: 0o100_600 }, /belongs to another user \(8\)/],
    ['a file that a group writes', { uid: 7, gid: 9, mode: 0o100_664 }, /can be written by others/],
    ['a file that one’s own group writes', { uid: 7, gid: 7, mode: 0o100_664 }, null],
    ['a volume of root’s that is handed to one’s own group', { uid: 0, gid: 7, mode: 0o042_775 }, null],
    ['a directory of root’s that another group writes', { uid: 0, gid: 9, mode: 0o042_775 }, /written by others/],
    ['a file that all write', { uid: 7, gid: 7, mode: 0o100_666 }, /can be written by others/],
    ['a directory where all write', { uid: 7, gid: 7, mode: 0o040_777 }, /can be written by others/],
    ['one where nobody replaces what is not his', { uid: 0, gid: 0, mode: 0o041_777 }, null],
    ['a file with the sticky bit, which says nothing', { uid: 7, gid: 7, mode: 0o101_666 }, /written by others/],
  ])('SV-23: %s', (_, stats, expected) => {
    const problem = strangerProblem(stats, 7);
    if (expected === null) expect(problem).toBeNull();
    else expect(problem).toMatch(expected);
  });
});
