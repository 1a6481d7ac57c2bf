import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const script = fileURLToPath(new URL('../../scripts/pack.mjs', import.meta.url));

let dir: string;
let printed: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bough-pack-'));
  await mkdir(join(dir, 'page', 'assets'), { recursive: true });
  await writeFile(join(dir, 'page', 'index.html'), '<!doctype html><title>The page</title>');
  await writeFile(join(dir, 'page', 'assets', 'app-1.js'), 'export {};');
  printed = (await run(process.execPath, [script, '--out', join(dir, 'out'), '--web', join(dir, 'page')])).stdout;
  const tarball = (await readdir(join(dir, 'out'))).find((name) => name.endsWith('.tgz')) ?? '';
  await mkdir(join(dir, 'installed'));
  // Outside the workspace: anything that the program needs but does not carry is not found here.
  await run('tar', ['-xzf', join(dir, 'out', tarball), '-C', join(dir, 'installed')]);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** A picture of one pixel. */
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const bin = (): string => join(dir, 'installed', 'package', 'bough.mjs');
const env = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: dir,
  BOUGH_STORE: 'files',
  BOUGH_DATA_DIR: join(dir, 'data'),
  BOUGH_SIMULATOR_PACE_MS: '0',
});

describe('the package', () => {
  it('PK-1: holds the program and the page, and its size is told', async () => {
    expect(printed).toMatch(/bough-\d.*\.tgz: \d+\.\d\d MB packed, \d+\.\d\d MB unpacked/);
    expect(await readdir(join(dir, 'installed', 'package'))).toEqual(
      expect.arrayContaining(['bough.mjs', 'package.json', 'web']),
    );
  });

  it('PK-2: runs without anything beside it, talks, and ends by itself', async () => {
    const { stdout } = await run(process.execPath, [bin(), 'chat', '-m', 'Hello', '--name', 'Packed'], { env: env() });
    expect(stdout).toContain('simulated model');
    expect((await run(process.execPath, [bin(), 'ls'], { env: env() })).stdout).toContain('Packed');
  });

  it('PK-2: attaches files; what needs a package that is not there says so', async () => {
    await writeFile(join(dir, 'notes.txt'), 'notes');
    const words = (path: string): string[] => [bin(), 'chat', '-m', 'Look', '--name', 'With a file', '-a', path];
    await run(process.execPath, words(join(dir, 'notes.txt')), { env: env() });
    expect((await run(process.execPath, [bin(), 'log', '--project', 'With a file'], { env: env() })).stdout).toContain(
      '[notes.txt, 5 bytes]',
    );
    await writeFile(join(dir, 'dot.png'), Buffer.from(DOT, 'base64'));
    await writeFile(join(dir, 'a.pdf'), '%PDF-1.7');
    for (const [path, missing] of [
      ['dot.png', 'sharp'],
      ['a.pdf', 'unpdf'],
    ] as const)
      await expect(run(process.execPath, words(join(dir, path)), { env: env() })).rejects.toMatchObject({
        stderr: expect.stringContaining(`"${missing}"`) as string,
      });
  });

  it('PK-88: `npx bough` finds it in a project that installed it, and it says its version', async () => {
    const project = join(dir, 'project');
    await mkdir(join(project, 'node_modules', '.bin'), { recursive: true });
    await symlink(join(dir, 'installed', 'package'), join(project, 'node_modules', 'bough'), 'junction');
    await symlink(join('..', 'bough', 'bough.mjs'), join(project, 'node_modules', '.bin', 'bough'));
    await writeFile(join(project, 'package.json'), '{ "private": true }');
    const npx = await run('npx', ['--offline', '--no', '--', 'bough', '--version'], { cwd: project, env: env() });
    const root = JSON.parse(await readFile(new URL('../../../../package.json', import.meta.url), 'utf8')) as unknown;
    expect(root).toMatchObject({ version: npx.stdout.trim().replace(/^bough /, '') });
  });

  it('PK-84: publint finds nothing to complain about, and licence and README are there', async () => {
    const folder = join(dir, 'installed', 'package');
    expect((await publint({ pkgDir: folder, strict: true, pack: false })).messages).toEqual([]);
    expect(await readdir(folder)).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'THIRD-PARTY.txt']));
  });

  it('PK-3: serves the prebuilt page, and stops when it is told to', async () => {
    const child = spawn(process.execPath, [bin(), '--port', '0'], { env: env(), stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
      const url = /http:\S+/.exec(line)?.[0] ?? '';
      expect(await (await fetch(url)).text()).toContain('The page');
      expect((await fetch(`${url}/assets/app-1.js`)).headers.get('content-type')).toContain('javascript');
      child.kill('SIGTERM');
      const [code] = (await once(child, 'exit')) as [number | null];
      expect(code).toBe(0);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
