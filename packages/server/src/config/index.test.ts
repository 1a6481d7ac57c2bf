import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig, SettingError } from './index.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bough-config-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

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
