// The version of Bough is the `version` of the root's package.json. This writes it into every place that repeats it,
// and tells which places do not agree.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const KUBERNETES = 'deploy/kubernetes.yaml';
const CONSTANT = 'packages/core/src/version/index.ts';
const FIELDS = ['dependencies', 'devDependencies', 'peerDependencies'];

/** Every manifest of the workspace, by its path from the root. */
function manifests(root) {
  const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/package.json`);
  return ['package.json', 'bench/package.json', ...packages];
}

/** The text of each file as it should be, by its path; files that are right already are left out. */
export function filesToChange(root, version) {
  if (!/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/.test(version))
    throw new Error(`"${version}" is no version, such as 1.2.3.`);
  const changed = new Map();
  const consider = (path, text) => {
    if (text !== readFileSync(join(root, path), 'utf8')) changed.set(path, text);
  };
  for (const path of manifests(root)) {
    const manifest = JSON.parse(readFileSync(join(root, path), 'utf8'));
    if (manifest.version !== undefined) manifest.version = version;
    for (const field of FIELDS)
      for (const name of Object.keys(manifest[field] ?? {}))
        if (name.startsWith('@bough/')) manifest[field][name] = version;
    consider(path, `${JSON.stringify(manifest, null, 2)}\n`);
  }
  const constant = readFileSync(join(root, CONSTANT), 'utf8');
  consider(CONSTANT, constant.replace(/VERSION = '[^']*'/, `VERSION = '${version}'`));
  const objects = readFileSync(join(root, KUBERNETES), 'utf8');
  consider(KUBERNETES, objects.replace(/image: bough:\S+/, `image: bough:${version}`));
  return changed;
}

export function writeVersion(root, version) {
  const changed = filesToChange(root, version);
  for (const [path, text] of changed) writeFileSync(join(root, path), text);
  return [...changed.keys()];
}
