import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { startSimulator } from '@bough/simulator';
import { build } from 'esbuild';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Library, Packed } from '../testing/installed-packages.ts';
import {
  installInto,
  LIBRARIES,
  packLibraries,
  readManifest,
  readmeExample,
  ROOT,
  temporaryFolder,
} from '../testing/installed-packages.ts';
import { makePlace } from '../testing/run-cli.ts';

const run = promisify(execFile);
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
const OTHERS = { '@types/node': '@types/node' };
const SDK_6 = { '@ai-sdk/anthropic': '@ai-sdk/anthropic', '@ai-sdk/openai': '@ai-sdk/openai' };
const SDK_7 = {
  ai: 'ai-7',
  '@ai-sdk/provider': 'ai-7/node_modules/@ai-sdk/provider',
  '@ai-sdk/anthropic': 'ai-sdk-anthropic-4',
  '@ai-sdk/openai': 'ai-sdk-openai-4',
};

let dir: string;
let dispose: () => Promise<void>;
let packed: readonly Packed[];
beforeAll(async () => {
  ({ path: dir, dispose } = await temporaryFolder());
  packed = await packLibraries(dir);
  await installInto(join(dir, 'project'), packed, { ...OTHERS, ...SDK_6 });
  await installInto(join(dir, 'project-7'), packed, { ...OTHERS, ...SDK_7 });
});
afterAll(() => dispose());

const installed = (library: Library): string => join(dir, 'project', 'node_modules', '@bough', library);

describe.each(LIBRARIES)('@bough/%s', (library) => {
  it('PK-83: holds its licence, its README and what its entries reach, and nothing else', async () => {
    const { files } = packed.find((each) => each.library === library) ?? { files: [] };
    const manifest = await readManifest(installed(library));
    expect(manifest).not.toHaveProperty('private');
    expect(manifest.license).toBe('MIT');
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']));
    expect(await readFile(join(installed(library), 'LICENSE'), 'utf8')).toBe(
      await readFile(join(ROOT, 'LICENSE'), 'utf8'),
    );
    expect(files.filter((path) => /\.test\.|testing|tsbuildinfo|fixtures|\/cases/.test(path))).toEqual([]);
    const entries = Object.values(manifest.exports).flatMap((entry) =>
      typeof entry === 'string' ? [] : [entry.default, entry.types],
    );
    const reached = await reachedFrom(installed(library), [...entries, ...Object.values(manifest.bin ?? {})]);
    const dead = files.filter((path) => /^dist\/.*\.js$/.test(path) && !reached.has(path));
    // Of a module with types alone, nobody imports the JavaScript.
    const texts = await Promise.all(dead.map((path) => readFile(join(installed(library), path), 'utf8')));
    expect(dead.filter((_, at) => !/^(?:\/\/.*\n)*export \{\};/.test(texts[at] ?? ''))).toEqual([]);
  });

  it('PK-84: publint and arethetypeswrong find nothing to complain about', async () => {
    const { messages } = await publint({ pkgDir: installed(library), strict: true, pack: false });
    expect(messages).toEqual([]);
    const { tarball = '' } = packed.find((each) => each.library === library) ?? {};
    const result = await checkPackage(createPackageFromTarballData(await readFile(tarball)));
    const problems = result.types === false ? ['it has no types'] : result.problems;
    // ESM alone: `require` of these packages, and resolution without `exports`, are not promised.
    const isPromised = (problem: (typeof problems)[number]): boolean =>
      typeof problem === 'string' ||
      !('resolutionKind' in problem) ||
      (problem.resolutionKind !== 'node10' && problem.resolutionKind !== 'node16-cjs');
    expect(problems.filter(isPromised)).toEqual([]);
  });
});

