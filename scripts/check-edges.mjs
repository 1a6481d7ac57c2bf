// Checks the direction of dependencies: which package may import which, that core imports next to nothing, and that
// every import from another package is declared in package.json.
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** Everything points towards core. */
const ALLOWED = {
  core: [],
  testkit: ['core'],
  files: ['core'],
  providers: ['core'],
  simulator: ['core', 'providers'],
  store: ['core'],
  engine: ['core', 'providers', 'store'],
  gateway: ['core', 'providers', 'store', 'engine'],
  transfer: ['core', 'providers', 'store', 'engine'],
  api: ['core'],
  server: ['core', 'files', 'providers', 'simulator', 'store', 'engine', 'gateway', 'transfer', 'api'],
  web: ['core', 'api'],
  cli: ['core', 'providers', 'store', 'api', 'transfer', 'server'],
  'ai-sdk': ['core', 'providers'],
};
/** The only dependency of core: a synchronous hash for browsers. */
const HASHES = '@noble/hashes';
const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s[^'"`;]*?from\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]|(?:^|\n)\s*import\s+['"]([^'"]+)['"]/g;
/** Code that only tests run: it may use the testkit and any development dependency. */
const isTestCode = (file) => /\.test\.tsx?$|\/testing\.ts$|\/testing\/|\/contract\/|\/bench\//.test(file);
const builtins = new Set(builtinModules);

const problems = [];
const packagesDir = join(root, 'packages');
for (const name of readdirSync(packagesDir)) {
  const allowed = ALLOWED[name];
  if (allowed === undefined) {
    problems.push(`packages/${name}: not in the list of ${relative(root, fileURLToPath(import.meta.url))}`);
    continue;
  }
  const manifest = JSON.parse(readFileSync(join(packagesDir, name, 'package.json'), 'utf8'));
  const others = Object.keys(manifest.dependencies ?? {}).filter((dependency) => dependency !== HASHES);
  if (name === 'core' && others.length > 0) problems.push(`packages/core: depends on ${others.join(', ')}`);
  for (const file of sources(join(packagesDir, name, 'src'))) checkFile(name, manifest, allowed, file);
}

function checkFile(name, manifest, allowed, file) {
  const where = relative(root, file);
  const test = isTestCode(where);
  for (const match of readFileSync(file, 'utf8').matchAll(IMPORT)) {
    const target = match[1] ?? match[2] ?? match[3];
    if (target.startsWith('.')) {
      const inside = relative(join(packagesDir, name), resolve(dirname(file), target));
      if (inside.startsWith('..')) problems.push(`${where}: "${target}" leaves the package`);
      continue;
    }
    if (target.startsWith('node:') || builtins.has(target.split('/')[0])) {
      if (!target.startsWith('node:')) problems.push(`${where}: write "node:${target}"`);
      if (name === 'core' && !test) problems.push(`${where}: core imports nothing from Node ("${target}")`);
      continue;
    }
    const dependency = target.startsWith('@') ? target.split('/').slice(0, 2).join('/') : target.split('/')[0];
    const sibling = /^@bough\/(.+)$/.exec(dependency)?.[1];
    if (sibling !== undefined && !test && !allowed.includes(sibling))
      problems.push(`${where}: ${name} must not know ${sibling}`);
    const declared = {
      ...manifest.dependencies,
      ...manifest.peerDependencies,
      ...(test ? { ...manifest.devDependencies, ...rootDevDependencies() } : {}),
    };
    if (!(dependency in declared))
      problems.push(`${where}: "${dependency}" is not declared in packages/${name}/package.json`);
  }
}

function rootDevDependencies() {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies;
}

function* sources(dir) {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (/\.tsx?$/.test(entry.name)) yield path;
  }
}

if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
console.log('dependency edges: fine');
