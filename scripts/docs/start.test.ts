import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isPlainObject } from '@bough/core';
import { startProgram } from './process.ts';
import { ROOT } from './run-document.ts';

it('what npm start starts prints its address, serves the page and the API, and stops with 0', async () => {
  const manifest: unknown = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const scripts = isPlainObject(manifest) && isPlainObject(manifest['scripts']) ? manifest['scripts'] : {};
  // Without the build: it ran before this test, and would replace the page while other tests use it. `exec` passes
  // signals on.
  const [, command] = /^npm run build --silent && exec (node .+)$/.exec(String(scripts['start'])) ?? [];
  expect(command).toBeDefined();
  const [, ...words] = (command ?? '').split(' ');
  const home = await mkdtemp(join(tmpdir(), 'bough-start-'));
  try {
    const program = await startProgram(process.execPath, words, {
      cwd: ROOT,
      env: { PATH: process.env['PATH'] ?? '', HOME: home, PORT: '0' },
    });
    try {
      expect(new URL(program.url).hostname).toBe('127.0.0.1');
      expect(await (await fetch(program.url)).text()).toContain('<title>Bough</title>');
      expect(await (await fetch(`${program.url}/api/healthz/ready`)).json()).toMatchObject({ status: 'ok' });
    } finally {
      expect(await program.stop()).toBe(0);
    }
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

it('npm ci asks nobody about install scripts: all that have one are known, and none is needed', async () => {
  const read = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(ROOT, name), 'utf8'));
  const { packages } = (await read('package-lock.json')) as { packages: Record<string, { hasInstallScript?: true }> };
  const scripted = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript === true);
  const { allowScripts } = (await read('package.json')) as { allowScripts: Record<string, boolean> };
  expect(allowScripts).toEqual(
    Object.fromEntries(scripted.map((path) => [path.replace(/^.*node_modules\//, ''), false])),
  );
});
