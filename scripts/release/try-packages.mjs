// Installs the tarballs into empty projects with npm and the registry, and runs what their READMEs show, with the
// versions of Node that are named: npm run try-packages -- 20 22 24. By hand: it fetches Node itself from npm.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { LIBRARIES, packAll } from './pack.mjs';

const root = resolve(import.meta.dirname, '../..');
const versions = process.argv.slice(2);
const place = mkdtempSync(join(tmpdir(), 'bough-try-'));
const isWindows = process.platform === 'win32';

function run(command, words, options) {
  const { status, stdout, stderr } = spawnSync(command, words, { encoding: 'utf8', ...options });
  if (status !== 0) throw new Error(`${command} ${words.join(' ')} failed:\n${stdout}\n${stderr}`);
  return stdout;
}
const npm = (words, cwd) =>
  run('npm', [...words, '--no-audit', '--no-fund', '--ignore-scripts'], { cwd, shell: isWindows });

/** The path of a Node of that major version. */
function nodeOf(version) {
  if (process.version.startsWith(`v${version}.`)) return process.execPath;
  const folder = join(place, `node-${version}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const system = isWindows ? 'win' : process.platform;
  npm(['install', `node-bin-${system}-${process.arch}@npm:node-${system}-${process.arch}@${version}`], folder);
  const bin = join(folder, 'node_modules', `node-bin-${system}-${process.arch}`, 'bin');
  return join(bin, isWindows ? 'node.exe' : 'node');
}

const example = (library) =>
  /```ts file=(\S+)\n([\s\S]*?)\n```/.exec(readFileSync(join(root, 'packages', library, 'README.md'), 'utf8'));

/**
 * `bough` as `npx bough` starts it, with its own PostgreSQL; ends when it has said where it listens and `use` is
 * done.
 */
async function serving(node, project, use) {
  const child = spawn(node, [join(project, 'node_modules', 'bough', 'bough.mjs'), '--port', '0'], {
    cwd: project,
    env: { ...process.env, BOUGH_DATA_DIR: join(project, 'data'), BOUGH_SIMULATOR_PACE_MS: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const [url] = /http:\/\/\S+/.exec(line) ?? [];
      if (url !== undefined) return use(url);
    }
    throw new Error('bough ended before it was ready.');
  } finally {
    child.kill('SIGTERM');
    await new Promise((ended) => {
      child.once('exit', ended);
    });
  }
}

async function tryWith(version, tarballs, sdk) {
  const node = nodeOf(version);
  const project = join(place, `project-${version}-${sdk.name}`);
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  npm(['install', ...tarballs, ...sdk.packages, '@types/node@20'], project);
  const compilerOptions = { strict: true, module: 'nodenext', target: 'es2023', skipLibCheck: true, types: ['node'] };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  for (const library of LIBRARIES) writeFileSync(join(project, example(library)[1]), example(library)[2]);
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'], { cwd: project });
  const simulator = spawn(node, ['node_modules/@bough/simulator/dist/main.js', '--port', '4019', '--pace', '0'], {
    cwd: project,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await new Promise((ready) => {
      simulator.stdout.once('data', ready);
    });
    await serving(node, project, async (url) => {
      const env = {
        ...process.env,
        ANTHROPIC_API_KEY: 'any',
        ANTHROPIC_BASE_URL: 'http://127.0.0.1:4019',
        BASE_URL: 'http://127.0.0.1:4019/v1',
        BOUGH_URL: url,
      };
      for (const library of LIBRARIES) {
        const said = run(node, [example(library)[1].replace(/ts$/, 'js')], { cwd: project, env });
        console.log(
          `Node ${version}, AI SDK ${sdk.name}: @bough/${library}: ${said.trim().split('\n').at(-1)?.slice(0, 80)}`,
        );
      }
    });
    console.log(`Node ${version}, AI SDK ${sdk.name}: bough served with its own PostgreSQL and ended`);
  } finally {
    simulator.kill();
  }
}

try {
  const tarballs = packAll(join(place, 'packages'));
  for (const version of versions.length === 0 ? [process.versions.node.split('.')[0]] : versions)
    for (const sdk of [
      { name: '6', packages: ['ai@6', '@ai-sdk/anthropic@3', '@ai-sdk/openai@3'] },
      { name: '7', packages: ['ai@7', '@ai-sdk/anthropic@4', '@ai-sdk/openai@4'] },
    ])
      await tryWith(version, tarballs, sdk);
} finally {
  rmSync(place, { recursive: true, force: true });
}