describe('the examples of the READMEs', () => {
  const OPTIONS = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, types: ['node'] };
  const write = async (project: string, libraries: readonly Library[]): Promise<void> => {
    await mkdir(join(dir, project, 'src'), { recursive: true });
    for (const library of libraries) {
      const { file, text } = await readmeExample(installed(library));
      await writeFile(join(dir, project, 'src', file), text);
    }
    const modes = { nodenext: { module: 'nodenext' }, bundler: { module: 'esnext', moduleResolution: 'bundler' } };
    for (const [name, mode] of Object.entries(modes)) {
      const compilerOptions = { ...OPTIONS, ...mode, target: 'es2023', outDir: name, rootDir: 'src' };
      await writeFile(
        join(dir, project, `${name}.json`),
        JSON.stringify({ compilerOptions: { ...compilerOptions, skipLibCheck: true }, include: ['src'] }),
      );
    }
    const compilerOptions = { ...OPTIONS, module: 'nodenext', target: 'es2023', noEmit: true };
    // Not those of the bridge: with them, the compiler would take seconds to find the errors of the AI SDK.
    const include = libraries
      .filter((name) => name !== 'ai-sdk')
      .map((name) => `node_modules/@bough/${name}/dist/*.d.ts`);
    await writeFile(join(dir, project, 'declarations.json'), JSON.stringify({ compilerOptions, include }));
  };
  /** The errors that the compiler finds: one line each, with its file. */
  const errorsOf = async (project: string, config: string): Promise<readonly string[]> => {
    const words = [TSC, '-p', config, '--pretty', 'false'];
    const said = await run(process.execPath, words, { cwd: join(dir, project), maxBuffer: 1e8 }).catch(
      (error: unknown) => (error instanceof Error && 'stdout' in error ? error : Promise.reject(error)),
    );
    return String(said.stdout)
      .split('\n')
      .filter((line) => /^\S.*error TS/.test(line))
      .map((line) => line.slice(0, 300));
  };
  beforeAll(async () => {
    await write('project', LIBRARIES);
    await write('project-7', ['ai-sdk']);
  });

  it.each(['nodenext', 'bundler'])('PK-85: fit the types in strict TypeScript, resolved by %s', async (config) => {
    expect(await errorsOf('project', `${config}.json`)).toEqual([]);
    expect(await errorsOf('project-7', `${config}.json`)).toEqual([]);
  });

  it('PK-85: the declarations have no error themselves', async () => {
    const errors = await errorsOf('project', 'declarations.json');
    expect(errors.filter((line) => line.includes('@bough/'))).toEqual([]);
  });

  it('PK-85: run as they were compiled, each against what it talks to', async () => {
    const simulator = await startSimulator();
    onTestFinished(simulator.close);
    const place = await makePlace();
    onTestFinished(place.dispose);
    const server = await place.serve();
    onTestFinished(async () => void (await server.stop()));
    const env = {
      PATH: process.env['PATH'] ?? '',
      ANTHROPIC_API_KEY: 'any',
      ANTHROPIC_BASE_URL: simulator.url,
      BASE_URL: `${simulator.url}/v1`,
      BOUGH_URL: server.url,
      AI_SDK_LOG_WARNINGS: 'false',
    };
    const said = async (project: string, name: string): Promise<string> =>
      (await run(process.execPath, [join('nodenext', `${name}.js`)], { cwd: join(dir, project), env })).stdout;
    expect(await said('project', 'core')).toBe('2 verbatim, canonical model_break thinking_not_replayable\n');
    expect(await said('project', 'providers')).toMatch(
      /^n0: verbatim\n[^]+\nn0: verbatim, n1: verbatim, n2: verbatim\n/,
    );
    expect(await said('project', 'simulator')).toMatch(/^200 .*\n400 .*tool_result/);
    expect(await said('project', 'api')).toContain('simulated model');
    for (const project of ['project', 'project-7'])
      expect(await said(project, 'ai-sdk')).toContain('true verbatim, canonical, verbatim');
  });
});

describe('in a page', () => {
  const bundled = async (contents: string): Promise<Uint8Array> => {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: join(dir, 'project') },
      bundle: true,
      minify: true,
      format: 'esm',
      // With this one, an import of `node:` anything is an error.
      platform: 'browser',
      write: false,
      logLevel: 'silent',
    });
    return outputFiles[0]?.contents ?? new Uint8Array();
  };

  it.each(['core', 'providers', 'ai-sdk', 'api', 'api/client'])(
    'PK-86: @bough/%s needs nothing of Node',
    async (name) => {
      expect((await bundled(`export * from '@bough/${name}';`)).length).toBeGreaterThan(1_000);
    },
  );

  it.each(['packages/ai-sdk/README.md', 'docs/ai-sdk.md', 'docs/packages.md'])(
    'PK-87: boughReplay alone weighs no more than %s says',
    async (document) => {
      const bundle = await bundled(`export { boughReplay } from '@bough/ai-sdk';`);
      const said = /weighs (\d+) kB(?: in a bundle)?, (\d+) kB compressed/;
      const [, whole, compressed] = said.exec(await readFile(join(ROOT, document), 'utf8')) ?? [];
      expect(bundle.length).toBeLessThanOrEqual(Number(whole) * 1_000);
      expect(gzipSync(bundle).length).toBeLessThanOrEqual(Number(compressed) * 1_000);
    },
  );

  it('PK-87: the client of the API weighs no more than its README says', async () => {
    const bundle = await bundled(`export { createClient } from '@bough/api/client';`);
    const text = await readFile(join(ROOT, 'packages/api/README.md'), 'utf8');
    expect(bundle.length).toBeLessThanOrEqual(Number(/\((\d+) kB in a bundle\)/.exec(text)?.[1]) * 1_000);
  });
});

/** The modules that the entries import, directly or not, as paths in the package. */
async function reachedFrom(folder: string, entries: readonly string[]): Promise<ReadonlySet<string>> {
  const reached = new Set<string>();
  const open = entries.map((entry) => normalize(entry));
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    const text = await readFile(join(folder, path), 'utf8');
    for (const [, target = ''] of text.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)) {
      const suffix = path.endsWith('.d.ts') ? '.d.ts' : '.js';
      open.push(join(dirname(path), target.replace(/(?:\.d)?\.[jt]s$/, suffix)));
    }
  }
  return reached;
}
