import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { branchNameOf, refNamesOf } from './index.ts';

const AWKWARD = [
  '',
  '/',
  '//',
  'a//b',
  '/a',
  'a/',
  '.',
  '..',
  '...',
  'a..b',
  '.a',
  'a/.b',
  'a.',
  'x.lock',
  'x.lock/y',
  '@',
].concat([
  '@{',
  'HEAD',
  '-n',
  '%',
  '%2F',
  '%u',
  'a b',
  'a\tb\n',
  '\u0000',
  '\ud800',
  'Bäume 🌳',
  '~^:?*[\\',
  'a/b',
  'A',
  '\u007f',
]);

const name = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({
    unit: fc.constantFrom('a', 'A', '/', '.', '%', '2', 'F', '@', '{', ' ', '-', 'lock', '\ud800', 'é'),
    maxLength: 20,
  }),
);

describe('GIT-5: names', () => {
  test('GIT-5: every ref name that a branch gets is one that git allows', () => {
    const check = (ref: string): void => {
      execFileSync('git', ['check-ref-format', `refs/heads/${ref}`]);
    };
    for (const branch of AWKWARD) refNamesOf(branch).forEach(check);
    fc.assert(
      fc.property(name, (branch) => refNamesOf(branch).slice(0, 1).forEach(check)),
      { numRuns: 60 },
    );
  });

  test('GIT-5: a ref name gives the branch name back, whichever form it has', () => {
    const check = (branch: string): void => {
      for (const ref of refNamesOf(branch)) expect(branchNameOf(ref)).toBe(branch);
    };
    AWKWARD.forEach(check);
    fc.assert(fc.property(name, check), { numRuns: 2000 });
  });

  test('GIT-5: different names never share a ref', () => {
    fc.assert(
      fc.property(name, name, (a, b) => {
        fc.pre(a !== b);
        for (const ref of refNamesOf(a)) expect(refNamesOf(b)).not.toContain(ref);
      }),
      { numRuns: 2000 },
    );
  });

  test('GIT-5: a ref that Bough did not name keeps its name', () => {
    for (const ref of ['feature/x', '100%', '100%61', 'main', 'a%2fb']) expect(branchNameOf(ref)).toBe(ref);
  });

  test('GIT-5: a very long name fits into the name of a file and stays apart from its like', () => {
    const long = 'ä'.repeat(300);
    for (const ref of refNamesOf(long)) expect(Buffer.byteLength(ref)).toBeLessThanOrEqual(200);
    expect(refNamesOf(long)[0]).not.toBe(refNamesOf(`${long}b`)[0]);
  });
});
