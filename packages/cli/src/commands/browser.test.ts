import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { browserCommand, browserEnvironment, openInBrowser } from './browser.ts';

const SECRETS = { BOUGH_TOKEN: 'secret', OPENAI_API_KEY: 'secret', DATABASE_URL: 'secret', XDG: 'secret' };

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bough-browser-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describe('serve --open', () => {
  it.runIf(process.platform === 'linux')('CLI-18: a browser is started without the secrets of Bough', async () => {
    const program = join(dir, 'xdg-open');
    await writeFile(
      program,
      `#!/bin/sh\nenv > "$HOME/seen.part"\necho "url=$1" >> "$HOME/seen.part"\nmv "$HOME/seen.part" "$HOME/seen"\n`,
    );
    await chmod(program, 0o755);
    const env = { ...SECRETS, HOME: dir, PATH: `${dir}:/usr/bin:/bin`, DISPLAY: ':7', XDG_RUNTIME_DIR: '/run/user/1' };
    openInBrowser('http://127.0.0.1:1/', env, (problem) => expect(problem).toBe(''));
    await vi.waitFor(
      async () => expect(await readFile(join(dir, 'seen'), 'utf8')).toContain('url=http://127.0.0.1:1/'),
      10_000,
    );
    const seen = await readFile(join(dir, 'seen'), 'utf8');
    expect(seen).not.toContain('secret');
    expect(seen).toContain('DISPLAY=:7');
    expect(seen).toContain('XDG_RUNTIME_DIR=/run/user/1');
  });

  it.each([
    ['darwin', ['open', 'http://127.0.0.1:1/']],
    ['win32', ['cmd', '/c', 'start', '', 'http://127.0.0.1:1/']],
    ['linux', ['xdg-open', 'http://127.0.0.1:1/']],
    ['freebsd', ['xdg-open', 'http://127.0.0.1:1/']],
  ] as const)('CLI-18: on %s the system chooses the browser', (platform, command) => {
    expect(browserCommand('http://127.0.0.1:1/', platform)).toEqual(command);
  });

  it('CLI-18: on Windows it gets what a program needs there', () => {
    expect(browserEnvironment({ ...SECRETS, SystemRoot: 'C:\\Windows', Path: 'C:\\' }, 'win32')).toEqual({
      SystemRoot: 'C:\\Windows',
      Path: 'C:\\',
    });
  });
});
