import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { VERSION } from './index.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const PATHS = [
  'package.json',
  'bench/package.json',
  'deploy/kubernetes.yaml',
  'packages/core/src/version/index.ts',
  ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/package.json`),
];
const SCRIPT = join(root, 'scripts', 'release', 'versions.mjs');
const ask = (folder: string, call: string): readonly string[] => {
  const program = `import { filesToChange, writeVersion } from ${JSON.stringify(new URL(`file://${SCRIPT}`).href)};
    const root = ${JSON.stringify(folder)};
    console.log(JSON.stringify(${call}));`;
  const said = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
  return JSON.parse(said) as string[];
};

test('VER-81: every place that repeats the version of the root says the same', () => {
  expect(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))).toMatchObject({ version: VERSION });
  expect(ask(root, `[...filesToChange(root, '${VERSION}').keys()]`)).toEqual([]);
});

test('VER-81: setting a version changes all of them, and nothing else', () => {
  const copy = mkdtempSync(join(tmpdir(), 'bough-version-'));
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  for (const path of PATHS) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    writeFileSync(join(copy, path), readFileSync(join(root, path)));
  }
  expect([...ask(copy, `writeVersion(root, '7.8.9-rc.1')`)].toSorted()).toEqual(PATHS.toSorted());
  const texts = PATHS.map((path) => readFileSync(join(copy, path), 'utf8'));
  expect(texts.filter((text) => !text.includes('7.8.9-rc.1'))).toEqual([]);
  for (const [at, path] of PATHS.entries())
    expect(texts[at]?.replaceAll('7.8.9-rc.1', VERSION)).toBe(readFileSync(join(root, path), 'utf8'));
  expect(() => ask(copy, `writeVersion(root, 'new')`)).toThrow('is no version');
});
