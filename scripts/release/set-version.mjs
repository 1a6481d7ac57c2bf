// Sets the version of everything: npm run set-version -- 1.2.3. The lock file follows.
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { writeVersion } from './versions.mjs';

const root = resolve(import.meta.dirname, '../..');
const [version] = process.argv.slice(2);
if (version === undefined) {
  console.error('usage: npm run set-version -- 1.2.3');
  process.exit(2);
}
console.log(writeVersion(root, version).join('\n'));
execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts'], {
  cwd: root,
  stdio: 'inherit',
  shell: process.platform === 'win32',
});
