import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Installs the newest clients from the npm registry into a folder that is not the repository's; returns that folder.
 * The tag is named because npm would otherwise take an older version that was made for this Node.
 */
export async function install(packages, folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const words = ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages.map((name) => `${name}@latest`)];
  const code = await new Promise((resolve, reject) => {
    const child = spawn('npm', words, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`npm install ended with ${code}.`);
  return folder;
}

export function versionOf(packageName, folder) {
  return JSON.parse(readFileSync(join(folder, 'node_modules', packageName, 'package.json'), 'utf8')).version;
}
