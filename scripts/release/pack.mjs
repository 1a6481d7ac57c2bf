// Writes the six tarballs that are published into a folder: npm run pack -- [DIR]
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
/** In the order in which they depend on each other; `bough`, the program, has a script of its own. */
export const LIBRARIES = ['core', 'providers', 'simulator', 'api', 'ai-sdk'];

/** The tarballs, in the order in which they can be published. */
export function packAll(out) {
  mkdirSync(out, { recursive: true });
  const words = LIBRARIES.flatMap((library) => ['-w', `@bough/${library}`]);
  const npm = ['pack', '--ignore-scripts', '--pack-destination', out, ...words];
  execFileSync('npm', npm, { cwd: root, stdio: 'ignore', shell: process.platform === 'win32' });
  const program = join(out, 'program');
  execFileSync(process.execPath, [join(root, 'packages/cli/scripts/pack.mjs'), '--out', program], { stdio: 'ignore' });
  for (const name of readdirSync(program)) if (name.endsWith('.tgz')) renameSync(join(program, name), join(out, name));
  rmSync(program, { recursive: true });
  return inOrder(readdirSync(out)).map((name) => join(out, name));
}

/** The tarballs among these names, each after what it depends on. */
export function inOrder(names) {
  return [...LIBRARIES.map((library) => `bough-${library}-`), 'bough-'].flatMap(
    (start) =>
      names.find((name) => name.startsWith(start) && name.endsWith('.tgz') && /^\d/.test(name.slice(start.length))) ??
      [],
  );
}

if (process.argv[1] === import.meta.filename) {
  const out = resolve(process.argv[2] ?? join(root, 'dist', 'packages'));
  rmSync(out, { recursive: true, force: true });
  console.log(packAll(out).join('\n'));
}
