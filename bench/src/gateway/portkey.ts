import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Settings } from '../frame/suite.ts';
import { launch, type Program } from '../stream/processes.ts';

const NAME = '@portkey-ai/gateway';
/** MIT. With its 95 packages it takes 25 MB: too much for everybody who installs Bough to work on it. */
const VERSION = '1.15.2';
/** Newer ones, which it allows, give it responses whose headers cannot be changed: it answers every stream with 500. */
const OVERRIDES = { '@hono/node-server': '1.13.8' } as const;

export const PORTKEY = `Portkey ${VERSION}`;

/** Its program; null if it is absent, which the reader is told. */
export async function findPortkey(settings: Settings): Promise<URL | null> {
  const { install, scratch } = settings;
  const folder = process.env['BENCH_PORTKEY'] ?? join(scratch, 'portkey');
  if (install && !existsSync(folder)) {
    await mkdir(folder, { recursive: true });
    const manifest = { private: true, dependencies: { [NAME]: VERSION }, overrides: OVERRIDES };
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    try {
      const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund'];
      await promisify(execFile)('npm', words, { cwd: folder });
    } catch (error) {
      settings.progress(`${NAME} could not be installed: ${String(error).slice(0, 300)}`);
    }
  }
  const program = join(folder, 'node_modules', NAME, 'build', 'start-server.js');
  if (existsSync(program)) return pathToFileURL(program);
  settings.progress(`${PORTKEY} is absent. With --install it is installed into a temporary folder and takes part.`);
  return null;
}

export async function startPortkey(program: URL): Promise<Program> {
  const port = await freePort();
  return launch(program, {
    args: [`--port=${port}`, '--headless'],
    // It asks no host of this machine unless it is told to trust it.
    env: { NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: '127.0.0.1' },
  });
}

/** It cannot choose one itself. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
