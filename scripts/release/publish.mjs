// Publishes the tarballs of a folder, each after what it depends on: node scripts/release/publish.mjs DIR [--dry-run].
// One that is there already, from a release that was interrupted, is left alone.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inOrder } from './pack.mjs';

/** The tag on npm: `npm install` without a version takes `latest`, which an early version must not become. */
export function tagOf(name) {
  return /-\d+\.\d+\.\d+-/.test(name) ? 'next' : 'latest';
}

if (process.argv[1] === import.meta.filename) {
  const [folder = '.', ...words] = process.argv.slice(2);
  for (const name of inOrder(readdirSync(folder))) {
    const provenance = words.includes('--dry-run') ? [] : ['--provenance'];
    const { status, stderr } = spawnSync(
      'npm',
      ['publish', resolve(join(folder, name)), '--access', 'public', '--tag', tagOf(name), ...provenance, ...words],
      {
        encoding: 'utf8',
        stdio: ['ignore', 'inherit', 'pipe'],
        shell: process.platform === 'win32',
      },
    );
    if (status === 0) continue;
    if (!/previously published|EPUBLISHCONFLICT/.test(stderr)) {
      console.error(stderr);
      process.exit(1);
    }
    console.log(`${name} is published already`);
  }
}
