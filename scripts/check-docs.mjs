// Checks that the paths named in the documents exist, that every rule of a SPEC.md is proven by a test whose name
// starts with it, and that prose and comments fit on a screen.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const git = (...args) =>
  execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
// New files count before they are committed; files that are being removed do not.
const tracked = git('ls-files', '--cached', '--others', '--exclude-standard').filter((file) =>
  existsSync(join(root, file)),
);
const names = new Set(tracked.map((file) => file.split('/').at(-1)));
const problems = [];

/** `packages/core/src/…` in backticks or a link: a path from the root, or relative to the document. */
const PATH = /`((?:\.?[\w@-]+\/)[\w@./<>-]*|[\w-]+\.(?:md|json|ts|mjs))`|\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g;

for (const document of tracked.filter((file) => file.endsWith('.md'))) {
  const text = readFileSync(join(root, document), 'utf8').replace(/```[\s\S]*?```/g, '');
  for (const match of text.matchAll(PATH)) {
    const path = (match[1] ?? match[2]).replace(/\/$/, '');
    // A pattern (`<vendor>.ts`), a package name, or a route is not a path.
    if (/[<>*]|^@|^(?:api|v1|v1beta)\//.test(path) || !/[./]/.test(path)) continue;
    const candidates = [
      join(root, path),
      join(root, dirname(document), path),
      join(root, dirname(document), 'src', path),
    ];
    const named = match[2] !== undefined || /^(?:packages|scripts|docs|bench|src|\.ci)\/|\.(?:md|mjs|ts)$/.test(path);
    // A bare file name may refer to any file of that name.
    const known = candidates.some((candidate) => existsSync(candidate)) || (!path.includes('/') && names.has(path));
    if (named && !known) problems.push(`${document}: there is no ${path}`);
  }
}

/** Tables, links and code may be longer. */
const WIDTH = 120;
const isLong = (line) => line.length > WIDTH && /\s\S/.test(line.slice(WIDTH - 40, WIDTH));
for (const file of tracked.filter((name) => /\.(?:md|ts|tsx|mjs)$/.test(name) && !name.includes('fixtures/'))) {
  const isProse = file.endsWith('.md');
  let inCode = false;
  for (const [index, line] of readFileSync(join(root, file), 'utf8').split('\n').entries()) {
    if (isProse && /^\s*```/.test(line)) inCode = !inCode;
    const counts = isProse ? !inCode && !/^\s*(?:\||<|\[)/.test(line) : /^\s*(?:\/\/|\/?\*)/.test(line);
    if (counts && isLong(line)) problems.push(`${file}:${index + 1}: longer than ${WIDTH} columns`);
  }
}

const proofs = new Map();
for (const file of tracked.filter((name) => /^packages\/[^/]+\/src\/.*\.ts$/.test(name))) {
  const owner = file.split('/')[1];
  const seen = proofs.get(owner) ?? new Set();
  for (const match of readFileSync(join(root, file), 'utf8').matchAll(/['"`]([A-Z][A-Z0-9]*(?:-[A-Z]+)*-\d+)\b/g))
    seen.add(match[1]);
  proofs.set(owner, seen);
}
const ruled = new Map();
for (const spec of tracked.filter((file) => /^packages\/[^/]+\/SPEC\.md$/.test(file))) {
  const owner = spec.split('/')[1];
  const proven = proofs.get(owner) ?? new Set();
  for (const [, rule, text] of readFileSync(join(root, spec), 'utf8').matchAll(
    /^- \*\*([A-Z][A-Z0-9]*(?:-[A-Z]+)*-\d+)\*\*(.*(?:\n {2}.*)*)/gm,
  )) {
    // Two rules of one number: a test that is named after it proves one of them, and nobody misses the other's.
    if (ruled.has(rule)) problems.push(`${spec}: ${rule} is a rule of ${ruled.get(rule)}, too`);
    ruled.set(rule, spec);
    // A rule that is proven in another package names the package.
    const elsewhere = /proven in `packages\/([\w-]+)/.exec(text)?.[1];
    const isProven = proven.has(rule) || proofs.get(elsewhere)?.has(rule) === true;
    if (!isProven) problems.push(`${spec}: no test is named after ${rule}`);
  }
}

if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
console.log('documents: every named path exists, every rule has a test');
